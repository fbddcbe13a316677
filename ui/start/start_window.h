// The window before a call: rooms and links, devices, settings.
//
//   open -> { wait -> draw -> what was pressed }*
//
// Drawn when something on it changes, and else not at all. Thread: the main thread only, except
// wake().
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/video_frame.h"
#include "ui/start/start_model.h"
#include "ui/window/window_options.h"

namespace qvid::ui {

class StartWindow {
 public:
  // Error: there is no display, or nothing to draw with.
  static Result<std::unique_ptr<StartWindow>> open(const WindowOptions& options);
  ~StartWindow();
  StartWindow(const StartWindow&) = delete;
  StartWindow& operator=(const StartWindow&) = delete;

  // One turn: returns at input, at wake(), or after `at_most`.
  void wait(Duration at_most);
  // Any thread, as long as the window exists.
  void wake();
  // One's own picture, seen as in a mirror on the page before joining.
  void show_picture(const media::VideoFrame& picture);
  void drop_picture();
  // What was pressed since the last time; entries are changed in place.
  std::optional<StartAction> draw(const StartModel& model, StartEntries& entries);
  // How often it was drawn: what nobody changed costs nothing.
  int drawings() const;

  void copy(const std::string& text);  // to the clipboard
  Result<std::string> screenshot(const std::string& path);

 private:
  class Impl;
  explicit StartWindow(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace qvid::ui
