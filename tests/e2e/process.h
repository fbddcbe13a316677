// A child process of a test: started, read line by line, signalled, and ended with the test.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace e2e {

using Milliseconds = std::chrono::milliseconds;

// Generous: sanitizers on a busy machine. A test that waits this long has failed.
inline constexpr Milliseconds kPatience{60'000};

class Process {
 public:
  // `environment` adds to this process's own ("NAME=value"; "NAME=" unsets).
  explicit Process(std::vector<std::string> command,
                   const std::vector<std::string>& environment = {});
  ~Process();  // kills it if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Reads until a line of stderr contains `text`; the line, or empty where it ended or time ran
  // out.
  std::optional<std::string> wait_for_log(const std::string& text,
                                          Milliseconds at_most = kPatience);
  // Reads until it ends; its exit code, 128 + signal, or -1 where time ran out.
  int wait(Milliseconds at_most = kPatience);
  void signal(int number);
  int pid() const { return pid_; }

  const std::string& out() const { return out_.text; }
  const std::string& log() const { return log_.text; }

 private:
  struct Pipe {
    int fd = -1;
    std::string text;
  };
  // Reads what comes; false when both pipes are at their end or `until` has come.
  bool read_some(std::chrono::steady_clock::time_point until);

  int pid_ = -1;
  std::optional<int> exit_code_;
  Pipe out_;
  Pipe log_;
  std::size_t searched_ = 0;  // of log_.text
};

// The program under test.
std::string program();

// False in a chroot whose root is no mount point.
bool mounts_of_its_own();

// A Qvid server on a free port of the loopback.
class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> arguments,
                         const std::string& listen = "127.0.0.1:0",
                         const std::vector<std::string>& environment = {});
  Process& process() { return process_; }
  // qvid://127.0.0.1:port/NAME; empty port where it did not start.
  std::string url(const std::string& name = "live") const {
    return "qvid://" + address_ + "/" + name;
  }
  const std::string& address() const { return address_; }

 private:
  Process process_;
  std::string address_;
};

}  // namespace e2e
