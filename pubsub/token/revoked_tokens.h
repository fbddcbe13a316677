// Tokens that were called back before their time: a file, with what names one in each line.
//
//   3f0c41d2a9b04c55a7e7a1b0d4c2e9f1    # Ann's, lost with her laptop
//   sha256:5d41402abc4b2a76b9719d911017c592...
//
// The id is token_id's (token.h). Behind # comes a comment; empty lines are nothing. A line goes when
// its token has ended.
//
// Bounds: kMost lines; a file of 1 MiB. Pure, but for `load` and `add`. Thread: any.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace qps {

class RevokedTokens {
 public:
  static constexpr std::size_t kMost = 10'000;

  RevokedTokens() = default;  // none
  // The error names the line.
  static qvid::Result<RevokedTokens> parse(std::string_view text);
  static qvid::Result<RevokedTokens> load(const std::filesystem::path& path);
  // A line more, in a file that is made where there is none; `comment` without line ends. The ids are
  // no secret: others may read it.
  static std::optional<qvid::Error> add(const std::filesystem::path& path, const std::string& id,
                                        const std::string& comment);

  bool has(const std::string& id) const { return ids_.contains(id); }
  std::size_t size() const { return ids_.size(); }

 private:
  std::set<std::string> ids_;
};

}  // namespace qps
