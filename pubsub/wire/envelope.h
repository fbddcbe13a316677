// What travels on a publisher's data stream: items (frames of a video, states of a game) of up to
// sixteen parts, each in fragments, so that a broker hands on what it has while the rest still
// comes. The broker reads the envelope, never the data.
//
//   position := item * 1024 + part * 64 + fragment
//   first fragment (number 0) := envelope data          the others := data
//   envelope := version=1:u8 flags:u8 importance:u8 fragments:u8 due:u64 useful_for:varint
//               n:u8 n*(items_back:u8 part:u8)          times in µs, the publisher's clock
//
// The number of the item is not in the payload but in the message's position: each viewer has its
// own numbering, and all share one payload.
//
// Parsers take any bytes; what is malformed is an Error.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/dependency_rule.h"
#include "base/payload.h"
#include "base/result.h"
#include "base/units.h"

namespace qps {

using qvid::ByteCount;
using qvid::DataRate;
using qvid::Duration;
using qvid::Error;
using qvid::PartId;
using qvid::Payload;
using qvid::Result;
using qvid::Timestamp;

inline constexpr std::uint8_t kMaxParts = qvid::DependencyLog::kParts;
inline constexpr std::uint8_t kMaxFragments = 64;
inline constexpr std::int64_t kMaxItem = std::int64_t{1} << 50;  // a position fits a varint
inline constexpr std::size_t kMaxDependencies = 16;
inline constexpr std::size_t kMaxPart = 2 * 1024 * 1024;  // bytes of data
inline constexpr std::size_t kFragmentSize = 8 * 1024;    // bytes; larger where 64 are few
inline constexpr Duration kMaxUsefulFor = std::chrono::seconds(30);

struct FragmentId {
  PartId part;
  std::uint8_t fragment = 0;
  auto operator<=>(const FragmentId&) const = default;
};

std::uint64_t position_of(const FragmentId& id);
// Empty: no item has such a number.
std::optional<FragmentId> fragment_at(std::uint64_t position);

// A part that this one is of no use without.
using Dependency = qvid::PartDependency;

struct Envelope {
  // A receiver can begin with this item, here and in all its parts.
  bool begins = false;
  // Without it nothing of the item is of use: where it breaks, a beginning is asked for.
  bool vital = false;
  std::uint8_t importance = 0;  // 255 goes first
  std::uint8_t fragments = 1;   // 1..kMaxFragments
  Timestamp due{};              // when the item falls due, on the publisher's clock
  Duration useful_for{};        // how long after the item later ones need it; 0..kMaxUsefulFor
  std::vector<Dependency> depends_on{};
};

// The fragments of a part, in order; all but the first share `data`. Preconditions: data.size() <=
// kMaxPart; `envelope` within its ranges; its `fragments` is set here.
std::vector<Payload> to_fragments(const Envelope& envelope, const Payload& data);

struct FirstFragment {
  Envelope envelope;
  Payload data;  // shares the payload
};
Result<FirstFragment> parse_first_fragment(const Payload& payload);

}  // namespace qps
