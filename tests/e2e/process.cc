#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>

extern char** environ;

namespace e2e {
namespace {

using Clock = std::chrono::steady_clock;

// Where this test's programs keep keys and settings; gone with the test.
std::string settings_folder() {
  static const qvid::TemporaryFolder folder;
  return folder.path().string();
}

std::vector<std::string> merged_environment(const std::vector<std::string>& changes) {
  // In English, whatever is spoken here.
  const std::vector<std::string> own{
      "XDG_CONFIG_HOME=" + settings_folder(), "XDG_STATE_HOME=" + settings_folder(),
      "TMPDIR=" + settings_folder(),  // PulseAudio leaves folders there
      "LC_ALL=C.UTF-8", "LANGUAGE=en",
      // Beside a display SDL has libdbus start a bus, by a fork: of a program with threads and
      // ASan that child may find the allocator locked, and wait for ever.
      "DBUS_SESSION_BUS_ADDRESS=disabled:"};
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    if (!std::ranges::any_of(own, [&](const std::string& one) {
          return variable.starts_with(one.substr(0, one.find('=') + 1));
        })) {
      all.emplace_back(variable);
    }
  }
  all.insert(all.end(), own.begin(), own.end());
  for (const std::string& change : changes) {
    const std::string name = change.substr(0, change.find('=') + 1);
    std::erase_if(all, [&](const std::string& e) { return e.starts_with(name); });
    if (change != name) all.push_back(change);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::string program() {
  const char* path = std::getenv("QVID_PROGRAM");
  if (path == nullptr) throw std::runtime_error("QVID_PROGRAM is not set: run by ctest");
  return path;
}

Process::Process(std::vector<std::string> command, const std::vector<std::string>& environment) {
  std::array<int, 2> out{};
  std::array<int, 2> log{};
  if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(log.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log[1], STDERR_FILENO);
  auto all = merged_environment(environment);
  const int error = posix_spawnp(&pid_, command[0].c_str(), &actions, nullptr,
                                 pointers(command).data(), pointers(all).data());
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(log[1]);
  out_.fd = out[0];
  log_.fd = log[0];
  if (error != 0) throw std::runtime_error(command[0] + ": " + std::strerror(error));
}

Process::~Process() {
  if (!exit_code_) {
    ::kill(pid_, SIGKILL);
    wait();
  }
  for (const Pipe* p : {&out_, &log_}) {
    if (p->fd >= 0) close(p->fd);
  }
}

bool Process::read_some(Clock::time_point until) {
  std::array<pollfd, 2> polled{{{out_.fd, POLLIN, 0}, {log_.fd, POLLIN, 0}}};
  const auto left = std::chrono::duration_cast<Milliseconds>(until - Clock::now());
  if ((out_.fd < 0 && log_.fd < 0) || left.count() <= 0) return false;
  if (poll(polled.data(), polled.size(), static_cast<int>(left.count())) <= 0) return false;
  for (std::size_t i = 0; i < polled.size(); ++i) {
    Pipe& pipe = i == 0 ? out_ : log_;
    if ((polled[i].revents & (POLLIN | POLLHUP)) == 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t got = read(pipe.fd, buffer.data(), buffer.size());
    if (got > 0) {
      pipe.text.append(buffer.data(), static_cast<std::size_t>(got));
    } else {
      close(pipe.fd);
      pipe.fd = -1;
    }
  }
  return true;
}

std::optional<std::string> Process::wait_for_log(const std::string& text, Milliseconds at_most) {
  const auto until = Clock::now() + at_most;
  do {
    const auto found = log_.text.find(text, searched_);
    const auto end = found == std::string::npos ? found : log_.text.find('\n', found);
    if (end != std::string::npos) {
      const auto begin = log_.text.rfind('\n', found);
      searched_ = end + 1;
      return log_.text.substr(begin + 1, end - begin - 1);
    }
  } while (read_some(until));
  return std::nullopt;
}

int Process::wait(Milliseconds at_most) {
  const auto until = Clock::now() + at_most;
  while (read_some(until)) {
  }
  if (exit_code_) return *exit_code_;
  // Its pipes are closed: it is about to end, or it hangs.
  if (out_.fd >= 0 || log_.fd >= 0) return -1;
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) return -1;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return *exit_code_;
}

void Process::signal(int number) {
  if (!exit_code_) ::kill(pid_, number);
}

namespace {

std::vector<std::string> serve_command(std::vector<std::string> arguments,
                                       const std::string& listen) {
  std::vector<std::string> command{program(), "serve", "--listen", listen};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace

bool mounts_of_its_own() { return Process({"unshare", "--mount", "true"}).wait() == 0; }

ServerProcess::ServerProcess(std::vector<std::string> arguments, const std::string& listen,
                             const std::vector<std::string>& environment)
    : process_(serve_command(std::move(arguments), listen), environment) {
  const std::string before = "qvid://";
  const auto line = process_.wait_for_log(before);
  if (!line) return;
  const auto begin = line->find(before) + before.size();
  address_ = line->substr(begin, line->find('/', begin) - begin);
}

}  // namespace e2e
