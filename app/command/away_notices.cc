#include "app/command/away_notices.h"

#include <cerrno>
#include <cstring>

#include "app/log/log.h"
#include "base/text.h"

namespace qvid::app {
namespace {

constexpr const char* kProgram = "notify-send";

// Desktops read markup in the text (the notifications specification, "Markup"), and notify-send escapes
// as of C.
std::string without_markup(const std::string& text) {
  std::string plain;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': plain += "&amp;"; break;
      case '<': plain += "&lt;"; break;
      case '>': plain += "&gt;"; break;
      case '\\': plain += "\\\\"; break;
      default: plain += c;
    }
  }
  return plain;
}

}  // namespace

std::vector<std::string> notice_command(const std::string& title, const std::string& text) {
  return {kProgram, "--app-name=Qvid", "--icon=qvid", "--", printable(title), without_markup(text)};
}

bool AwayNotices::take_turn(Timestamp now) {
  if (told_ && now - *told_ < kBetween) return false;
  told_ = now;
  return true;
}

void AwayNotices::tell(const std::string& title, const std::string& text, Timestamp now) {
  if (missing_ || programs_.full() || !take_turn(now)) return;
  const int error = programs_.run(notice_command(title, text));
  if (error == 0) return;
  missing_ = error == ENOENT;
  log_info("not told by the desktop: {}: {}{}", kProgram, std::strerror(error),
           missing_ ? " (the package libnotify-bin has it)" : "");
}

}  // namespace qvid::app
