// What the directory of a cluster of brokers holds: a key for each node, one for each member of a
// room on any node, and one for each locked room. All are text that NATS takes: keys of letters, digits, '.', values of JSON.
//
//   node.<name in hex>                 {"version":1,"incarnation":"...","address":"host:port",...}
//   name.<room in hex>.<name in hex>   {"node":"east-1","incarnation":"...","self":"..."}
//   lock.<room in hex>                 {"names":["Ann",...]}
//
// Whoever reads them can join as any member and link to any node: docs/security.md. What others wrote
// is read within bounds, and what does not parse is an Error. Pure. Thread: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace qps {

// What brokers of a cluster say to each other; who says another is not spoken to.
inline constexpr int kClusterVersion = 1;
inline constexpr std::size_t kMaxSecret = 64;           // bytes, of a link's
inline constexpr std::size_t kMaxEntryText = 4 * 1024;  // bytes, of a value: more is no entry
inline constexpr std::size_t kMaxLockText = 64 * 1024;  // of a lock's

// Of a node's lease; of many nodes it is longer (Directory::put_every).
inline constexpr qvid::Duration kLeastLease = std::chrono::seconds(3);
inline constexpr qvid::Duration kMostLease = std::chrono::minutes(1);

struct NodeEntry {
  int version = kClusterVersion;
  std::string incarnation;  // made anew at each start, so that a restarted node is another
  std::string address;      // host:port, as others reach it
  std::string fingerprint;  // of its key; empty: it has no TLS
  std::string secret;       // who says it may link (ToBroker Link)
  std::string region;
  bool draining = false;
  std::int64_t members = 0;            // on it
  qvid::Duration lease = kLeastLease;  // so long after a word it lives without another one
  bool operator==(const NodeEntry&) const = default;
};
struct NameEntry {
  std::string node;
  std::string incarnation;  // of that node
  std::string self;         // by which its member is known again; empty: by nothing
  bool operator==(const NameEntry&) const = default;
};
// Of a locked room.
struct LockEntry {
  std::vector<std::string> names;  // whom it lets in
  bool operator==(const LockEntry&) const = default;
};

struct NodeKey {
  std::string node;
  bool operator==(const NodeKey&) const = default;
};
struct NameKey {
  std::string room;
  std::string name;
  auto operator<=>(const NameKey&) const = default;
};
struct LockKey {
  std::string room;
  bool operator==(const LockKey&) const = default;
};
using DirectoryKey = std::variant<NodeKey, NameKey, LockKey>;

// A node's name: 1..32 of a-z, 0-9 and the hyphen.
bool is_node_name(std::string_view text);

std::string key_text(const NodeKey& key);
std::string key_text(const NameKey& key);
std::string key_text(const LockKey& key);
qvid::Result<DirectoryKey> parse_key(std::string_view text);

std::string serialise(const NodeEntry& entry);
std::string serialise(const NameEntry& entry);
// Names beyond kMaxLockText are left out: they are let in anew.
std::string serialise(const LockEntry& entry);
qvid::Result<NodeEntry> parse_node_entry(std::string_view text);
qvid::Result<NameEntry> parse_name_entry(std::string_view text);
qvid::Result<LockEntry> parse_lock_entry(std::string_view text);

}  // namespace qps
