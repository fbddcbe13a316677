// Commands for a link from a file, a FIFO or stdin, one a line, in order; `wait` holds back those
// that follow. A line that makes no sense is logged by the caller's `complain` and passed over.
//
// Bound: kMaxLine bytes are kept of a line, and reading stops while kMaxPending lines wait.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/ring_buffer.h"
#include "lab/emulator/link_command.h"
#include "lab/emulator/unique_fd.h"

namespace qvid::lab {

class CommandReader {
 public:
  static constexpr std::size_t kMaxLine = 1024;
  static constexpr std::size_t kMaxPending = 10'000;

  using Complain = std::function<void(const std::string&)>;

  // `path` is "-" for stdin. Throws std::system_error where it does not open.
  CommandReader(const std::string& path, Complain complain);

  // To be polled for input; -1 where there is none to come or enough waits.
  int fd() const;
  // Reads what there is; does not block on what poll found readable.
  void read_some();
  // The next command whose time has come.
  std::optional<LinkCommand> next(Timestamp now);
  // How long until there may be a next one without new input.
  Duration until_next(Timestamp now) const;

 private:
  void take_line();

  UniqueFd file_;
  bool ended_ = false;
  Complain complain_;
  std::string line_;
  RingBuffer<LinkCommand> pending_;
  Timestamp not_before_ = Timestamp::min();
  bool held_back_ = false;  // by not_before_: a further wait counts from there, so nothing drifts
};

}  // namespace qvid::lab
