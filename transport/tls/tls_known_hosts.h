// The file in which a client remembers servers: a line "host:port sha256:..." each, or
// "@ca host:port" where a public CA vouched for it, '#' before a comment. Lines that are neither are
// ignored and kept. Several lines for one server: any of the keys will do.
//
// Names are compared as normal_host makes them.
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
  bool by_ca = false;       // and has none: a CA vouched for it
};

// In small letters, without a dot at its end, an address in its one form (an IPv4 address also where
// it was written as IPv6).
std::string normal_host(std::string_view host);

// The lines for `name`, "host:port" with a normal host, of the file's text.
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
  // The same, that a CA vouched for it.
  std::optional<qvid::Error> remember_ca(const std::string& name) const;

 private:
  std::optional<qvid::Error> append(const std::string& name, const KnownHost& what) const;

  std::filesystem::path path_;
};

}  // namespace paceline
