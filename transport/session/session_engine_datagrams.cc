// What the session's datagrams do to it (datagram_path.h).
#include <algorithm>
#include <utility>

#include "transport/session/session_engine.h"

namespace paceline {
namespace {

// With Datagrams::kOnly: until the first one has come back.
constexpr Duration kOnlyPatience = std::chrono::seconds(5);

}  // namespace

// The credentials are known by now.
void SessionEngine::begin_datagrams(const Features& peer) {
  if (config_.datagrams == Datagrams::kNever) return;
  const bool only = config_.datagrams == Datagrams::kOnly;
  if (!peer.lanes || !peer.datagrams) {
    if (only) fail(CloseReason::kRefused, "the other end takes no datagrams (--udp only)");
    return;
  }
  const auto sends =
      side_ == Side::kClient ? DatagramDirection::kToServer : DatagramDirection::kToClient;
  path_.emplace(credentials_.secret, sends, config_.datagram_key);
  path_->use(peer);
  path_->hold_at_most(std::min(config_.stranger_reassembly, config_.limits.max_reassembly));
  sender_.use_datagrams(&*path_, only);
  if (only) datagrams_by_ = last_turn_ + kOnlyPatience;
}

void SessionEngine::datagrams_to(const PathAddress& peer, Timestamp now) {
  if (path_ && !closed()) path_->go_to(peer, now);
}

void SessionEngine::receive_datagram(const PathAddress& from, std::span<const std::byte> datagram,
                                     Timestamp now) {
  if (!path_ || !established()) return;
  datagram_news_.clear();
  if (!path_->receive(from, datagram, now, datagram_news_)) return;
  received_ += ByteCount::of(datagram.size());
  if (datagram_news_.wrong != nullptr) {
    return fail(CloseReason::kProtocolError, datagram_news_.wrong);
  }
  if (path_->open()) datagrams_by_ = qvid::kNever;
  sender_.on_datagram_news(datagram_news_, now);
  for (const FragmentAssembly::Whole& whole : datagram_news_.messages) {
    const std::uint64_t before = incoming_.counters().messages;
    const Fragment& f = whole.fields;
    const auto taken = incoming_.on(LaneMessage{.number = f.number,
                                                .stream = f.stream,
                                                .importance = f.importance,
                                                .position = f.position,
                                                .bytes = whole.bytes.bytes()},
                                    whole.bytes);
    if (!taken) return fail(CloseReason::kProtocolError, taken.error().message);
    datagrams_received_ += incoming_.counters().messages - before;  // not those that came twice
  }
}

std::optional<PathAddress> SessionEngine::produce_datagram(std::vector<std::byte>& datagram,
                                                           Timestamp now) {
  if (!path_ || !established()) return std::nullopt;
  const bool content = path_->open() && sender_.feed_datagrams(now);
  const auto written = path_->produce(datagram, content, now);
  if (!written) return std::nullopt;
  sender_.on_datagram_written(*written, now);
  return written->to;
}

void SessionEngine::check_datagrams(Timestamp now) {
  if (!path_ || closed()) return;
  if (now >= datagrams_by_) {
    return fail(CloseReason::kTimeout, "no datagrams pass to the other end (--udp only)");
  }
  if (path_->on_timer(now)) sender_.on_datagram_lost(now);
  const bool only = config_.datagrams == Datagrams::kOnly;
  if (path_->take_left() && !(only && path_->open())) {
    if (only) datagrams_by_ = now + kOnlyPatience;
    sender_.leave_datagrams(now);
  }
  wants_port_ |= path_->take_wants_port();
}

}  // namespace paceline
