// What each frame of one layer is, and which earlier ones it refers to, when some of them are known
// to be lost to the receiver.
//
// Without frames that can be dropped, each is a T0 that refers to the one before. With them, and
// without loss, hierarchical P frames in a pattern of four, counted from the last T0 that began it:
//
//     place      0   1   2   3   4   5 ...
//     class      T0  T2  T1  T2  T0  T2
//     refers to  -   0   0   0,2 0   4
//
// A frame is sound when neither it nor anything it refers to, directly or not, was reported lost.
//     newest T0 not sound   the next frame is a T0: it refers to the newest sound T0, and the
//                           pattern begins again with it. None in reach: a synchronisation point.
//     newest T1 not sound   the T2 after it refers to the T0 alone.
// Nothing refers to a T2.
//
// Invariants: a planned frame refers to sound frames of its own group only, at most kReach back;
// frames of a class refer to T0, and T2 to T1 beside. A T0 may be referred to until its group ends,
// a T1 by the next frame alone: what a frame is needed for does not change with losses.
// Bound: remembers the frames of one group, at most the encoder's longest. Pure. Thread: one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/sequence.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

struct PlannedFrame {
  TemporalClass temporal_class = TemporalClass::kT0;
  std::vector<std::uint8_t> frames_back;  // nearest first; none: a synchronisation point
  bool is_sync_point() const { return frames_back.empty(); }
};

class ReferencePlan {
 public:
  // The most pictures that H.264 lets both ends keep: half a second at 30 frames a second, which is
  // more than a report of loss takes on the paths that a conversation is held over.
  static constexpr int kReach = 16;

  // What the next frame shall be.
  PlannedFrame next() const;
  // It was encoded: as planned, or as a synchronisation point, which begins a new group. Numbers
  // rise by one within a group.
  void on_coded(FrameNumber number, const PlannedFrame& frame);
  // From the next frame on; on at first.
  void set_droppable_frames(bool on) { droppable_ = on; }
  // The receiver will not have that frame. Of another group, or of none yet: ignored.
  void on_lost(FrameNumber number);

  // Frames since the group began, its first included; 0 before the first.
  int length() const { return static_cast<int>(group_.size()); }

 private:
  struct Coded {
    TemporalClass temporal_class = TemporalClass::kT0;
    std::vector<std::uint8_t> frames_back;
    bool sound = true;
  };
  // How far before the next frame; 0: there is none.
  int newest_t0() const;
  int newest_sound_t0() const;
  const Coded& at(int frames_back) const {
    return group_[group_.size() - static_cast<std::size_t>(frames_back)];
  }

  bool droppable_ = true;
  FrameNumber first_;         // of the group
  std::vector<Coded> group_;  // by number - first_
};

}  // namespace qvid::media
