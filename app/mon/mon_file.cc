#include "app/mon/mon_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "base/text.h"

namespace qvid::app {
namespace {

constexpr std::size_t kPiece = 256 * 1024;

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

Result<bool> SignalFile::open() {
  const std::string name = printable(path_.string());
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) {
    if (errno == ENOENT) return false;
    return Error{fmt::format("cannot read '{}': {}", name, reason(errno))};
  }
  struct stat status {};
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close();
    return Error{fmt::format("'{}' is {}: name a log of signals", name,
                             S_ISDIR(status.st_mode) ? "a folder" : "no regular file")};
  }
  id_ = {status.st_dev, status.st_ino};
  offset_ = 0;
  reader_ = {};
  return true;
}

void SignalFile::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

bool SignalFile::replaced() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return false;  // between two files
  return id_ != Id{status.st_dev, status.st_ino} || status.st_size < offset_;
}

Result<bool> SignalFile::drain(SignalHistory& into) {
  std::vector<char> piece(kPiece);
  std::vector<paceline::SignalSample> samples;
  for (;;) {
    const auto bytes = ::read(file_, piece.data(), piece.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) {
      return Error{fmt::format("cannot read '{}': {}", printable(path_.string()), reason(errno))};
    }
    if (bytes == 0) return true;
    offset_ += bytes;
    const auto fed = reader_.feed({piece.data(), static_cast<std::size_t>(bytes)}, samples);
    if (!fed) {
      return Error{fmt::format(
          "'{}' is no log of signals ({}); `qvid serve --signals FILE` and `qvid play --signals "
          "FILE` write one",
          printable(path_.string()), fed.error().message)};
    }
    for (auto& sample : samples) into.push(std::move(sample));
    samples.clear();
  }
}

Result<bool> SignalFile::poll(SignalHistory& into) {
  if (file_ < 0) {
    if (auto opened = open(); !opened || !*opened) return opened;
  }
  const bool another = replaced();
  if (auto drained = drain(into); !drained || !another) return drained;
  close();
  if (auto opened = open(); !opened || !*opened) return opened;
  return drain(into);
}

}  // namespace qvid::app
