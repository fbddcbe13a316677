#include "app/command/open_link.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string_view>

#include "app/options/token_option.h"
#include "ui/text/links.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

constexpr const char* kOpener = "xdg-open";
constexpr std::array<std::string_view, 2> kSecrets{kTokenVariable, kPassphraseVariable};

std::vector<char*> environment() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (std::ranges::find(kSecrets, text.substr(0, text.find('='))) == kSecrets.end()) {
      kept.push_back(*variable);
    }
  }
  kept.push_back(nullptr);
  return kept;
}

// It hears of no signal that is meant for us, and writes to no output of ours.
int spawn(pid_t& pid, const std::string& link) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  }
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string name = kOpener;
  std::string argument = link;
  char* arguments[] = {name.data(), argument.data(), nullptr};
  const int error =
      ::posix_spawnp(&pid, kOpener, &files, &attributes, arguments, environment().data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

std::optional<Error> LinkOpener::open(const std::string& link) {
  if (!ui::is_link(link)) return Error{ui::tr("this is no link to a web page")};
  reap();
  if (running_.size() == kMost) return Error{ui::tr("the links before are still being opened")};
  pid_t pid = 0;
  if (const int error = spawn(pid, link); error != 0) {
    return Error{std::string("the link cannot be opened: ") + kOpener + ": " +
                 std::strerror(error) + " (the package xdg-utils has it)"};
  }
  running_.push_back(pid);
  return std::nullopt;
}

void LinkOpener::reap() {
  std::erase_if(running_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

}  // namespace qvid::app
