#include "lab/experiments/plot.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "lab/emulator/unique_fd.h"

extern char** environ;

namespace qvid::lab {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
constexpr const char* kMissing =
    "gnuplot draws the pictures, and it is not there: install the package gnuplot-nox";

UniqueFd memory_file(const char* name) { return UniqueFd(memfd_create(name, MFD_CLOEXEC)); }

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

// What is at the beginning of a file.
std::string head_of(int fd, std::size_t most) {
  std::string text(most, '\0');
  const ssize_t got = pread(fd, text.data(), most, 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// Exit code of gnuplot with these as its three descriptors; the error where it did not start.
Result<int> run_gnuplot(int input, int output, int errors) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  // Our threads block signals that shall come to us alone.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  // No settings but ours; "-": commands from stdin.
  std::string name = "gnuplot";
  std::string defaults = "-d";
  std::string from_stdin = "-";
  std::array<char*, 4> arguments{name.data(), defaults.data(), from_stdin.data(), nullptr};
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, "gnuplot", &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed == ENOENT) return Error{kMissing};
  if (failed != 0) return Error{"gnuplot: " + std::generic_category().message(failed)};
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Error no_file(const std::filesystem::path& path) {
  return {path.string() + ": " + std::generic_category().message(errno)};
}

}  // namespace

std::optional<Error> draw(const Plot& plot, const std::filesystem::path& png) {
  const UniqueFd script = memory_file("script");
  const UniqueFd errors = memory_file("errors");
  if (!script || !errors || !write_all(script.get(), script_of(plot))) return no_file("memfd");
  lseek(script.get(), 0, SEEK_SET);
  std::filesystem::path unfinished = png;
  unfinished += ".unfinished";
  const UniqueFd output(open(unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!output) return no_file(unfinished);

  std::optional<Error> error;
  const auto code = run_gnuplot(script.get(), output.get(), errors.get());
  if (!code) {
    error = code.error();
  } else if (*code != 0 || head_of(output.get(), kSignature.size()) != kSignature) {
    error =
        Error{"gnuplot did not draw " + plot.name + ": " + printable(head_of(errors.get(), 500))};
  } else if (std::rename(unfinished.c_str(), png.c_str()) != 0) {
    error = no_file(png);
  }
  if (error) unlink(unfinished.c_str());
  return error;
}

std::string missing_for_plots() {
  const UniqueFd nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto code = run_gnuplot(nothing.get(), nothing.get(), nothing.get());
  if (!code) return code.error().message;
  return *code == 0 ? "" : "gnuplot does not run here";
}

}  // namespace qvid::lab
