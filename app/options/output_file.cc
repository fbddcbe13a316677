#include "app/options/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace qvid::app {

std::optional<Error> unwritable(const std::string& path) {
  const auto because = [&](int code) {
    return Error{"cannot write " + in_quotes(path) + ": " + std::system_category().message(code) +
                 "; name a file in a folder that is there and may be written to"};
  };
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  if (kind == std::filesystem::file_type::directory) return because(EISDIR);
  const bool is_new = kind == std::filesystem::file_type::not_found;
  if (!is_new && kind != std::filesystem::file_type::regular) return std::nullopt;
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (is_new ? O_CREAT | O_EXCL : 0), 0666);
  if (file < 0) return because(errno);
  ::close(file);
  if (is_new) ::unlink(path.c_str());
  return std::nullopt;
}

}  // namespace qvid::app
