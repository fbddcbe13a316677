#include "app/command/away_notices.h"

#include <cstring>

#include "app/log/log.h"
#include "base/text.h"

namespace qvid::app {
namespace {

constexpr const char* kProgram = "notify-send";

// Desktops read markup in the text (the notifications specification, "Markup").
std::string without_markup(const std::string& text) {
  std::string plain;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': plain += "&amp;"; break;
      case '<': plain += "&lt;"; break;
      case '>': plain += "&gt;"; break;
      default: plain += c;
    }
  }
  return plain;
}

}  // namespace

std::vector<std::string> notice_command(const std::string& title, const std::string& text) {
  return {kProgram, "--app-name=Qvid", "--icon=qvid", "--", printable(title), without_markup(text)};
}

void AwayNotices::tell(const std::string& title, const std::string& text, DesktopPrograms& programs,
                       Timestamp now) {
  if (missing_ || programs.full() || (told_ && now - *told_ < kBetween)) return;
  told_ = now;
  if (const int error = programs.run(notice_command(title, text)); error != 0) {
    missing_ = true;
    log_info(
        "no notifications while the window is not looked at: {}: {} (the package libnotify-bin has it)",
        kProgram, std::strerror(error));
  }
}

}  // namespace qvid::app
