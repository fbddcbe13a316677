#include "pubsub/token/token_keys.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace qps {

namespace fs = std::filesystem;
using qvid::Error;

qvid::Result<TokenKeys> TokenKeys::load(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    auto key = TokenKey::load(path);
    if (!key) return key.error();
    return TokenKeys(*std::move(key));
  }
  TokenKeys keys;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    const std::string id = it->path().filename().string();
    std::error_code unknown;
    if (id.starts_with('.') || !fs::is_regular_file(it->path(), unknown)) continue;
    if (!is_key_id(id)) {
      return Error{path.string() + ": the key file " + qvid::in_quotes(id) +
                   " wants a name of letters, digits and ._-, 64 at the most"};
    }
    if (keys.keys_.size() == kMost) {
      return Error{path.string() + ": more than " + std::to_string(kMost) + " keys"};
    }
    auto key = TokenKey::load(it->path());
    if (!key) return key.error();
    keys.keys_.push_back({id, *std::move(key)});
  }
  if (error) return Error{path.string() + ": " + error.message()};
  if (keys.keys_.empty()) {
    return Error{"there is no key in the folder " + path.string() +
                 ": make one with qvid token --new-key " + (path / "1").string()};
  }
  std::ranges::sort(keys.keys_, {}, &Named::id);
  return keys;
}

std::vector<const TokenKey*> TokenKeys::of(std::string_view id) const {
  std::vector<const TokenKey*> found;
  for (const Named& named : keys_) {
    if (id.empty() || named.id.empty() || named.id == id) found.push_back(&named.key);
  }
  return found;
}

std::vector<std::string> TokenKeys::hints() const {
  std::vector<std::string> hints;
  for (const Named& named : keys_) {
    if (!named.key.hint().empty()) hints.push_back(named.key.hint());
  }
  return hints;
}

}  // namespace qps
