// What a link is like, and the text a person writes for it:
//
//   rate=2mbit delay=20ms queue=1s loss=0.5% outage=10s+20s rate@30s=600kbit seed=7
//   down:rate=16mbit up:rate=1mbit delay=15ms
//   lte loss=1%                       a named link, and what differs from it
//
// Words go from left to right, and a later one counts. Both directions are the same unless a word
// begins with `up:` (near to far) or `down:` (far to near). docs/lab.md explains each word.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "lab/emulator/packet_queue.h"
#include "lab/emulator/rate_schedule.h"

namespace qvid::lab {

inline constexpr DataRate kMaxRate = DataRate::from_bps(1'000'000'000);
// Of links; with kMostSeeds runs from it on, it fits into seed=.
inline constexpr std::uint64_t kMostSeed = 4'000'000'000;
inline constexpr DataRate kMinRate = DataRate::from_bps(1000);
inline constexpr Duration kMaxDelay = 10s;
inline constexpr ByteCount kMinQueue = 1500_B;  // one packet of the devices' size
inline constexpr ByteCount kMaxQueue = 32_MiB;
inline constexpr Duration kMaxTime = 24h;  // in schedules

// What waits before the transmitter, and what is dropped or marked: `aqm=`. docs/lab.md, "Queues".
enum class Discipline : std::uint8_t { kDropTail, kRed, kCodel, kArc, kSfg, kSfa, kFqCodel };

// Packets that do not come once and in order.
struct DisorderSpec {
  double later = 0;  // share of those that come `by` later than they would
  Duration by{};
  double twice = 0;  // share
};

// What becomes of UDP alone.
struct UdpSpec {
  bool drop = false;
  std::vector<Outage> outages{};    // in which none passes
  std::vector<Duration> forgets{};  // when a NAT before the sender forgets it (udp_nat.h)
  std::optional<DataRate> most{};   // what is beyond is dropped
};

// A policer before the queue: what is beyond `rate` and `burst` is dropped, however empty the line.
struct PolicerSpec {
  DataRate rate;
  ByteCount burst;
};

struct DirectionSpec {
  RateSchedule schedule{DataRate::from_kbps(100'000)};
  Duration delay{};
  ByteCount queue_limit = kMinQueue;  // in bytes, also where it was written as a time
  Discipline discipline = Discipline::kDropTail;
  double loss = 0;  // share of packets
  DisorderSpec disorder{};
  UdpSpec udp{};
  std::optional<PolicerSpec> policer{};
  // Positive: what was sent within such a time is handed on together at its end, as an access point
  // does that waits for its turn.
  Duration aggregate{};
  // To these TCP and UDP ports it is so much farther; positive. Not of the text.
  std::map<std::uint16_t, Duration> longer_ways{};
  std::uint64_t seed = 1;  // of the losses, and of the queue's choices
};

struct LinkSpec {
  DirectionSpec up;    // near to far
  DirectionSpec down;  // far to near
};

struct NamedLink {
  std::string_view name;
  std::string_view words;
  std::string_view description;
};
std::span<const NamedLink> named_links();

// The error names the word that is wrong and what may stand there.
Result<LinkSpec> parse_link(std::string_view text);

// The queue in front of the link that `spec` describes, laid out for its limit and first rate.
std::unique_ptr<PacketQueue> make_queue(const DirectionSpec& spec);

}  // namespace qvid::lab
