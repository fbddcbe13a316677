// Programs of the desktop that do something for this one: each in a process of its own that is told
// none of this one's secrets and writes to no output of ours.
//
// Bound: `most` that have not ended. Thread: one at a time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace qvid::app {

class DesktopPrograms {
 public:
  explicit DesktopPrograms(std::size_t most) : most_(most) {}

  // There is no place for another now.
  bool full();
  // By its name, found as a shell finds it, with its arguments; it is not waited for. 0, or an errno.
  // Preconditions: not empty; not full().
  int run(std::vector<std::string> command);
  // Now and then: those that have ended are let go.
  void reap();

 private:
  const std::size_t most_;
  std::vector<pid_t> running_;
};

}  // namespace qvid::app
