// The file in which a client remembers servers: a line "host:port sha256:..." each, '#' before a
// comment. Lines that are neither are ignored and kept. Several lines for one server: any of the
// keys will do.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paceline {

struct KnownHost {
  std::size_t line = 0;     // counted from 1
  std::string fingerprint;  // empty: the line names the server and its fingerprint cannot be read
};

// The lines for `name`, of the file's text.
std::vector<KnownHost> find_known_hosts(std::string_view text, std::string_view name);

class KnownHosts {
 public:
  explicit KnownHosts(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  // What stands there of `name` now; none where there is no file yet.
  qvid::Result<std::vector<KnownHost>> find(std::string_view name) const;
  // Appends. Nothing, or the error; also where another has just remembered another key of it.
  std::optional<qvid::Error> remember(const std::string& name,
                                      const std::string& fingerprint) const;

 private:
  std::filesystem::path path_;
};

}  // namespace paceline
