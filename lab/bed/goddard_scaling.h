// Which scale Goddard's client wants (004 section 5.2.2):
//
//   first          the largest below the path's capacity, as a pair of packets had it
//   down one       over 5% of the frames of 5 s were lost, and the last decision is 5 s old
//   up one         under 1% of those of 60 s were lost, the last decision is 60 s old, the capacity
//                  has room for it, and the limit allows it
//   re-buffering   the largest below what was received in 5 s; the limit is then one below the scale
//                  that ran dry, and one higher each time that 3 x 60 s went well
//
// Over TCP no frame is lost, and only re-buffering counts: the thesis's streams over TCP stay where
// that left them (figure 5.21).
//
// A frame is lost when a later one has come; one that comes after all is not. Bounds: kMostNoted
// arrivals and kMostMissing frames, the newest. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <set>

#include "lab/bed/goddard.h"

namespace qvid::lab {

class GoddardScaling {
 public:
  static constexpr std::size_t kMostNoted = 16'384;
  static constexpr std::size_t kMostMissing = 4096;

  // `by_losses`: the way of the frames is one that may lose some.
  GoddardScaling(const GoddardRules& rules, bool by_losses)
      : rules_(rules), by_losses_(by_losses) {}

  int scale() const { return scale_; }
  int limit() const { return limit_; }
  DataRate capacity() const { return capacity_; }

  // Picks the first scale.
  void begin(DataRate capacity, Timestamp now);
  // Frames are numbered from 0. True: the scale is another one now.
  bool on_frame(std::uint32_t number, ByteCount bytes, Timestamp now);
  // There is nothing left to play. Picks a scale.
  void on_rebuffering(Timestamp now);

 private:
  struct Arrival {
    Timestamp at{};
    ByteCount bytes{};
    int lost = 0;  // before it; -1: it had been counted as lost
  };
  void note(std::uint32_t number, ByteCount bytes, Timestamp now);
  double loss(Duration interval, Timestamp now) const;  // 0..1
  DataRate received(Duration interval, Timestamp now) const;

  GoddardRules rules_;
  bool by_losses_;
  DataRate capacity_{};
  int scale_ = 0;
  int limit_ = static_cast<int>(kGoddardScales.size()) - 1;
  Timestamp decided_{};     // the last time that the scale was decided
  Timestamp good_since_{};  // of the limit
  std::int64_t highest_ = -1;
  std::deque<Arrival> arrivals_;
  std::set<std::int64_t> missing_;
};

}  // namespace qvid::lab
