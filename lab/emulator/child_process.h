// A program, most often inside a network namespace. It dies with us (its parent's death kills it), and its own
// children are found by the namespace that they are in.
//
// Thread: the one that started it must outlive it, since the kernel takes that thread's end for the
// parent's death.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/units.h"
#include "lab/emulator/net_namespace.h"

namespace qvid::lab {

struct ChildOptions {
  std::vector<std::string> command;      // found by PATH
  std::vector<std::string> environment;  // "NAME=value", on top of ours
  int input = 0;                         // descriptors that become its stdin, stdout and stderr
  int output = 1;
  int errors = 2;
};

// Where a command cannot be started. `code` is what a shell would exit with: 127 not found, 126 not
// executable.
struct StartFailure {
  int code = 0;
  std::string message;
};

class ChildProcess {
 public:
  // Empty handle: nothing runs.
  ChildProcess() = default;
  // Throws std::system_error where there is no process to be had.
  static std::variant<ChildProcess, StartFailure> start(const ChildOptions& options,
                                                        const NetNamespace& where);
  // In the namespace of this thread.
  static std::variant<ChildProcess, StartFailure> start(const ChildOptions& options);
  ~ChildProcess();  // kills it
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  pid_t pid() const { return pid_; }
  bool running() const { return pid_ > 0 && !exit_code_; }
  void signal(int number) const;
  // Looks whether it has ended, without waiting: its exit code, or 128 + the signal that ended it.
  std::optional<int> poll();
  // Waits for that, so long at the most. False: it runs on. True also where nothing runs.
  bool ends_within(Duration at_most);

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  static std::variant<ChildProcess, StartFailure> start_in(const ChildOptions& options, int ns);

  pid_t pid_ = -1;
  std::optional<int> exit_code_;
};

}  // namespace qvid::lab
