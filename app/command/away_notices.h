// Tells who does not look at the window, by the desktop (libnotify's notify-send), what wants
// attention: somebody has joined an empty room, a message, a raised hand. Who, and not what: others on
// the machine see what a program is called with, and a locked screen shows it.
//
// Where the desktop shows none, or the program is not there, nothing is told: the window says it all.
// Bounds: one in kBetween, kMostAtOnce that the desktop has not taken; what comes beyond is left out.
// Thread: one at a time.
#pragma once

#include <optional>
#include <string>

#include "app/command/desktop_programs.h"
#include "base/units.h"

namespace qvid::app {

class AwayNotices {
 public:
  static constexpr Duration kBetween = std::chrono::seconds(2);
  static constexpr std::size_t kMostAtOnce = 2;

  // `title`: the room. Both as they come from afar.
  void tell(const std::string& title, const std::string& text, Timestamp now);
  // As DesktopPrograms has it.
  void reap() { programs_.reap(); }
  // Whether one may be told now; then it is.
  bool take_turn(Timestamp now);

 private:
  DesktopPrograms programs_{kMostAtOnce};
  std::optional<Timestamp> told_;
  bool missing_ = false;  // the program is; said once
};

// The command that shows it: no name or text from afar is an option or markup.
std::vector<std::string> notice_command(const std::string& title, const std::string& text);

}  // namespace qvid::app
