// The smallest transmit window that keeps late base units rare: less delay where the network allows
// it, more where it must be.
//
// Model: a frame needs as much window as its base unit arrived after  due + 1 frame + offset
// (playout_clock.h), rounded up to whole frames. That does not depend on the window: base units go
// first. Where a base unit has not come, the sender may have cancelled it and its need is unknown:
// it counts as a frame more than the present window until it comes after all. That grows by one
// frame at a time, and the played window follows no faster (PlayoutClock::kSlew).
//
// A size fails when, had it been the window, more than two base units would have been late of the
// last two seconds, and more than kMostLate of them; or of the last minute, and more than kWorrying
// of it. The second rule keeps the minute under kMostLate (the aim), the first one
// grows in time for it.
//
//   grow    at once, to the smallest size that does not fail
//   shrink  one frame, when the next smaller size has not failed for kCalm, the present one is
//           kCalm old, and the smaller one has not been left within its ban: kBan, doubled each
//           time it fails again up to kLongestBan. After kBan a longer ban is no obstacle where
//           nothing of the last minute would have been late: then the path has changed. So a
//           distribution on the border costs a try now and then, not a window that flaps.
//
// The largest is the one at which 1 + N + 2 frames still are within max_delay, the path left aside.
// What is known to need more is no reason to grow: no window would have helped. Where it is not
// known (the bandwidth is below the base layer's), the window ends at the largest.
//
// Bounds: a minute of counts, by the second; kMaxUnknown frames whose need is not known. Pure.
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/sequence.h"
#include "base/units.h"
#include "media/unit/timeline_frames.h"

namespace qvid::media {

struct WindowPolicyOptions {
  Duration max_delay = std::chrono::milliseconds(400);  // from capture to screen, without the path
};

class WindowPolicy {
 public:
  static constexpr double kMostLate = 0.01;
  static constexpr double kWorrying = 0.008;
  static constexpr Duration kCalm = std::chrono::seconds(10);
  static constexpr Duration kBan = std::chrono::seconds(60);
  static constexpr Duration kLongestBan = std::chrono::minutes(16);
  static constexpr std::size_t kMaxUnknown = 64;

  // `window`: to begin with; brought within kMinWindow..largest().
  WindowPolicy(FrameRate rate, int window, WindowPolicyOptions options = {});

  // At a frame's decode time `now`, once a frame: its base unit had come, and needed that much
  // window (may be negative); or it had not when it had been waited for that long, which is the
  // window that is played, on its way to wanted(), or more.
  void on_base(Timestamp now, Duration needed);
  void on_base_missing(FrameNumber number, Timestamp now, Duration waited);
  // It came after its decode time. Ignored where the frame is not one of the latest missing.
  void on_base_late(FrameNumber number, Duration needed);

  int wanted() const { return wanted_; }
  int largest() const { return largest_; }
  // Why the window is what it is, in a few words.
  const std::string& reason() const { return reason_; }

 private:
  // Frames by the window they needed: [1..largest_ + 1], the last for all beyond.
  using Counts = std::vector<std::int64_t>;
  struct Second {
    Timestamp began;
    Counts counts;
  };
  struct Unknown {
    FrameNumber number;
    Timestamp second;  // that it is counted in
    int counted_as = 0;
  };
  struct Ban {
    Timestamp from = Timestamp::min();
    Duration length{};
  };
  int size_for(Duration needed) const;
  void count(Timestamp now, int size);
  void decide(Timestamp now);
  bool fails(int size) const;
  void grow(Timestamp now);
  void shrink(Timestamp now);
  bool banned(int size, Timestamp now) const;

  FrameRate rate_;
  int largest_;
  int wanted_;
  std::deque<Second> seconds_;
  Counts minute_;
  Counts recent_;  // the last two seconds
  std::deque<Unknown> unknown_;
  std::vector<Ban> bans_;  // by size
  Timestamp changed_{};    // when wanted_ last did
  Timestamp smaller_failed_{};
  bool started_ = false;
  std::string reason_ = "as it began";
};

}  // namespace qvid::media
