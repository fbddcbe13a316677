// An application in front of a transport that takes bytes only: what it would send next. For a
// video it is the most important unit of those whose deadline has not passed, the base of the
// oldest frame first; greedy, there is always another block.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "lab/bed/layered_video.h"
#include "lab/bed/run_clock.h"
#include "lab/bed/run_spec.h"

namespace qvid::lab {

inline constexpr std::uint32_t kBlock = 4096;  // bytes, of a greedy flow's units

class Source {
 public:
  Source(const FlowSpec& spec, const RunClock& clock, std::uint64_t seed)
      : greedy_(spec.workload == Workload::kGreedy),
        window_(spec.window),
        clock_(clock),
        video_(spec.rate, seed) {}

  bool greedy() const { return greedy_; }
  // Of kVideo: makes a frame. Call every kFrameTime.
  void capture(Timestamp now) {
    frames_ += clock_.frame_counts(now, window_);
    for (const Adu& adu : video_.next(now)) waiting_.insert(adu);
    expire(now);
  }
  std::optional<Adu> next(Timestamp now) {
    if (greedy_) return Adu{.bytes = kBlock, .produced = now};
    expire(now);
    if (waiting_.empty()) return std::nullopt;
    return waiting_.extract(waiting_.begin()).value();
  }
  std::uint32_t frames() const { return frames_; }

 private:
  struct MoreImportant {
    bool operator()(const Adu& a, const Adu& b) const {
      return std::pair(a.layer, a.frame) < std::pair(b.layer, b.frame);
    }
  };
  void expire(Timestamp now) {
    std::erase_if(waiting_, [&](const Adu& adu) { return adu.produced + window_ <= now; });
  }

  bool greedy_;
  Duration window_;
  RunClock clock_;
  LayeredVideo video_;
  std::set<Adu, MoreImportant> waiting_;  // at most the frames of one window
  std::uint32_t frames_ = 0;
};

}  // namespace qvid::lab
