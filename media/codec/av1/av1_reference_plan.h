// What each frame of a stream of AV1 refers to and where it is kept, when some frames are known to
// be lost to the receiver.
//
// One temporal class: a frame refers to the newest sound one that is kept, the one before it as long
// as nothing was lost. A decoder of AV1 keeps eight pictures, in slots that the encoder names. Frame
// i of a group goes into the slot of the lowest bit that is set in i (the ruler sequence), a
// synchronisation point into all:
//
//     frame   0     1  2  3  4  5  6  7  8  9 10 ...
//     slot    all   0  1  0  2  0  1  0  3  0  1
//
// So slot k is between 1 and 2^(k+1) frames old. The frame before is always there, and where the
// newest d frames are of no use, a sound one is there at most about 2 d back, up to 128.
//
// A frame is sound when neither it nor anything it refers to, directly or not, was reported lost.
// None of those that are kept is: the next frame is a synchronisation point.
//
// Invariant: a planned frame refers to sound frames of its own group only. Bound: eight frames, and
// those of one group, at most the encoder's longest. Pure. Thread: one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/sequence.h"

namespace qvid::media {

struct Av1PlannedFrame {
  struct Reference {
    int slot = 0;
    std::uint8_t frames_back = 0;
  };
  std::optional<Reference> reference;  // none: a synchronisation point
  int slot = 0;                        // where it is kept; a synchronisation point: in all
  bool is_sync_point() const { return !reference; }
};

class Av1ReferencePlan {
 public:
  static constexpr int kSlots = 8;

  // What the next frame shall be.
  Av1PlannedFrame next() const;
  // It was encoded as planned; a synchronisation point begins a new group. Numbers rise by one
  // within a group. `kept_in`: the slots that it is in now, a bit each, maybe more than planned.
  void on_coded(FrameNumber number, const Av1PlannedFrame& frame, std::uint8_t kept_in);
  // The receiver will not have that frame. Of another group, or of none yet: ignored.
  void on_lost(FrameNumber number);

  // Frames since the group began, its first included; 0 before the first.
  int length() const { return static_cast<int>(group_.size()); }

 private:
  struct Coded {
    int frames_back = 0;  // 0: refers to none
    bool sound = true;
  };

  FrameNumber first_;               // of the group
  std::vector<Coded> group_;        // by number - first_
  std::array<int, kSlots> kept_{};  // which of the group is in each slot
};

}  // namespace qvid::media
