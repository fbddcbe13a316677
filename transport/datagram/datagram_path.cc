#include "transport/datagram/datagram_path.h"

#include <algorithm>
#include <utility>

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

// Between datagrams of a client that ask for an acknowledgement, so that a NAT stays open and a
// path that ended is noticed: with content, and without any for kIdle (RFC 4787: 30 s at the least).
constexpr Duration kKeepAlive = 1s;
constexpr Duration kKeepAliveIdle = 15s;
constexpr Duration kIdle = 5s;
constexpr Duration kSizeProbeEvery = 500ms;
// Lost of what was sent in at least kCountFor and kLeastCounted datagrams: somebody limits the path.
constexpr double kMostLost = 0.15;
constexpr std::uint64_t kLeastCounted = 150;
constexpr Duration kCountFor = 1s;
// Between these, twice as many are counted: so 10% of chance is hardly ever taken for 15.
constexpr double kClearlyLost = 0.25;
// As many, half of what was sent: that is not waited for. By 10% of chance it never comes.
constexpr std::uint64_t kSurelyLost = 25;
// From so many on, what is urgent and small goes twice, and of those by chance parities go; under a quarter of them
// not any more.
constexpr double kLossyFrom = 0.02;
// So long when something is lost it was full. (Half of the round trips around a loss were 54 and 88 ms longer
// than without a queue on 0.3 Mbit/s with a queue of 100 ms, 10 at most on 4 Mbit/s with 2 % by chance.)
constexpr Duration kFullQueue = 30ms;
// Over TCP's round trip, and half of that: a queue of its own, of a limit for datagrams.
constexpr Duration kMuchSlower = 30ms;
constexpr int kSlower = 3;  // in a row
constexpr Duration kCompareEvery = 500ms;
constexpr Duration kFirstSpare = 10s;
constexpr Duration kMostSpare = 160s;
// One number in so many, at random, is not used.
constexpr std::uint64_t kSkipEvery = 128;
constexpr std::size_t kHeaders = 28;  // bytes: of IPv4 and UDP

ByteCount on_line(const std::vector<std::byte>& datagram) {
  return ByteCount::of(kHeaders + datagram.size());
}

DatagramDirection other(DatagramDirection d) {
  return d == DatagramDirection::kToServer ? DatagramDirection::kToClient
                                           : DatagramDirection::kToServer;
}

}  // namespace

DatagramPath::DatagramPath(const SessionSecret& secret, DatagramDirection sends,
                           const Unguessable::Key& key)
    : seals_(secret, sends),
      opens_(secret, other(sends)),
      numbers_(key),
      client_(sends == DatagramDirection::kToServer) {}

bool DatagramPath::receive(const PathAddress& from, std::span<const std::byte> datagram,
                           Timestamp now, News& news) {
  const std::uint64_t next = came_.next();
  const auto number = opens_.open(datagram, next, frames_);
  if (!number || !came_.take(*number)) return false;
  parities_.on_frames(*number, frames_, now);
  if (*number >= next) on_peer_at(from, datagram.size(), now);
  FrameReader reader(frames_);
  std::size_t acks = 0;
  std::size_t parities = 0;
  std::size_t fragments = 0;
  for (;;) {
    const DatagramFrame frame = reader.next();
    if (std::holds_alternative<DatagramEnd>(frame)) {
      if (news.any_acked && returning() && from == to_) open_up(now, news);
      return true;
    }
    if (const auto* wrong = std::get_if<DatagramWrong>(&frame)) {
      news.wrong = wrong->what;
      return true;
    }
    if (const auto* ack = std::get_if<DatagramAck>(&frame)) {
      if (++acks > 1) {
        news.wrong = "two acknowledgements in one datagram";
        return true;
      }
      on_ack(*ack, now, news);
      continue;
    }
    ack_due_ |= open_ || std::holds_alternative<Fragment>(frame);
    if (const auto* c = std::get_if<PathChallenge>(&frame)) {
      answer_ = Answer{from, c->token, std::min(datagram.size(), kSmallest)};
    }
    if (const auto* r = std::get_if<PathResponse>(&frame)) on_response(from, r->token, now, news);
    if (const auto* p = std::get_if<Parity>(&frame)) {
      if (++parities > 1) {  // each is a look at all that is kept
        news.wrong = "two parities in one datagram";
        return true;
      }
      on_parity(*p, now, news);
    }
    if (const auto* r = std::get_if<DatagramRestored>(&frame)) on_restored(r->number, news);
    if (const auto* f = std::get_if<Fragment>(&frame)) {
      last_content_ = now;
      if (++fragments > SentDatagrams::kMostPieces) {
        news.wrong = "more fragments than a datagram has";
        return true;
      }
      on_fragment(*f, news);
    }
    if (news.wrong != nullptr) return true;
  }
}

