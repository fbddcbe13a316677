#include "pubsub/wire/envelope.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/byte_io.h"

namespace qps {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kBegins = 1;
constexpr std::uint8_t kVital = 2;
// Times beyond this many µs (35 years of uptime) would not fit a Timestamp's arithmetic.
constexpr std::uint64_t kMaxMicroseconds = std::uint64_t{1} << 50;

std::uint64_t to_wire(Duration d) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(d).count());
}

}  // namespace

std::uint64_t position_of(const FragmentId& id) {
  return (static_cast<std::uint64_t>(id.part.item) * kMaxParts + id.part.part) * kMaxFragments +
         id.fragment;
}

std::optional<FragmentId> fragment_at(std::uint64_t position) {
  const std::uint64_t part = position / kMaxFragments;
  const std::uint64_t item = part / kMaxParts;
  if (item > static_cast<std::uint64_t>(kMaxItem)) return std::nullopt;
  return FragmentId{.part = {.item = static_cast<std::int64_t>(item),
                             .part = static_cast<std::uint8_t>(part % kMaxParts)},
                    .fragment = static_cast<std::uint8_t>(position % kMaxFragments)};
}

std::vector<Payload> to_fragments(const Envelope& envelope, const Payload& data) {
  const std::size_t size =
      std::max(kFragmentSize, (data.size() + kMaxFragments - 1) / kMaxFragments);
  const std::size_t count = std::max<std::size_t>(1, (data.size() + size - 1) / size);
  std::vector<std::byte> head;
  qvid::ByteWriter out(head);
  out.u8(kVersion);
  out.u8(
      static_cast<std::uint8_t>((envelope.begins ? kBegins : 0) | (envelope.vital ? kVital : 0)));
  out.u8(envelope.importance);
  out.u8(static_cast<std::uint8_t>(count));
  out.u64(to_wire(envelope.due.time_since_epoch()));
  out.varint(to_wire(envelope.useful_for));
  out.u8(static_cast<std::uint8_t>(envelope.depends_on.size()));
  for (const Dependency& d : envelope.depends_on) {
    out.u8(d.items_back);
    out.u8(d.part);
  }
  std::vector<Payload> fragments;
  const std::size_t first = std::min(size, data.size());
  qvid::PayloadBuilder builder(head.size() + first);
  builder.append(head);
  builder.append(data.bytes().first(first));
  fragments.push_back(std::move(builder).take());
  for (std::size_t at = first; at < data.size(); at += size) {
    fragments.push_back(data.slice(at, std::min(size, data.size() - at)));
  }
  return fragments;
}

Result<FirstFragment> parse_first_fragment(const Payload& payload) {
  qvid::ByteReader in(payload.bytes());
  if (in.u8() != kVersion) return Error{"an envelope of an unknown version"};
  const std::uint8_t flags = in.u8();
  FirstFragment first;
  Envelope& e = first.envelope;
  e.begins = (flags & kBegins) != 0;
  e.vital = (flags & kVital) != 0;
  e.importance = in.u8();
  e.fragments = in.u8();
  const std::uint64_t due = in.u64();
  const std::uint64_t useful_for = in.varint();
  const std::size_t dependencies = in.u8();
  if (in.failed() || (flags & ~(kBegins | kVital)) != 0 || e.fragments == 0 ||
      e.fragments > kMaxFragments || due > kMaxMicroseconds ||
      useful_for > to_wire(kMaxUsefulFor) || dependencies > kMaxDependencies) {
    return Error{"a malformed envelope"};
  }
  e.due = Timestamp(std::chrono::microseconds(static_cast<std::int64_t>(due)));
  e.useful_for = std::chrono::microseconds(static_cast<std::int64_t>(useful_for));
  for (std::size_t i = 0; i < dependencies; ++i) {
    const std::uint8_t back = in.u8();
    const std::uint8_t part = in.u8();
    if (part >= kMaxParts) return Error{"an envelope that depends on no part there is"};
    e.depends_on.push_back({.items_back = back, .part = part});
  }
  if (in.failed()) return Error{"a malformed envelope"};
  first.data = payload.slice(payload.size() - in.remaining(), in.remaining());
  return first;
}

}  // namespace qps
