#include "lab/emulator/command_reader.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace qvid::lab {
namespace {

// A FIFO is also opened for writing: it then does not end when a writer closes it, and opening does
// not wait for one.
UniqueFd open_for_reading(const std::string& path) {
  if (path == "-") return UniqueFd(fcntl(0, F_DUPFD_CLOEXEC, 3));
  struct stat info {};
  const bool fifo = stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
  return UniqueFd(open(path.c_str(), (fifo ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace

CommandReader::CommandReader(const std::string& path, Complain complain)
    : file_(open_for_reading(path)), complain_(std::move(complain)) {
  if (!file_) throw std::system_error(errno, std::generic_category(), path);
}

int CommandReader::fd() const {
  return ended_ || pending_.size() >= kMaxPending ? -1 : file_.get();
}

void CommandReader::read_some() {
  std::array<char, 4096> buffer;
  const ssize_t got = read(file_.get(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    ended_ = true;
    take_line();
    return;
  }
  for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(got))) {
    if (c == '\n') {
      take_line();
    } else if (line_.size() < kMaxLine) {
      line_.push_back(c);
    }
  }
}

void CommandReader::take_line() {
  const std::string line = std::exchange(line_, {});
  auto command = parse_command(line);
  if (!command) {
    complain_(command.error().message);
  } else if (*command) {
    pending_.push_back(**command);
  }
}

std::optional<LinkCommand> CommandReader::next(Timestamp now) {
  while (!pending_.empty()) {
    if (now < not_before_) {
      held_back_ = true;
      return std::nullopt;
    }
    const LinkCommand command = pending_.front();
    pending_.pop_front();
    const auto* wait = std::get_if<Wait>(&command.what);
    if (wait == nullptr) return command;
    not_before_ = (held_back_ ? not_before_ : now) + wait->length;
  }
  held_back_ = false;
  return std::nullopt;
}

Duration CommandReader::until_next(Timestamp now) const {
  if (pending_.empty()) return Duration::max();
  return std::max(Duration::zero(), not_before_ - now);
}

}  // namespace qvid::lab
