#include "pubsub/cluster/directory_entry.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/ascii.h"
#include "pubsub/wire/control_fields.h"

namespace qps {
namespace {

constexpr std::size_t kMaxNodeName = 32;
constexpr std::size_t kMaxIncarnation = 32;
constexpr std::size_t kMaxAddressText = 300;
constexpr std::size_t kMaxFingerprint = 80;
constexpr std::string_view kNodePrefix = "node.";
constexpr std::string_view kNamePrefix = "name.";
constexpr std::string_view kLockPrefix = "lock.";
constexpr std::size_t kMaxLetIn = kMaxLockText / 4;  // names: each has quotes, a comma and a letter

constexpr auto kNode =
    record<NodeEntry>(required("version", &NodeEntry::version, Number<int>{}),
                      required("incarnation", &NodeEntry::incarnation, Text{kMaxIncarnation}),
                      required("address", &NodeEntry::address, Text{kMaxAddressText}),
                      optional("fingerprint", &NodeEntry::fingerprint, Text{kMaxFingerprint}),
                      required("secret", &NodeEntry::secret, Text{kMaxSecret}),
                      optional("region", &NodeEntry::region, Text{kMaxName}),
                      optional("draining", &NodeEntry::draining, Flag{}),
                      optional("members", &NodeEntry::members, Number<std::int64_t>{}),
                      optional("lease_ms", &NodeEntry::lease, Milliseconds{kMostLease}));
constexpr auto kNameRecord =
    record<NameEntry>(required("node", &NameEntry::node, Text{kMaxNodeName, is_node_name}),
                      required("incarnation", &NameEntry::incarnation, Text{kMaxIncarnation}),
                      optional("self", &NameEntry::self, Text{kMaxSelf + 8}));
constexpr auto kLock = record<LockEntry>(
    required("names", &LockEntry::names, ListOf{Text{kMaxName, is_name}, 0, kMaxLetIn}));

std::string hex(std::string_view bytes) {
  return qvid::hexadecimal(
      std::span(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::optional<std::string> unhex(std::string_view text) {
  if (text.empty() || text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

template <class Entry, class R>
std::string written(const R& fields, const Entry& entry) {
  nlohmann::json object = nlohmann::json::object();
  fields.write(object, entry);
  return dump(object);
}

template <class Entry, class R>
qvid::Result<Entry> parsed(const R& fields, std::string_view text, const char* what,
                           std::size_t most = kMaxEntryText) {
  if (text.size() > most) return qvid::Error{std::string(what) + " in the directory: too long"};
  const auto object = parse_object(text);
  if (!object) return qvid::Error{std::string(what) + " in the directory: no JSON object"};
  Entry entry;
  if (const char* wrong = fields.read(*object, entry)) {
    return qvid::Error{std::string(what) + " in the directory: '" + wrong +
                       "' is missing or not as it must be"};
  }
  return entry;
}

}  // namespace

bool is_node_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNodeName && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::string key_text(const NodeKey& key) { return std::string(kNodePrefix) + hex(key.node); }

std::string key_text(const NameKey& key) {
  return std::string(kNamePrefix) + hex(key.room) + "." + hex(key.name);
}

std::string key_text(const LockKey& key) { return std::string(kLockPrefix) + hex(key.room); }

qvid::Result<DirectoryKey> parse_key(std::string_view text) {
  if (text.starts_with(kNodePrefix)) {
    auto node = unhex(text.substr(kNodePrefix.size()));
    if (node && is_node_name(*node)) return DirectoryKey(NodeKey{*std::move(node)});
  } else if (text.starts_with(kNamePrefix)) {
    text.remove_prefix(kNamePrefix.size());
    const std::size_t dot = text.find('.');
    if (dot != std::string_view::npos) {
      auto room = unhex(text.substr(0, dot));
      auto name = unhex(text.substr(dot + 1));
      if (room && name && is_name(*room) && is_name(*name)) {
        return DirectoryKey(NameKey{.room = *std::move(room), .name = *std::move(name)});
      }
    }
  } else if (text.starts_with(kLockPrefix)) {
    auto room = unhex(text.substr(kLockPrefix.size()));
    if (room && is_name(*room)) return DirectoryKey(LockKey{*std::move(room)});
  }
  return qvid::Error{"a key in the directory that is no node's, no name's and no lock's"};
}

std::string serialise(const NodeEntry& entry) { return written(kNode, entry); }
std::string serialise(const NameEntry& entry) { return written(kNameRecord, entry); }
std::string serialise(const LockEntry& entry) {
  LockEntry fits;
  std::size_t left = kMaxLockText - 64;
  for (const std::string& name : entry.names) {
    const std::size_t most = 2 * name.size() + 3;  // each of its bytes may be escaped
    if (most > left) break;
    left -= most;
    fits.names.push_back(name);
  }
  return written(kLock, fits);
}

qvid::Result<NodeEntry> parse_node_entry(std::string_view text) {
  return parsed<NodeEntry>(kNode, text, "a node's entry");
}
qvid::Result<NameEntry> parse_name_entry(std::string_view text) {
  return parsed<NameEntry>(kNameRecord, text, "a name's entry");
}
qvid::Result<LockEntry> parse_lock_entry(std::string_view text) {
  return parsed<LockEntry>(kLock, text, "a lock's entry", kMaxLockText);
}

}  // namespace qps
