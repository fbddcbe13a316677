// The directory of a cluster, in which others have written whatever they like: keys and values, in
// any order. Each line is a key, a blank and a value; without a value the key is removed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "pubsub/cluster/directory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  qps::Directory directory(
      "a", {.incarnation = "i", .address = "h:1", .fingerprint = {}, .secret = "s", .region = {}});
  qvid::Timestamp now{std::chrono::seconds(1000)};
  directory.on_snapshot_begin();
  directory.on_snapshot_end(now);
  for (std::uint64_t revision = 1; !text.empty(); ++revision) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t blank = line.find(' ');
    const std::string_view key = line.substr(0, blank);
    if (blank == std::string_view::npos) {
      directory.on_removed(key, revision, now);
    } else {
      directory.on_entry(key, line.substr(blank + 1), revision, now);
    }
    if (const auto parsed = qps::parse_key(key)) {
      const auto again = std::visit([](const auto& k) { return qps::key_text(k); }, *parsed);
      if (again != key) std::abort();
    }
    now += std::chrono::milliseconds(300);
    directory.poll(now);
    for (const auto& op : directory.take_ops()) {
      directory.on_outcome(op.id, static_cast<qps::DirectoryOutcome>(op.id % 3), revision, now);
    }
    directory.take_events();
  }
  return 0;
}
