#include "pubsub/token/revoked_tokens.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "pubsub/token/token.h"
#include "transport/tls/tls_files.h"

namespace qps {
namespace {

using qvid::Error;

}  // namespace

qvid::Result<RevokedTokens> RevokedTokens::parse(std::string_view text) {
  RevokedTokens revoked;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::string id = qvid::trimmed(line.substr(0, line.find('#')));
    if (id.empty()) continue;
    const std::string where = "line " + std::to_string(number) + ": ";
    if (!is_token_id(id)) {
      return Error{where + "this is no token's id; qvid token --revoke TOKEN writes it"};
    }
    if (revoked.ids_.size() == kMost) {
      return Error{where + "more than " + std::to_string(kMost) +
                   " tokens: take out those that have ended, or change the key"};
    }
    revoked.ids_.insert(std::move(id));
  }
  return revoked;
}

qvid::Result<RevokedTokens> RevokedTokens::load(const std::filesystem::path& path) {
  const auto text = paceline::read_file(path);
  if (!text) return text.error();
  if (!*text) {
    return Error{"there is no list of revoked tokens " + path.string() +
                 ": an empty file says that there are none"};
  }
  auto revoked = parse(**text);
  if (!revoked) return Error{path.string() + ", " + revoked.error().message};
  return revoked;
}

std::optional<Error> RevokedTokens::add(const std::filesystem::path& path, const std::string& id,
                                        const std::string& comment) {
  constexpr mode_t kForAll = 0644;
  const auto failed = [&] {
    return Error{"cannot write " + path.string() + ": " + std::system_category().message(errno)};
  };
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kForAll);
  if (fd < 0) return failed();
  // At once, so that nobody reads half of it.
  const std::string line = id + "  # " + qvid::printable(comment) + "\n";
  std::optional<Error> error;
  if (std::cmp_not_equal(::write(fd, line.data(), line.size()), line.size())) error = failed();
  if (::close(fd) != 0 && !error) error = failed();
  return error;
}

}  // namespace qps
