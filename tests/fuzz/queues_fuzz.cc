// Any packets through each discipline behind `PacketQueue`, and ECN marks on any bytes: the queue
// keeps its bound, no packet is invented or lost without being counted, and a packet comes out as
// it went in but for its mark.
//
// The input: the discipline (modulo 7), the limit in units of 500 bytes, then actions of two bytes:
// what (modulo 4: push, pop, new capacity, time passes) with flags, and a number; a push takes the
// packet's first bytes from the input after it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_io.h"
#include "lab/emulator/ecn.h"
#include "lab/emulator/flow_key.h"
#include "lab/emulator/link_spec.h"
#include "tests/fuzz/require.h"

namespace {

using qvid::fuzz::require;

using namespace qvid;
using namespace qvid::lab;

constexpr std::size_t kMostQueueActions = 3000;
constexpr std::size_t kNumber = 4;  // bytes at each packet's end that tell it from the others

// The header's one's complement sum, or 0 where there is no whole IPv4 header.
unsigned checksum(std::span<const std::byte> ip) {
  if (!traffic_class_of(ip) || std::to_integer<unsigned>(ip[0]) >> 4 != 4) return 0;
  const std::size_t header = (std::to_integer<std::size_t>(ip[0]) & 0xf) * 4;
  unsigned sum = 0;
  for (std::size_t i = 0; i < header; i += 2) {
    sum += std::to_integer<unsigned>(ip[i]) << 8 | std::to_integer<unsigned>(ip[i + 1]);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

// What a router may not change: all but the two bits and the checksum.
void check_same(std::span<const std::byte> in, std::span<const std::byte> out) {
  require(in.size() == out.size());
  const bool marked = ecn_of(in) != ecn_of(out);
  require(!marked || (ecn_of(in) != Ecn::kNotCapable && ecn_of(out) == Ecn::kCongestion));
  require((checksum(in) == 0xffff) == (checksum(out) == 0xffff));
  require(FlowKey::of(in) == FlowKey::of(out));
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!marked || (i != 1 && i != 10 && i != 11)) require(in[i] == out[i]);
  }
}

std::vector<std::byte> number_of(std::span<const std::byte> packet) {
  const auto end = packet.last(kNumber);
  return {end.begin(), end.end()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  ByteReader in(std::as_bytes(std::span(data, size)));
  DirectionSpec spec;
  spec.discipline = static_cast<Discipline>(in.u8() % 7);
  spec.queue_limit = ByteCount(1500 + 500 * in.u8());
  spec.schedule = RateSchedule(DataRate::from_kbps(1000));
  const auto queue = make_queue(spec);
  Timestamp now{1000s};
  std::deque<std::vector<std::byte>> inside;
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  for (std::size_t action = 0; action < kMostQueueActions && in.remaining() >= 2; ++action) {
    const unsigned what = in.u8();
    const unsigned number = in.u8();
    switch (what % 4) {
      case 0: {
        const std::size_t given = std::min<std::size_t>(number % 64, in.remaining());
        std::vector<std::byte> bytes(kNumber + number * 6 % 1496);
        const auto head = in.bytes(given);
        std::copy_n(head.begin(), std::min(given, bytes.size()), bytes.begin());
        for (unsigned copies = 1 + what / 32; copies > 0; --copies) {
          for (std::size_t i = 0; i < kNumber; ++i) {
            bytes[bytes.size() - 1 - i] = std::byte(pushed >> 8 * i & 0xff);
          }
          inside.push_back(bytes);
          ++pushed;
          queue->push({.bytes = bytes, .arrived = now, .due = {}}, now);
        }
        break;
      }
      case 1:
        if (const auto packet = queue->pop(now)) {
          ++popped;
          const auto it = std::ranges::find_if(inside, [&](const std::vector<std::byte>& bytes) {
            return number_of(bytes) == number_of(packet->bytes);
          });
          require(it != inside.end());
          check_same(*it, packet->bytes);
          // Those before it were dropped; of flows with queues of their own, those of this one.
          const FlowKey flow = FlowKey::of(packet->bytes);
          std::deque<std::vector<std::byte>> left;
          if (spec.discipline == Discipline::kFqCodel) {
            std::copy_if(inside.begin(), it, std::back_inserter(left),
                         [&](const auto& bytes) { return FlowKey::of(bytes) != flow; });
          }
          std::copy(it + 1, inside.end(), std::back_inserter(left));
          inside.swap(left);
        }
        break;
      case 2: queue->set_capacity(DataRate::from_kbps(1 + number * number * 15), now); break;
      default: now += Duration(std::int64_t{number} << (what / 4 % 40)); break;
    }
    require(queue->bytes() >= 0_B && queue->bytes() <= spec.queue_limit);
    require(popped + queue->dropped() <= pushed && queue->marked() <= pushed);
  }
  while (queue->pop(now)) ++popped;
  require(queue->bytes() == 0_B && popped + queue->dropped() == pushed);
  return 0;
}
