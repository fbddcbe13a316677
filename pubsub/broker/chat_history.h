// What was said to all of a room of late, for who comes later; in memory, and gone with the room.
//
// Bounds: as many messages as the broker's options say, and kMaxBytes of text; the oldest go. Pure.
// Thread: the broker's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

#include "base/units.h"
#include "pubsub/wire/from_broker.h"

namespace qps {

class ChatHistory {
 public:
  static constexpr std::size_t kMaxBytes = 64 * 1024;

  // The number of the next message.
  std::int64_t next() { return ++said_; }
  // `here`: by a member of this node.
  void add(Said said, std::size_t most, qvid::Timestamp now, bool here = true) {
    bytes_ += said.text.size();
    kept_.push_back({std::move(said), now, here});
    while (kept_.size() > most || bytes_ > kMaxBytes) {
      bytes_ -= kept_.front().said.text.size();
      kept_.pop_front();
    }
  }
  std::size_t size() const { return kept_.size(); }
  // The oldest first.
  template <class F>
  void each(qvid::Timestamp now, F&& f) const {
    for (const Kept& kept : kept_) {
      Said said = kept.said;
      said.ago = std::min<qvid::Duration>(now - kept.at, kMaxAgo);
      f(said, kept.here);
    }
  }

 private:
  struct Kept {
    Said said;
    qvid::Timestamp at;
    bool here = true;
  };
  std::deque<Kept> kept_;
  std::size_t bytes_ = 0;
  std::int64_t said_ = 0;
};

}  // namespace qps
