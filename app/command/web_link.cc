#include "app/command/web_link.h"

#include <fmt/format.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "app/log/log.h"
#include "app/web/web_asset.h"
#include "transport/tls/url.h"

namespace qvid::app {
namespace {

constexpr const char* kBlackOnWhite = "\x1b[38;5;16;48;5;231m";
constexpr const char* kAsBefore = "\x1b[0m";

// As the environment says; the program's own locale is not set everywhere.
bool takes_unicode() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;
  const bool takes = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return takes;
}

bool shows_codes(int width) {
  if (::isatty(STDERR_FILENO) != 1 || !takes_unicode()) return false;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= width;
}

}  // namespace

std::string web_link(bool secure, const paceline::Address& address, std::string_view path,
                     std::string_view secret) {
  return fmt::format("{}://{}/{}{}", secure ? "https" : "http", address.text(), path,
                     secret.empty() ? "" : "#token=" + paceline::escaped(secret));
}

std::string terminal_text(const ui::QrCode& code) {
  if (code.side == 0) return {};
  const int end = code.side + ui::QrCode::kQuiet;
  const auto dark = [&](int x, int y) {
    if (x < 0 || y < 0 || x >= code.side || y >= code.side) return false;
    return static_cast<bool>(code.dark[static_cast<std::size_t>(y * code.side + x)]);
  };
  std::string text;
  for (int y = -ui::QrCode::kQuiet; y < end; y += 2) {
    text += kBlackOnWhite;
    for (int x = -ui::QrCode::kQuiet; x < end; ++x) {
      const bool upper = dark(x, y);
      const bool lower = dark(x, y + 1);
      text += upper ? (lower ? "\u2588" : "\u2580") : (lower ? "\u2584" : " ");
    }
    text += kAsBefore;
    text += '\n';
  }
  return text;
}

void tell_web_link(const std::string& link, bool shows_code) {
  if (embedded_assets().empty()) return;
  log_info("or with a browser: {}", link);
  if (!shows_code) return;
  const ui::QrCode code = ui::qr_code(link);
  if (code.side == 0 || !shows_codes(code.side + 2 * ui::QrCode::kQuiet)) return;
  fmt::print(stderr, "{}", terminal_text(code));
}

}  // namespace qvid::app
