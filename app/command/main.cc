// qvid: one program, a sub-command for each thing it does.

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/command/run_words.h"
#include "app/log/crash_report.h"
#include "app/log/log.h"
#include "app/log/log_file.h"
#include "app/log/state_folder.h"
#include "app/options/desktop_proxy.h"
#include "media/codec/process/decoder_child.h"
#include "ui/sound/sdl_sound.h"

namespace {

using namespace qvid::app;

// What there is to see for who types no sub-command: a window, if there is a display to show it on.
std::vector<std::string> with_command(std::vector<std::string> words) {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const bool alone = words.empty() && (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"));
  const bool is_link = !words.empty() && words.front().starts_with("qvid://");
  if (alone || is_link) words.insert(words.begin(), kStart);
  return words;
}

// Who starts one of these sees no standard error.
bool has_window(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 4> kWindows{kStart, "call", "watch", "play"};
  return !words.empty() && std::ranges::find(kWindows, words.front()) != kWindows.end() &&
         std::ranges::find(words, "--headless") == words.end();
}

}  // namespace

int main(int argc, char** argv) {
  // Before there is anything that a stranger's stream must not reach.
  if (argc == 2 && std::string_view(argv[1]) == qvid::media::kDecoderProcessCommand) {
    return qvid::media::run_decoder_process();
  }
  open_log("qvid");
  std::signal(SIGPIPE, SIG_IGN);
  // No command of a person's.
  if (argc == 3 && argv[1] == kDesktopProxyCommand) return tell_desktop_proxy(argv[2]);
  try {
    if (argc == 3 && std::string_view(argv[1]) == kWritePages) {
      return write_pages(argv[2], QVID_VERSION);
    }
    const std::vector<std::string> words = with_command({argv + 1, argv + argc});
#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // they have reports of their own
    report_crashes(state_folder(), QVID_VERSION);
#endif
    qvid::ui::name_sound_for_mixers();
    const LogFile log(has_window(words) ? state_folder() : std::filesystem::path());
    return run_words(words, QVID_VERSION);
  } catch (const std::exception& e) {
    log_error("{}", e.what());
    return kExitFailure;
  }
}
