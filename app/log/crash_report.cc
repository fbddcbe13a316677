#include "app/log/crash_report.h"

#include <execinfo.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string_view>

#include "app/log/state_folder.h"

namespace qvid::app {
namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr int kMostFrames = 64;
constexpr std::size_t kStack = 64 * 1024;

// Made before, for the handler may make nothing.
struct Prepared {
  std::array<char, 4096> folder{};
  std::array<char, 4096> parent{};
  std::array<char, 4096> file{};
  std::array<char, 64> version{};
  alignas(16) std::array<char, kStack> stack{};
};
Prepared prepared;

template <std::size_t N>
bool put(std::array<char, N>& into, const std::string& text) {
  if (text.size() >= N) return false;
  std::ranges::copy(text, into.begin());
  into[text.size()] = '\0';
  return true;
}

void say(int fd, std::string_view text) {
  // Nobody is left to be told where it cannot be written.
  [[maybe_unused]] const ssize_t written = ::write(fd, text.data(), text.size());
}

void say_signal(int fd, int signal) {
  say(fd, "Qvid ");
  say(fd, prepared.version.data());
  say(fd, signal == SIGSEGV  ? " crashed: SIGSEGV\n"
          : signal == SIGBUS ? " crashed: SIGBUS\n"
          : signal == SIGILL ? " crashed: SIGILL\n"
          : signal == SIGFPE ? " crashed: SIGFPE\n"
                             : " crashed: SIGABRT\n");
}

void on_crash(int signal) {
  std::array<void*, kMostFrames> frames{};
  const int count = ::backtrace(frames.data(), kMostFrames);
  say_signal(STDERR_FILENO, signal);
  int fd = -1;
  if (prepared.file[0] != '\0') {
    ::mkdir(prepared.parent.data(), 0700);
    ::mkdir(prepared.folder.data(), 0700);
    fd = ::open(prepared.file.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
  if (fd < 0) {
    ::backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  } else {
    say_signal(fd, signal);
    ::backtrace_symbols_fd(frames.data(), count, fd);
    ::close(fd);
    say(STDERR_FILENO, "the report is in ");
    say(STDERR_FILENO, prepared.file.data());
    say(STDERR_FILENO, "\n");
  }
  ::raise(signal);  // SA_RESETHAND: as it would have ended
}

}  // namespace

void report_crashes(const std::filesystem::path& folder, const std::string& version) {
  put(prepared.version, version);
  prepared.file[0] = '\0';
  const std::filesystem::path file = folder / ("crash-" + std::to_string(::getpid()) + ".txt");
  if (!folder.empty()) {
    keep_newest(folder, "crash-", kMostReports - 1);
    const bool fits = put(prepared.folder, folder) && put(prepared.parent, folder.parent_path());
    if (fits) put(prepared.file, file);
  }
  // The first call loads what it needs, which a handler must not.
  std::array<void*, 1> frame{};
  ::backtrace(frame.data(), 1);
  const stack_t stack{.ss_sp = prepared.stack.data(), .ss_flags = 0, .ss_size = kStack};
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK | SA_NODEFER);
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

}  // namespace qvid::app
