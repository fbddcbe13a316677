// What waits in front of an emulated link's transmitter. One small class for each discipline.
//
// Sans-I/O: `now` is the link's own virtual time, exact however late the shell was woken, and never
// goes back. The packet in transmission has left the queue. Invariant of every queue: bytes() has a
// bound that was given when it was made, or the queue states another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lab/emulator/packet.h"

namespace qvid::lab {

class PacketQueue {
 public:
  PacketQueue() = default;
  PacketQueue(const PacketQueue&) = delete;
  PacketQueue& operator=(const PacketQueue&) = delete;
  virtual ~PacketQueue() = default;

  // Takes the packet, or drops one (this or another).
  virtual void push(Packet packet, Timestamp now) = 0;
  // The next to transmit; nothing where none is left. A discipline may drop or mark here, too.
  virtual std::optional<Packet> pop(Timestamp now) = 0;
  virtual ByteCount bytes() const = 0;

  // What the transmitter sends from `now` on, for disciplines that are laid out for a rate. Told
  // before the first packet and at the first packet after a change. Precondition: positive.
  virtual void set_capacity(DataRate /*capacity*/, Timestamp /*now*/) {}
  // How likely it marks or drops a packet now, where the discipline knows; else its user measures.
  virtual std::optional<double> notification_probability() const { return std::nullopt; }

  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t marked() const { return marked_; }  // ECN: congestion experienced

 protected:
  std::uint64_t dropped_ = 0;
  std::uint64_t marked_ = 0;
};

}  // namespace qvid::lab
