// FQ-CoDel (RFC 8290), what most Linux machines and home routers have today: each flow a queue of
// its own under CoDel, and each queue gets as many bytes in turn. Flows are hashed into kBins.
//
//   new:  [ 17 ] [ 502 ]          queues that were empty go first, once
//   old:  [ 3 ] [ 99 ] [ 640 ]    the others in turn, kQuantum each
//
// Bound: `limit` bytes; what is too much is dropped from the head of the queue with the most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "lab/emulator/codel.h"
#include "lab/emulator/packet_queue.h"

namespace qvid::lab {

class FqCodel : public PacketQueue {
 public:
  static constexpr std::size_t kBins = 1024;     // the RFC's
  static constexpr ByteCount kQuantum = 1500_B;  // a packet of the devices' size

  // `seed`: of the hash.
  FqCodel(ByteCount limit, std::uint64_t seed);

  void push(Packet packet, Timestamp now) override;
  std::optional<Packet> pop(Timestamp now) override;
  ByteCount bytes() const override { return bytes_; }

 private:
  enum class Turn : std::uint8_t { kNone, kNew, kOld };
  struct Bin {
    explicit Bin(ByteCount limit) : queue(limit) {}
    Codel queue;
    ByteCount deficit;
    Turn turn = Turn::kNone;
  };

  // Calls f(the bin's queue), and counts what that changed.
  template <class F>
  void count(Bin& bin, F f);
  void drop_from_the_longest();

  ByteCount limit_;
  std::uint64_t seed_;
  std::deque<Bin> bins_;
  std::deque<std::size_t> new_;
  std::deque<std::size_t> old_;
  ByteCount bytes_;
};

}  // namespace qvid::lab
