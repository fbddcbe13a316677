#include "transport/tls/tls_known_hosts.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "base/ascii.h"
#include "transport/socket/address.h"
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

constexpr std::string_view kByCa = "@ca";

bool is_name(std::string_view word, std::string_view name) {
  if (word == name) return true;
  const auto address = parse_address(word, 0);
  return address &&
         Address{.host = normal_host(address->host), .port = address->port}.text() == name;
}

}  // namespace

std::string normal_host(std::string_view host) {
  std::string text = qvid::lower_case(host);
  if (text.size() > 1 && text.ends_with('.')) text.pop_back();
  namespace ip = boost::asio::ip;
  boost::system::error_code not_numeric;
  const ip::address address = ip::make_address(text, not_numeric);
  if (not_numeric) return text;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).to_string();
  }
  return address.to_string();
}

std::vector<KnownHost> find_known_hosts(std::string_view text, std::string_view name) {
  std::vector<KnownHost> found;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    auto word = take_word(line);
    const bool by_ca = word == kByCa;
    if (by_ca) word = take_word(line);
    if (!is_name(word, name)) continue;
    if (by_ca) {
      found.push_back({.line = number, .fingerprint = {}, .by_ca = true});
      continue;
    }
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
  return append(name, {.fingerprint = fingerprint});
}

std::optional<qvid::Error> KnownHosts::remember_ca(const std::string& name) const {
  return append(name, {.fingerprint = {}, .by_ca = true});
}

std::optional<qvid::Error> KnownHosts::append(const std::string& name,
                                              const KnownHost& what) const {
  if (auto error = make_private_folder(path_.parent_path())) return error;
  const auto lock = FileLock::take(path_.string() + ".lock");
  if (!lock) return lock.error();
  auto text = read_file(path_);
  if (!text) return text.error();
  std::string all = text->value_or(std::string(kHeader));
  const auto known = find_known_hosts(all, name);
  const bool is_there = std::ranges::any_of(known, [&](const KnownHost& each) {
    return each.fingerprint == what.fingerprint && each.by_ca == what.by_ca;
  });
  if (is_there) return {};
  if (!known.empty()) {
    return qvid::Error{path_.string() + " has just got another key of " + name + ", in line " +
                       std::to_string(known.front().line)};
  }
  if (!all.empty() && !all.ends_with('\n')) all += '\n';
  all += what.by_ca ? std::string(kByCa) + " " + name + "\n" : name + " " + what.fingerprint + "\n";
  return write_file(path_, all);
}

}  // namespace paceline
