// Opens a link of a chat as the desktop does (xdg-open), in a process of its own that is told none of
// this one's secrets.
//
// Bound: kMost that have not ended. Thread: one at a time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace qvid::app {

class LinkOpener {
 public:
  static constexpr std::size_t kMost = 8;

  // Only what ui/text/links.h calls a link. The error says why it is not opened.
  std::optional<Error> open(const std::string& link);
  // Now and then: those that have ended are let go.
  void reap();

 private:
  std::vector<pid_t> running_;
};

}  // namespace qvid::app
