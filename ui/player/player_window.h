// The window of `qvid play`: the newest picture, statistics over it, buttons, and the keys that a
// viewer presses.
//
//   open -> { wait -> show -> draw }*     the app's loop: one turn per picture, input or timer
//
// The window holds one picture, the last shown, whatever became of the stream. It is drawn when
// something on it changes, and else not at all. Drawing does not wait for the screen's refresh: that
// would put up to a refresh of delay into a live call.
//
// Thread: the main thread only, except wake().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/video_frame.h"
#include "ui/window/overlay.h"
#include "ui/window/window_options.h"

namespace qvid::ui {

// What the viewer asks for that the window cannot do by itself.
enum class KeyCommand : std::uint8_t {
  kQuit,
  kScreenshot,
  kPause,
  kBack10,  // seconds
  kForward10,
  kBack60,
  kForward60,
  kBegin,
  kSeek,  // to sought()
  kFaster,
  kSlower,
  kNormalSpeed,
  kNextSpeed,
  kLayers,   // the base alone, or all again
  kSilence,  // do not play the sound, or play it again
  kLouder,   // again and again while the key is held, as the next one
  kSofter,
};

class PlayerWindow {
 public:
  // Error: there is no display, or nothing to draw with.
  static Result<std::unique_ptr<PlayerWindow>> open(const WindowOptions& options);
  ~PlayerWindow();
  PlayerWindow(const PlayerWindow&) = delete;
  PlayerWindow& operator=(const PlayerWindow&) = delete;

  // One turn: returns at input, at wake(), when something shown for a while has had its time, or
  // after `at_most`, with what the app must do; draw() comes next. A few turns after input are
  // short, because ImGui lays new text out in two steps.
  std::vector<KeyCommand> wait(Duration at_most);
  // The place that was chosen last on the progress bar.
  Duration sought() const;
  // The place that the mouse points at there, or drags to.
  std::optional<Duration> pointed() const;
  // Any thread, as long as the window exists: a new picture or statistics are there. Until wait()
  // has seen one, further calls add nothing, so SDL's queue cannot fill.
  void wake();

  // The picture to draw from now on, at the aspect of `nominal` whatever its own size: a layered
  // stream sends smaller pictures of the same scene.
  void show(const media::VideoFrame& picture, media::PictureSize nominal);
  // A small picture of pointed(), from the next draw on; empty: there is none (yet).
  void show_preview(std::optional<media::VideoFrame> picture);
  // When it was given to the screen; empty: nothing was, for nothing has changed since the last
  // time, or the window is minimised.
  std::optional<Timestamp> draw(const OverlayModel& model);

  // Writes what was drawn last, overlay included, to `path` as PNG; gives the path back.
  Result<std::string> screenshot(const std::string& path);

 private:
  class Impl;
  explicit PlayerWindow(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace qvid::ui
