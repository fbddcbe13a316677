// Watches a screen for the clock's strip and notes each change of the number that it shows, and now
// and then how the picture looks.
//
// Without I/O: whoever turns it says what the screen shows (ScreenView), and when. Turned 250 times
// a second it knows a picture's moment to 4 ms. It looks through the whole screen until it has
// found the strip, and again where that has been unreadable for half a second: windows move.
//
// Thread: one.
#pragma once

#include <optional>

#include "base/units.h"
#include "lab/glass/clock_picture.h"
#include "lab/glass/glass_log.h"
#include "lab/glass/likeness.h"
#include "lab/glass/pixels.h"
#include "lab/glass/strip_reader.h"

namespace qvid::lab {

class ScreenView {
 public:
  ScreenView() = default;
  ScreenView(const ScreenView&) = delete;
  ScreenView& operator=(const ScreenView&) = delete;
  virtual ~ScreenView() = default;

  struct Shot {
    Pixels pixels;  // until the next shot
    Timestamp at;   // when they were taken
  };
  virtual int width() const = 0;
  virtual int height() const = 0;
  // The pixels of that part. Precondition: it is on the screen, and not empty.
  virtual Shot take(int x, int y, int width, int height) = 0;
};

inline constexpr Duration kLookEvery = 4ms;

class Eye {
 public:
  static constexpr Duration kQualityEvery = 400ms;
  static constexpr Duration kSearchEvery = 150ms;
  static constexpr Duration kLost = 500ms;  // unreadable for so long

  explicit Eye(ScreenView& screen) : screen_(screen) {}

  void turn(Timestamp now);
  const GlassLog& log() const { return log_; }

 private:
  void search(Timestamp now);
  void judge(std::int64_t number);

  ScreenView& screen_;
  ClockPicture clock_;
  Likeness likeness_;
  GlassLog log_;
  std::optional<StripPlace> place_;
  std::optional<std::int64_t> shown_;
  Timestamp read_at_{};      // the strip, for the last time
  Timestamp searched_at_{};  // the screen
  Timestamp judged_at_{};    // the picture
};

}  // namespace qvid::lab
