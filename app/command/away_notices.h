// Tells who does not look at the window, by the desktop (libnotify's notify-send), what wants
// attention: somebody has joined an empty room, a message, a raised hand.
//
// Where the desktop shows none, or the program is not there, nothing is told: the window says it all.
// Bound: one in kBetween; what comes sooner is left out, the window has it. Thread: one at a time.
#pragma once

#include <optional>
#include <string>

#include "app/command/desktop_programs.h"
#include "base/units.h"

namespace qvid::app {

class AwayNotices {
 public:
  static constexpr Duration kBetween = std::chrono::seconds(2);

  // `title`: the room. Both as they come from afar.
  void tell(const std::string& title, const std::string& text, DesktopPrograms& programs,
            Timestamp now);

 private:
  std::optional<Timestamp> told_;
  bool missing_ = false;  // the program is; said once
};

// The command that shows it: no name or text from afar is an option or markup.
std::vector<std::string> notice_command(const std::string& title, const std::string& text);

}  // namespace qvid::app
