#include "app/command/desktop_programs.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>
#include <utility>

#include "app/options/token_option.h"

namespace qvid::app {
namespace {

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

// It hears of no signal that is meant for us, writes to no output of ours, and has none of our sockets.
int spawn(pid_t& pid, std::vector<std::string> command) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  }
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int error = ::posix_spawnp(&pid, arguments.front(), &files, &attributes, arguments.data(),
                                   environment().data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

bool DesktopPrograms::full() {
  reap();
  return running_.size() >= most_;
}

int DesktopPrograms::run(std::vector<std::string> command) {
  pid_t pid = 0;
  const int error = spawn(pid, std::move(command));
  if (error == 0) running_.push_back(pid);
  return error;
}

void DesktopPrograms::reap() {
  std::erase_if(running_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

}  // namespace qvid::app
