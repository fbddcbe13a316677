// Where a stored video is: a bar at the window's lower edge, to click and drag on.
//
//   12:34 |##########======-----------------------| 1:02:03
//          played    there already, as base       rest
//
// It is seen while the video is paused, the bar is dragged or the mouse is over it, and for kStays
// after the last key or motion of the mouse. A drag shows the place it would go to, and goes there at its end. Sizes and
// places of the mouse are in units of the window. Thread: the main thread.
#pragma once

#include <optional>
#include <string>

#include "base/units.h"
#include "ui/window/aspect.h"

namespace qvid::ui {

struct ProgressModel {
  Duration place{};
  Duration duration{};  // zero: not known; then only the place is shown
  Duration buffered{};  // beyond the place

  bool operator==(const ProgressModel&) const = default;
};

// "2:03", "1:02:03".
std::string place_text(Duration place);

class ProgressBar {
 public:
  static constexpr Duration kStays = std::chrono::seconds(3);

  // A key, or the mouse moved. True: the bar was not seen, and is to be drawn.
  bool touch(Timestamp now);
  // The next draw is of this; empty: no bar.
  void set(std::optional<ProgressModel> model, bool paused);
  bool seen(Timestamp now) const;
  // When it goes; empty: it is not seen, or stays.
  std::optional<Timestamp> end(Timestamp now) const;

  // A button went down at x, y in a window of this size. True: it is the bar's.
  bool press(int x, int y, media::PictureSize window, Timestamp now);
  // The mouse is there now. True: it points at another place of the video than before, or at none.
  bool point(int x, int y, media::PictureSize window, Timestamp now);
  // The mouse has left the window.
  void leave() { pointed_.reset(); }
  // The place that the mouse points at, or drags to.
  std::optional<Duration> pointed() const { return drag_ ? drag_ : pointed_; }
  // Where on the bar a place is. Precondition: the model says how long the video is.
  float x_of(Duration place, media::PictureSize window) const;
  bool dragging() const { return drag_.has_value(); }
  // The button went up: where to go. Empty: nothing was dragged.
  std::optional<Duration> release();

  // Inside a frame of ImGui.
  void draw(Timestamp now) const;
  // How high the bar is, for what is to stand above it; 0 where it is not seen.
  float height(Timestamp now) const;

 private:
  std::optional<Duration> place_under(int x, int y, media::PictureSize window, Timestamp now) const;

  std::optional<ProgressModel> model_;
  bool paused_ = false;
  std::optional<Timestamp> touched_;
  std::optional<Duration> drag_;     // the place that it shows
  std::optional<Duration> pointed_;  // by the mouse, above it
};

// Two upright beams in the middle.
void draw_pause_sign();

}  // namespace qvid::ui
