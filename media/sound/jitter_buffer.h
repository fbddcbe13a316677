// Packets of sound that have come and are not yet decoded, by number.
//
// Bound: kMostPackets, and kMostTime between captures. Beyond, what is that far from the one that
// came last goes, and the smallest numbers: they are the oldest, and what is heard is too late
// already. What is there twice counts once. Thread: one at a time. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "media/sound/sound_packet.h"

namespace qvid::media {

class JitterBuffer {
 public:
  static constexpr std::size_t kMostPackets = 256;
  static constexpr Duration kMostTime = std::chrono::seconds(3);

  struct Entry {
    std::uint64_t number = 0;
    SoundPacket packet{};
    Timestamp end() const { return packet.captured + packet.duration; }
  };

  void add(std::uint64_t number, SoundPacket packet) {
    const Timestamp captured = packet.captured;
    packets_.try_emplace(number, Entry{.number = number, .packet = std::move(packet)});
    std::erase_if(packets_, [&](const auto& item) {
      return std::chrono::abs(item.second.packet.captured - captured) > kMostTime;
    });
    if (packets_.size() > kMostPackets) packets_.erase(packets_.begin());
  }
  // Null where there is none.
  const Entry* first() const { return packets_.empty() ? nullptr : &packets_.begin()->second; }
  // Precondition: not empty.
  Entry take() {
    Entry entry = std::move(packets_.begin()->second);
    packets_.erase(packets_.begin());
    return entry;
  }
  bool empty() const { return packets_.empty(); }
  std::size_t size() const { return packets_.size(); }
  void clear() { packets_.clear(); }

 private:
  std::map<std::uint64_t, Entry> packets_;
};

}  // namespace qvid::media
