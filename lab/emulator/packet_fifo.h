// Packets first in, first out, what disciplines keep them in. Bound: `limit` bytes of packets.
#pragma once

#include <optional>
#include <utility>

#include "base/ring_buffer.h"
#include "lab/emulator/packet.h"

namespace qvid::lab {

class PacketFifo {
 public:
  explicit PacketFifo(ByteCount limit) : limit_(limit) {}

  // False where the packet does not fit; then it is gone.
  bool push(Packet packet) {
    if (bytes_ + packet.size() > limit_) return false;
    bytes_ += packet.size();
    packets_.push_back(std::move(packet));
    return true;
  }
  std::optional<Packet> pop() {
    if (packets_.empty()) return std::nullopt;
    Packet first = std::move(packets_.front());
    packets_.pop_front();
    bytes_ -= first.size();
    return first;
  }
  ByteCount bytes() const { return bytes_; }
  ByteCount limit() const { return limit_; }

 private:
  ByteCount limit_;
  ByteCount bytes_;
  RingBuffer<Packet> packets_;
};

}  // namespace qvid::lab
