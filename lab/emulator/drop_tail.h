// First in, first out; what does not fit is dropped. Bound: `limit` bytes of packets.
#pragma once

#include <utility>

#include "base/ring_buffer.h"
#include "lab/emulator/packet_queue.h"

namespace qvid::lab {

class DropTail : public PacketQueue {
 public:
  explicit DropTail(ByteCount limit) : limit_(limit) {}

  void push(Packet packet, Timestamp /*now*/) override {
    if (bytes_ + packet.size() > limit_) {
      ++dropped_;
      return;
    }
    bytes_ += packet.size();
    packets_.push_back(std::move(packet));
  }
  std::optional<Packet> pop(Timestamp /*now*/) override {
    if (packets_.empty()) return std::nullopt;
    Packet first = std::move(packets_.front());
    packets_.pop_front();
    bytes_ -= first.size();
    return first;
  }
  ByteCount bytes() const override { return bytes_; }

 private:
  ByteCount limit_;
  ByteCount bytes_;
  RingBuffer<Packet> packets_;
};

}  // namespace qvid::lab
