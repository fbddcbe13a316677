#include "lab/emulator/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <ratio>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "lab/emulator/unique_fd.h"

extern char** environ;

namespace qvid::lab {
namespace {

constexpr int kSameNamespace = -1;  // in place of a descriptor of one

std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  for (const std::string& change : changes) {
    const std::string name = change.substr(0, change.find('=') + 1);
    std::erase_if(all, [&](const std::string& e) { return e.starts_with(name); });
    all.push_back(change);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

// Between fork and exec: only what is safe there. The error goes to `report`.
[[noreturn]] void become(const ChildOptions& options, int ns, pid_t parent, char* const* command,
                         char** environment, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it died before we asked
  sigset_t none;
  sigemptyset(&none);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
    std::signal(number, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Copies first, out of the way of the three numbers that are about to be taken.
  const int input = fcntl(options.input, F_DUPFD_CLOEXEC, 3);
  const int output = fcntl(options.output, F_DUPFD_CLOEXEC, 3);
  const int errors = fcntl(options.errors, F_DUPFD_CLOEXEC, 3);
  const bool there = ns == kSameNamespace || setns(ns, CLONE_NEWNET) == 0;
  if (there && dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(errors, 2) == 2) {
    environ = environment;
    execvp(command[0], command);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

}  // namespace

std::variant<ChildProcess, StartFailure> ChildProcess::start(const ChildOptions& options,
                                                             const NetNamespace& where) {
  return start_in(options, where.fd());
}

std::variant<ChildProcess, StartFailure> ChildProcess::start(const ChildOptions& options) {
  return start_in(options, kSameNamespace);
}

std::variant<ChildProcess, StartFailure> ChildProcess::start_in(const ChildOptions& options,
                                                                int ns) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  std::vector<std::string> command = options.command;
  std::vector<std::string> environment = environment_with(options.environment);
  const auto command_pointers = pointers(command);
  auto environment_pointers = pointers(environment);

  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    become(options, ns, parent, command_pointers.data(), environment_pointers.data(),
           write_end.get());
  }
  ChildProcess child(pid);
  { const UniqueFd closed = std::move(write_end); }  // only the child has it now
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(read_end.get(), &error, sizeof error);  // ends when exec closes the pipe
  } while (got < 0 && errno == EINTR);
  if (got == sizeof error) {
    return StartFailure{error == ENOENT ? 127 : 126,
                        options.command[0] + ": " + std::generic_category().message(error)};
  }
  return std::variant<ChildProcess, StartFailure>(std::move(child));
}

ChildProcess::~ChildProcess() {
  if (!running()) return;
  signal(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), exit_code_(other.exit_code_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(exit_code_, other.exit_code_);
  return *this;
}

void ChildProcess::signal(int number) const {
  if (running()) kill(pid_, number);
}

std::optional<int> ChildProcess::poll() {
  if (!running()) return exit_code_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_code_;
}

bool ChildProcess::ends_within(Duration at_most) {
  if (!running() || poll()) return true;
  // Ours and not waited for yet: the number is no other process's.
  const UniqueFd handle(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  if (!handle) return false;  // no descriptor to be had: nothing to wait with
  const Timestamp give_up = steady_now() + at_most;
  pollfd ended{.fd = handle.get(), .events = POLLIN, .revents = 0};
  for (Duration left = at_most; left > Duration(); left = give_up - steady_now()) {
    const timespec time{.tv_sec = left.count() / std::nano::den,
                        .tv_nsec = left.count() % std::nano::den};
    if (ppoll(&ended, 1, &time, nullptr) > 0) break;  // else a signal, or the time is up
  }
  return poll().has_value();
}

}  // namespace qvid::lab
