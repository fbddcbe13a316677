// Where a path's datagrams go: challenges and answers, how it opens and how it fails.
#include <algorithm>

#include "transport/datagram/datagram_path.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

constexpr Duration kFirstWait = 100ms;
constexpr Duration kReturningEvery = 25ms;
constexpr Duration kReturningFor = 5s;
constexpr Duration kSettled = 2s;  // it was open for so long: it is expected back
constexpr Duration kMostBetween = 30s;
constexpr int kSizeProbes = 3;

}  // namespace

void DatagramPath::go_to(const PathAddress& peer, Timestamp now) {
  to_ = peer;
  challenge(peer, kSmallest, now);
}

void DatagramPath::challenge(const PathAddress& to, std::size_t size, Timestamp now) {
  challenge_ = Challenge{.to = to,
                         .token = numbers_.next(),
                         .again_at = now + backoff_,
                         .wait = std::max({kFirstWait, 2 * backoff_, sent_.round_trip()}),
                         .began = now,
                         .size = size,
                         .due = backoff_ == Duration()};
}

// A server's, and for both: the newest datagram says where the peer is.
void DatagramPath::on_peer_at(const PathAddress& from, std::size_t size, Timestamp now) {
  if (client_ || to_ == from) return;
  size = std::min(size, kSmallest);
  if (!challenge_ || challenge_->to != from) {
    challenge(from, size, now);
  } else if (now >= challenge_->sent + kFirstWait / 2) {
    challenge_->due = true;
    challenge_->size = size;
  }
}

void DatagramPath::on_response(const PathAddress& from, std::uint64_t token, Timestamp now,
                               News& news) {
  if (!challenge_ || challenge_->token != token || challenge_->to != from) return;
  to_ = from;
  open_up(now, news);
}

void DatagramPath::open_up(Timestamp now, News& news) {
  challenge_.reset();
  if (std::exchange(open_, true)) return;
  news.opened = true;
  opened_at_ = now;
  size_ = kSmallest;
  size_probes_ = kSizeProbes;
  size_probe_at_ = now;
  last_asked_ = now;
  counted_ = counted_lost_ = 0;
  counted_from_ = now;
}

void DatagramPath::fail(Timestamp now) {
  open_ = false;
  left_ = true;
  sent_.give_up();
  parity_.begin_anew();
  ping_due_ = false;
  if (!to_) return;
  const bool settled = now >= opened_at_ + kSettled;
  backoff_ = settled ? Duration()
                     : std::clamp<Duration>(2 * backoff_, std::max(kFirstWait, sent_.round_trip()),
                                            kMostBetween);
  challenge(*to_, kSmallest, now);
  challenge_->returning = settled;
  wants_port_ = !settled;
  if (!settled) return;
  challenge_->size = 0;
  challenge_->wait = std::max(kReturningEvery, sent_.round_trip() / 2);
}

void DatagramPath::write_challenge(Timestamp now) {
  challenge_->due = false;
  challenge_->sent = now;
  challenge_again_later(now);
  write_frame(PathChallenge{challenge_->token}, frames_);
}

void DatagramPath::challenge_again_later(Timestamp now) {
  Challenge& c = *challenge_;
  if (c.returning && now > c.began + kReturningFor) {
    // To an address that is proved; to another no more goes than what came from there.
    c.size = kSmallest;
    c.wait = std::max(kFirstWait, c.wait);
    c.returning = false;
    wants_port_ = true;
  }
  c.again_at = client_ || c.to == to_ ? now + c.wait : qvid::kNever;
  if (!c.returning) c.wait = std::min<Duration>(2 * c.wait, kMostBetween);
}

}  // namespace paceline