void DatagramPath::on_fragment(const Fragment& fragment, News& news) {
  auto whole = assembly_.on_fragment(fragment);
  if (!whole) {
    news.wrong = "two messages of one number";
    return;
  }
  if (whole->has_value()) news.messages.push_back(std::move(**whole));
}

void DatagramPath::on_pieces(const SentDatagrams::Datagram& d, News& news) {
  for (std::size_t i = 0; i < d.count; ++i) {
    bool whole = false;
    news.acked += outgoing_.on_arrived(d.pieces[i], whole);
    if (whole) news.delivered.push_back(d.pieces[i].message);
  }
}

void DatagramPath::on_ack(const DatagramAck& ack, Timestamp now, News& news) {
  std::uint64_t arrived = 0;
  const auto acked = sent_.on_ack(ack, now, [&](const SentDatagrams::Datagram& d) {
    if (d.asks) {
      ++arrived;
      news.acked_on_line += ByteCount::of(d.size);
    }
    size_ = std::max(size_, d.mtu_probe);
    on_pieces(d, news);
  });
  if (!acked) {
    news.wrong = "an acknowledgement of what was never sent";
    return;
  }
  if (acked->rtt > Duration()) news.rtt = acked->rtt;
  news.any_acked |= acked->any;
  count(arrived, 0, now);
  news.lost |= find_lost(now);
}

void DatagramPath::send_again(const SentDatagrams::Datagram& datagram) {
  for (std::size_t i = datagram.copies; i < datagram.count; ++i) {
    outgoing_.send_again(datagram.pieces[i]);
  }
}

bool DatagramPath::find_lost(Timestamp now) {
  std::uint64_t lost = 0;
  sent_.find_lost(now, [&](const SentDatagrams::Datagram& d) {
    if (d.mtu_probe > 0) return;  // too large, perhaps: that says nothing of the path
    ++lost;
    send_again(d);
  });
  lost_ += lost;
  count(0, lost, now);
  return lost > 0;
}

// Whoever loses them: a repair takes a round trip.
void DatagramPath::watch_losses(std::uint64_t arrived, std::uint64_t lost) {
  watched_ += arrived + lost;
  watched_lost_ += lost;
  if (lost > 0 && sent_.queue() < kFullQueue) watched_chance_ += lost;
  if (watched_ < kLeastCounted) return;
  const auto follow = [&](bool& state, std::uint64_t of_these) {
    const double part = static_cast<double>(of_these) / static_cast<double>(watched_);
    if (part >= kLossyFrom || part < kLossyFrom / 4) state = part >= kLossyFrom;
  };
  follow(lossy_, watched_lost_);
  follow(by_chance_, watched_chance_);
  watched_ = watched_lost_ = watched_chance_ = 0;
  follow_losses();
}

void DatagramPath::follow_losses() {
  outgoing_.set_copying(lossy_ || protection_ != Protection::kWhereLost,
                        protection_ == Protection::kAll);
}

void DatagramPath::count(std::uint64_t arrived, std::uint64_t lost, Timestamp now) {
  watch_losses(arrived, lost);
  if (competing_) {
    counted_ = counted_lost_ = 0;
    counted_from_ = now;
    return;
  }
  counted_ += arrived + lost;
  counted_lost_ += lost;
  const bool surely = counted_lost_ >= kSurelyLost && 2 * counted_lost_ >= counted_;
  if (!surely && (counted_ < kLeastCounted || now < counted_from_ + kCountFor)) return;
  const double part = static_cast<double>(counted_lost_) / static_cast<double>(counted_);
  if (part > kMostLost && part < kClearlyLost && counted_ < 2 * kLeastCounted) return;
  if (part > kMostLost) {
    spare(now);
    left_ = true;
  } else if (now > spared_until_ + spare_) {
    spare_ = {};
  }
  counted_ = counted_lost_ = 0;
  counted_from_ = now;
}

void DatagramPath::on_tcp_rtt(Duration rtt, Timestamp now) {
  sent_.expect(rtt);
  // Of the same time, and not several of one round trip.
  const bool fresh = sent_.rtt().valid() && now <= sent_.sampled_at() + kCompareEvery;
  if (competing_ || !usable(now) || !fresh || now < compared_at_ + kCompareEvery) return;
  compared_at_ = now;
  const Duration excess = sent_.rtt().rtt() - rtt;
  slower_ = excess > std::max<Duration>(kMuchSlower, rtt / 2) ? slower_ + 1 : 0;
  if (slower_ >= kSlower) spare(now);
}

void DatagramPath::spare(Timestamp now) {
  spare_ = std::clamp(2 * spare_, Duration(kFirstSpare), Duration(kMostSpare));
  spared_until_ = now + spare_;
  slower_ = 0;
}

