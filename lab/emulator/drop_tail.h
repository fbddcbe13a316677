// First in, first out; what does not fit is dropped. Bound: `limit` bytes of packets.
#pragma once

#include <utility>

#include "lab/emulator/packet_fifo.h"
#include "lab/emulator/packet_queue.h"

namespace qvid::lab {

class DropTail : public PacketQueue {
 public:
  explicit DropTail(ByteCount limit) : fifo_(limit) {}

  void push(Packet packet, Timestamp /*now*/) override {
    if (!fifo_.push(std::move(packet))) ++dropped_;
  }
  std::optional<Packet> pop(Timestamp /*now*/) override { return fifo_.pop(); }
  ByteCount bytes() const override { return fifo_.bytes(); }

 private:
  PacketFifo fifo_;
};

}  // namespace qvid::lab
