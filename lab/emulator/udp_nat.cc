#include "lab/emulator/udp_nat.h"

#include <algorithm>
#include <functional>

#include "lab/emulator/flow.h"
#include "lab/emulator/header_words.h"

namespace qvid::lab {
namespace {

constexpr std::uint16_t kShift = 1009;  // a mapping's next port is no neighbour's

// Of the UDP header in an IPv4 packet; empty: there is none. flow_of has found its ports.
std::span<std::byte> udp_header(std::span<std::byte> packet) {
  constexpr std::size_t kUdpHeader = 8;
  const Flow flow = flow_of(packet);
  if (flow.transport != Transport::kUdp || !flow.has_ports) return {};
  if (std::to_integer<unsigned>(packet[0]) >> 4 != 4) return {};
  const std::size_t at = (std::to_integer<unsigned>(packet[0]) & 0xf) * 4u;
  return packet.size() < at + kUdpHeader ? std::span<std::byte>() : packet.subspan(at, kUdpHeader);
}

// With its checksum (0: it has none).
void change_word(std::span<std::byte> header, std::size_t at, unsigned word) {
  constexpr std::size_t kChecksum = 6;
  const unsigned before = word_at(header, at);
  put_word(header, at, word);
  const unsigned checksum = word_at(header, kChecksum);
  if (checksum == 0) return;
  const unsigned changed = changed_checksum(checksum, before, word);
  put_word(header, kChecksum, changed == 0 ? 0xffff : changed);
}

}  // namespace

UdpNat::UdpNat(std::vector<Duration> forgets) : forgets_(std::move(forgets)) {
  std::ranges::sort(forgets_, std::greater{});
}

void UdpNat::forget_where_due(Duration since) {
  while (!forgets_.empty() && since >= forgets_.back()) {
    forgets_.pop_back();
    shift_ = static_cast<std::uint16_t>(shift_ + kShift);
    knows_all_ = false;
    known_.clear();
  }
}

void UdpNat::send(std::span<std::byte> packet, Duration since) {
  forget_where_due(since);
  const std::span<std::byte> header = udp_header(packet);
  if (header.empty() || knows_all_) return;
  const auto inside = static_cast<std::uint16_t>(word_at(header, 0));
  known_.insert(inside);
  change_word(header, 0, static_cast<std::uint16_t>(inside + shift_));
}

bool UdpNat::receive(std::span<std::byte> packet, Duration since) {
  forget_where_due(since);
  const std::span<std::byte> header = udp_header(packet);
  if (header.empty() || knows_all_) return true;
  const auto inside = static_cast<std::uint16_t>(word_at(header, 2) - shift_);
  if (!known_.contains(inside)) return false;
  change_word(header, 2, inside);
  return true;
}

}  // namespace qvid::lab
