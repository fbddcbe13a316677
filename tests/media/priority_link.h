// A path in virtual time with a sender that sends the most important first, as Paceline does over
// an almost empty socket: for tests of what decides above it.
//
// Model: messages wait by importance, then position; one chunk at a time is transmitted, at the
// rate of the moment, and is with the receiver after half a round trip; the sender knows it half a
// round trip later. What is cancelled or past its deadline stops after the chunk that is under way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/payload.h"
#include "base/units.h"

namespace qvid::media {

class PriorityLink {
 public:
  static constexpr std::int64_t kChunk = 500;    // bytes
  static constexpr std::int64_t kOverhead = 20;  // bytes a message

  struct Delivered {
    std::uint64_t id = 0;
    std::uint64_t position = 0;
    Payload payload;
    Timestamp at;  // at the receiver
  };
  struct Ended {
    std::uint64_t id = 0;
    bool delivered = false;
    ByteCount sent;
  };

  PriorityLink(std::function<DataRate(Timestamp)> rate, Duration round_trip)
      : rate_(std::move(rate)), half_(round_trip / 2) {}

  std::uint64_t send(std::uint8_t importance, std::uint64_t position, Timestamp deadline,
                     Payload payload) {
    const std::uint64_t id = ++last_id_;
    const auto size = static_cast<std::int64_t>(payload.size()) + kOverhead;
    waiting_.emplace(Key{-static_cast<int>(importance), position, id},
                     Waiting{std::move(payload), deadline, size, 0});
    return id;
  }
  void cancel(std::uint64_t id, Timestamp now) {
    const auto it = std::find_if(waiting_.begin(), waiting_.end(),
                                 [&](const auto& w) { return std::get<2>(w.first) == id; });
    if (it != waiting_.end()) give_up(it, now);
  }

  // When something happens next.
  Timestamp next_event() const {
    Timestamp next = kNever;
    if (!waiting_.empty()) next = std::max(free_, now_);
    if (!arriving_.empty()) next = std::min(next, arriving_.front().at);
    if (!ending_.empty()) next = std::min(next, ending_.front().second);
    return next;
  }
  // Time goes on to `now`; call at every next_event().
  void advance(Timestamp now, const std::function<void(const Delivered&)>& delivered,
               const std::function<void(const Ended&)>& ended) {
    now_ = now;
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      const auto at = it++;
      if (at->second.deadline <= now) give_up(at, now);
    }
    if (!waiting_.empty() && free_ <= now) transmit(now);
    while (!arriving_.empty() && arriving_.front().at <= now) {
      const Delivered d = std::move(arriving_.front());
      arriving_.pop_front();
      delivered(d);
    }
    while (!ending_.empty() && ending_.front().second <= now) {
      const Ended e = ending_.front().first;
      ending_.pop_front();
      ended(e);
    }
  }
  ByteCount carried() const { return carried_; }

 private:
  using Key = std::tuple<int, std::uint64_t, std::uint64_t>;  // -importance, position, id
  struct Waiting {
    Payload payload;
    Timestamp deadline;
    std::int64_t size = 0;
    std::int64_t sent = 0;
  };
  void transmit(Timestamp now) {
    const auto it = waiting_.begin();
    Waiting& w = it->second;
    const std::int64_t bytes = std::min(kChunk, w.size - w.sent);
    free_ = now + rate_(now).transfer_time(ByteCount(bytes));
    w.sent += bytes;
    carried_ += ByteCount(bytes);
    if (w.sent < w.size) return;
    const auto [_, position, id] = it->first;
    arriving_.push_back({id, position, std::move(w.payload), free_ + half_});
    end({id, true, ByteCount(w.size)}, free_ + 2 * half_);
    waiting_.erase(it);
  }
  void give_up(std::map<Key, Waiting>::iterator it, Timestamp now) {
    end({std::get<2>(it->first), false, ByteCount(it->second.sent)}, now);
    waiting_.erase(it);
  }
  void end(const Ended& ended, Timestamp at) {
    const auto place =
        std::find_if(ending_.begin(), ending_.end(), [&](const auto& e) { return e.second > at; });
    ending_.insert(place, {ended, at});
  }

  std::function<DataRate(Timestamp)> rate_;
  Duration half_;
  Timestamp now_{};
  Timestamp free_{};
  std::uint64_t last_id_ = 0;
  std::map<Key, Waiting> waiting_;
  std::deque<Delivered> arriving_;
  std::deque<std::pair<Ended, Timestamp>> ending_;
  ByteCount carried_;
};

}  // namespace qvid::media
