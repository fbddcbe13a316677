#include "app/mon/mon_plot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "base/text.h"

namespace qvid::app {
namespace {

// How gnuplot ended, with the script as its input and the PNG as its output.
Result<int> run_gnuplot(const std::filesystem::path& script, const std::filesystem::path& png) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, script.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, png.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0666);
  // No settings but ours; "-": commands from stdin.
  std::string name = "gnuplot";
  std::string defaults = "-d";
  std::string from_stdin = "-";
  std::array<char*, 4> arguments{name.data(), defaults.data(), from_stdin.data(), nullptr};
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, "gnuplot", &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return Error{std::generic_category().message(failed)};
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<std::monostate> plot_signals(const Samples& samples, const std::string& title,
                                    const std::filesystem::path& path) {
  const auto beside = [&](const char* suffix) { return std::filesystem::path(path) += suffix; };
  const std::filesystem::path script = beside(".gnuplot");
  const std::filesystem::path unfinished = beside(".unfinished");
  const std::string shown = printable(path.string());
  if (std::ofstream out(script); !(out << plot_script(samples, title)) || !out.flush()) {
    return Error{fmt::format("cannot write '{}.gnuplot', from which '{}' is drawn", shown, shown)};
  }
  const auto code = run_gnuplot(script, unfinished);
  std::error_code ignored;
  if (code && *code == 0) {
    std::filesystem::remove(script, ignored);
    std::error_code error;
    std::filesystem::rename(unfinished, path, error);
    if (!error) return std::monostate{};
    std::filesystem::remove(unfinished, ignored);
    return Error{fmt::format("cannot write '{}': {}", shown, error.message())};
  }
  std::filesystem::remove(unfinished, ignored);
  if (code) {
    return Error{fmt::format("gnuplot did not draw '{}' (exit code {}); its script is '{}.gnuplot'",
                             shown, *code, shown)};
  }
  return Error{fmt::format(
      "gnuplot, which draws the picture, does not start ({}): install the package gnuplot-nox, or "
      "run 'gnuplot {}.gnuplot > {}' where it is",
      code.error().message, shown, shown)};
}

}  // namespace qvid::app
