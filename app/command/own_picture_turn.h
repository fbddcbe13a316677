// When a window draws one's own picture: with the others', which are drawn at once as they come. Drawn
// by themselves they would be as many drawings again, and a drawing is much of what a call costs where
// no graphics card does it. Nobody else's picture ever waits for one's own.
//
//   others' recently   it waits for the next of them; at most kLongest, which holds two of it, so that
//                      the newer is shown: it is never older than a frame time
//   none               it is drawn at once
//
// The first that waits wakes nobody, since one of the others' is about to; the second does, so that the
// window learns until when it may sleep. Pure. Thread: one at a time.
#pragma once

#include <optional>

#include "base/units.h"

namespace qvid::app {

class OwnPictureTurn {
 public:
  // More than a frame time, so that an own picture that comes just before another's does not go first.
  static constexpr Duration kLongest = std::chrono::milliseconds(50);
  // Without another's for so long there is none to wait for.
  static constexpr Duration kRecently = std::chrono::milliseconds(150);

  // An own picture is there. True: the window is to have a turn.
  bool on_own(Timestamp now);
  // The window's turn, with pictures of others or without. True: one's own is drawn now.
  bool on_turn(bool others, Timestamp now);
  // For how long the window may sleep where nothing wakes it: at most `idle`.
  Duration wait(Duration idle, Timestamp now) const;

 private:
  bool recently(Timestamp now) const { return others_ && now - *others_ < kRecently; }

  std::optional<Timestamp> since_;   // one waits
  std::optional<Timestamp> others_;  // the last of another
};

}  // namespace qvid::app