std::optional<DatagramPath::Written> DatagramPath::produce(std::vector<std::byte>& datagram,
                                                           bool content, Timestamp now) {
  frames_.clear();
  SentDatagrams::Datagram sent{.at = now};
  ByteCount fresh;
  if (sent_.stuffed()) return std::nullopt;
  if (answer_) {
    const Answer answer = *std::exchange(answer_, std::nullopt);
    write_frame(PathResponse{answer.token}, frames_);
    // Both in one: what waits in a queue for the end of an outage comes before all that is new.
    const bool asks = challenge_ && challenge_->to == answer.to;
    if (asks && (challenge_->due || returning())) write_challenge(now);
    close_up(answer.size, sent, datagram);
    return Written{.to = answer.to};
  }
  if (challenge_ && challenge_->due) {
    write_challenge(now);
    close_up(challenge_->size, sent, datagram);
    return Written{.to = challenge_->to};
  }
  if (!open_ && (!returning() || !ack_due_)) return std::nullopt;
  if (std::exchange(ack_due_, false)) write_acks();
  if (!open_) {
    close_up(0, sent, datagram);
    return Written{.to = *to_};
  }
  if (!sent_.full()) {
    if (size_probes_ > 0 && size_ < kLargest && now >= size_probe_at_ && frames_.empty()) {
      --size_probes_;
      size_probe_at_ = now + kSizeProbeEvery;
      write_frame(DatagramPing{}, frames_);
      sent.asks = true;
      sent.mtu_probe = kLargest;
      close_up(kLargest, sent, datagram);
      return Written{.to = *to_};
    }
    if (frames_.empty() && parity_is_due(now)) {
      write_frame(parity_.parity(), frames_);
      sent.content = ByteCount::of(frames_.size());
      parity_.begin_anew();
      sent.asks = true;
      close_up(0, sent, datagram);
      return Written{*to_, sent.content, sent.content, on_line(datagram)};
    }
    fresh = write_pieces(sent, content, now);
    if (std::exchange(ping_due_, false) && !sent.asks) {
      write_frame(DatagramPing{}, frames_);
      sent.asks = true;
    }
  }
  if (frames_.empty()) return std::nullopt;
  if (sent.asks) last_asked_ = now;
  if (sent.count > 0) last_content_ = now;
  close_up(0, sent, datagram);
  return Written{*to_, sent.content, sent.content - fresh, on_line(datagram)};
}

void DatagramPath::write_acks() {
  for (const std::uint64_t number : restored_) write_frame(DatagramRestored{number}, frames_);
  restored_.clear();
  write_frame(came_.ack(), frames_);
}

// Padded to `least` bytes, sealed under the next number, and remembered.
void DatagramPath::close_up(std::size_t least, SentDatagrams::Datagram sent,
                            std::vector<std::byte>& datagram) {
  if (frames_.size() + kDatagramAround < least) frames_.resize(least - kDatagramAround);
  if (sent.asks && --skip_after_ <= 0) {
    skip_after_ = static_cast<int>(kSkipEvery / 2 + numbers_.next() % kSkipEvery);
    sent_.skip();
  }
  if (sent.count > 0 && covers()) {
    if (sent.at > parity_.began() + sent_.rtt().rtt()) parity_.begin_anew();
    parity_.add(sent_.next(), frames_, sent.at);
  }
  seals_.seal(sent_.next(), frames_, datagram);
  sent.size = static_cast<std::size_t>(on_line(datagram).value());
  sent_.on_sent(sent);
}

Timestamp DatagramPath::next_timer() const {
  Timestamp next = qvid::kNever;
  if (challenge_ && !sent_.stuffed()) next = challenge_->due ? Timestamp{} : challenge_->again_at;
  if (!open_) return next;
  next = std::min(
      {next, sent_.lost_at(), sent_.probe_at(), sent_.fails_at(), outgoing_.next_deadline()});
  if (sent_.full()) return next;
  if (size_probes_ > 0 && size_ < kLargest) next = std::min(next, size_probe_at_);
  return std::min({next, parity_at(), keep_alive_at()});
}

// A client's; a server answers.
Timestamp DatagramPath::keep_alive_at() const {
  if (!client_) return qvid::kNever;
  const bool idle = last_asked_ > last_content_ + kIdle;
  return last_asked_ + (idle ? kKeepAliveIdle : kKeepAlive);
}

bool DatagramPath::on_timer(Timestamp now) {
  if (challenge_ && now >= challenge_->again_at) challenge_->due = true;
  if (!open_) return false;
  if (now >= sent_.fails_at()) {
    fail(now);
    return false;
  }
  const bool lost = now >= sent_.lost_at() && find_lost(now);
  if (now >= sent_.probe_at()) {
    sent_.on_probe();
    ping_due_ = true;
    if (const auto* oldest = sent_.oldest_under_way()) send_again(*oldest);
  }
  if (now >= keep_alive_at()) ping_due_ = true;
  return lost;
}

}  // namespace paceline
