// The dumbbell's one narrow link: a drop-tail queue of bytes in front of a line with a rate.
// Invariant: what waits, the packet on the line included, is at most `queue` bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <utility>

#include "base/units.h"
#include "lab/simulator/event_loop.h"

namespace qvid::lab::simulator {

// One TCP segment on its way.
struct Packet {
  std::size_t flow = 0;
  std::int64_t sequence = 0;  // of its first byte
  std::int64_t bytes = 0;     // of payload
};

// IPv4 (20), TCP (20) and its time stamps (12).
inline constexpr std::int64_t kPacketHeader = 52;

class Bottleneck {
 public:
  using Deliver = std::function<void(const Packet&)>;

  Bottleneck(EventLoop& loop, DataRate rate, ByteCount queue, double loss, std::uint64_t seed,
             Deliver deliver)
      : loop_(loop),
        rate_(rate),
        limit_(queue),
        loss_(loss),
        random_(seed),
        deliver_(std::move(deliver)) {}

  void set_rate(DataRate rate) { rate_ = rate; }  // from the next packet on
  void set_loss(double loss) { loss_ = loss; }

  void offer(const Packet& packet) {
    const ByteCount size(packet.bytes + kPacketHeader);
    const bool unlucky = loss_ > 0 && std::bernoulli_distribution(loss_)(random_);
    // A packet alone always fits, however short the queue.
    if (unlucky || (!waiting_.empty() && waiting_bytes_ + size > limit_)) {
      ++dropped_;
      return;
    }
    waiting_.push_back(packet);
    waiting_bytes_ += size;
    if (waiting_.size() == 1) serve();
  }

  std::uint64_t dropped() const { return dropped_; }
  // Bytes that have left, headers included.
  ByteCount served() const { return served_; }
  ByteCount waiting() const { return waiting_bytes_; }

 private:
  void serve() {
    const ByteCount size(waiting_.front().bytes + kPacketHeader);
    loop_.after(rate_.transfer_time(size), [this, size] {
      const Packet packet = waiting_.front();
      waiting_.pop_front();
      waiting_bytes_ -= size;
      served_ += size;
      deliver_(packet);
      if (!waiting_.empty()) serve();
    });
  }

  EventLoop& loop_;
  DataRate rate_;
  ByteCount limit_;
  double loss_;
  std::mt19937_64 random_;
  Deliver deliver_;
  std::deque<Packet> waiting_;
  ByteCount waiting_bytes_;
  ByteCount served_;
  std::uint64_t dropped_ = 0;
};

}  // namespace qvid::lab::simulator
