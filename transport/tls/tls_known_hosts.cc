#include "transport/tls/tls_known_hosts.h"

#include <algorithm>

#include "transport/tls/tls.h"
#include "transport/tls/tls_files.h"

namespace paceline {
namespace {

constexpr std::string_view kHeader =
    "# Servers whose key this user has accepted, one a line: host:port fingerprint.\n"
    "# Remove a line to be asked anew, for example after a server was reinstalled.\n";
constexpr std::string_view kSpace = " \t\r";

// The next word of a line, taken off it.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  const auto word = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

std::vector<KnownHost> find_known_hosts(std::string_view text, std::string_view name) {
  std::vector<KnownHost> found;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (take_word(line) != name) continue;
    auto fingerprint = parse_fingerprint(take_word(line));
    const bool readable = fingerprint && take_word(line).empty();
    found.push_back({.line = number, .fingerprint = readable ? *std::move(fingerprint) : ""});
  }
  return found;
}

qvid::Result<std::vector<KnownHost>> KnownHosts::find(std::string_view name) const {
  const auto text = read_file(path_);
  if (!text) return text.error();
  return find_known_hosts(text->value_or(""), name);
}

std::optional<qvid::Error> KnownHosts::remember(const std::string& name,
                                                const std::string& fingerprint) const {
  if (auto error = make_private_folder(path_.parent_path())) return error;
  const auto lock = FileLock::take(path_.string() + ".lock");
  if (!lock) return lock.error();
  auto text = read_file(path_);
  if (!text) return text.error();
  std::string all = text->value_or(std::string(kHeader));
  const auto known = find_known_hosts(all, name);
  if (std::ranges::find(known, fingerprint, &KnownHost::fingerprint) != known.end()) return {};
  if (!known.empty()) {
    return qvid::Error{path_.string() + " has just got another key of " + name + ", in line " +
                       std::to_string(known.front().line)};
  }
  if (!all.empty() && !all.ends_with('\n')) all += '\n';
  all += name + " " + fingerprint + "\n";
  return write_file(path_, all);
}

}  // namespace paceline
