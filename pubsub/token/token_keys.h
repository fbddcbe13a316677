// The keys that a broker takes tokens of, so that one follows another without a gap.
//
//   a file     one key; which key a token says it is signed with (kid) is not looked at
//   a folder   a key a file, named by it: a token that names its key is checked with that one, and one
//              that names none with each. What begins with a dot is no key's
//
// To change keys: put the new one into the folder and issue by it; take the old one out when the last
// token of it has ended.
//
// Bound: kMost. Pure, but for `load`. Thread: any.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pubsub/token/token.h"

namespace qps {

class TokenKeys {
 public:
  static constexpr std::size_t kMost = 16;

  // The error says which file, and what to do.
  static qvid::Result<TokenKeys> load(const std::filesystem::path& file_or_folder);
  TokenKeys(TokenKey key) { keys_.push_back({{}, std::move(key)}); }  // NOLINT: one is some

  // That a token may be signed with whose header names `id`; of one that names none it is empty.
  std::vector<const TokenKey*> of(std::string_view id) const;
  // What is not as it should be with the files, a sentence each.
  std::vector<std::string> hints() const;

 private:
  struct Named {
    std::string id;  // empty: of a file by itself
    TokenKey key;
  };
  TokenKeys() = default;
  std::vector<Named> keys_;
};

}  // namespace qps
