#include "transport/tls/tls_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace paceline {
namespace {

constexpr std::size_t kMaxSize = 1024 * 1024;

qvid::Error failed(const char* to_do, const std::filesystem::path& path, int error) {
  return {std::string("cannot ") + to_do + " " + path.string() + ": " +
          std::system_category().message(error)};
}

class File {
 public:
  File(const std::filesystem::path& path, int flags, mode_t mode = 0)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  explicit operator bool() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

}  // namespace

qvid::Result<std::optional<std::string>> read_file(const std::filesystem::path& path) {
  // Not blocking: a named pipe in its place must not hold the program.
  const File file(path, O_RDONLY | O_NONBLOCK);
  if (!file && errno == ENOENT) return std::optional<std::string>{};
  if (!file) return failed("open", path, errno);
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const auto got = ::read(file.fd(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path, errno);
    if (got == 0) return std::optional(std::move(text));
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxSize) return qvid::Error{path.string() + " is larger than 1 MiB"};
  }
}

std::optional<qvid::Error> write_file(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path unfinished = path.string() + ".tmp";
  ::unlink(unfinished.c_str());  // left over by who was interrupted
  {
    const File file(unfinished, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (!file) return failed("create", unfinished, errno);
    std::string_view rest = text;
    while (!rest.empty()) {
      const auto put = ::write(file.fd(), rest.data(), rest.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return failed("write", unfinished, errno);
      rest.remove_prefix(static_cast<std::size_t>(put));
    }
    if (::fsync(file.fd()) != 0) return failed("write", unfinished, errno);
  }
  if (::rename(unfinished.c_str(), path.c_str()) != 0) return failed("write", path, errno);
  return {};
}

std::optional<qvid::Error> make_private_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return {};
  error.clear();  // it may just not exist yet
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
  if (error) return failed("create", folder.parent_path(), error.value());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return failed("create", folder, errno);
  return {};
}

qvid::Result<FileLock> FileLock::take(const std::filesystem::path& path) {
  File file(path, O_RDWR | O_CREAT, 0600);
  if (!file) return failed("open", path, errno);
  while (::flock(file.fd(), LOCK_EX) != 0) {
    if (errno != EINTR) return failed("lock", path, errno);
  }
  return FileLock(file.release());
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace paceline
