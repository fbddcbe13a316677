// Flows with TCP's additive increase and multiplicative decrease over one link, in virtual time:
// just enough of a congestion control to close a discipline's loop. Packets of 1000 bytes, a window
// that grows by one a round trip and is halved once a round trip at a mark or a gap; acks come back
// without loss. No retransmission: what is lost is not missed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "lab/emulator/link.h"
#include "tests/lab/ip_packets.h"

namespace qvid::lab {

class AimdFlows {
 public:
  static constexpr Duration kStep = 500us;

  // Round trips without a queue spread evenly over [shortest, shortest + spread].
  AimdFlows(Link& link, std::size_t count, bool ecn, Timestamp start, Duration shortest_back,
            Duration spread)
      : link_(link), ecn_(ecn), now_(start), flows_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      flows_[i].back =
          shortest_back + spread * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(count);
      flows_[i].begin = start + 50ms * static_cast<std::int64_t>(i);
    }
  }

  void run(Duration time) {
    for (const Timestamp end = now_ + time; now_ < end; now_ += kStep) {
      while (const auto packet = link_.pop(now_)) receive(*packet);
      for (std::size_t i = 0; i < flows_.size(); ++i) serve(flows_[i], static_cast<unsigned>(i));
    }
  }

 private:
  struct Ack {
    Timestamp at{};
    std::uint32_t number = 0;
    std::int64_t lost = 0;
    bool marked = false;
  };
  struct Flow {
    Duration back{};
    Timestamp begin{};
    Timestamp heard{};
    double window = 2;
    double threshold = 1e9;
    std::int64_t in_flight = 0;
    std::uint32_t next = 0;
    std::uint32_t expected = 0;  // by the receiver
    std::uint32_t recover = 0;   // no second decrease before this is acknowledged
    std::deque<Ack> acks;
  };

  void receive(const Packet& p) {
    const auto word = [&](std::size_t at) {
      return std::to_integer<std::uint32_t>(p.bytes[at]) << 8 |
             std::to_integer<std::uint32_t>(p.bytes[at + 1]);
    };
    Flow& flow = flows_[word(20)];
    const std::uint32_t number = word(28) << 16 | word(30);
    flow.acks.push_back(
        {p.due + flow.back, number, number - flow.expected, ecn_of(p.bytes) == Ecn::kCongestion});
    flow.expected = number + 1;
  }

  void serve(Flow& flow, unsigned index) {
    if (now_ < flow.begin) return;
    for (; !flow.acks.empty() && flow.acks.front().at <= now_; flow.acks.pop_front()) {
      const Ack& ack = flow.acks.front();
      flow.heard = now_;
      flow.in_flight = std::max<std::int64_t>(0, flow.in_flight - 1 - ack.lost);
      if ((ack.marked || ack.lost > 0) && ack.number >= flow.recover) {
        flow.threshold = flow.window = std::max(1.0, flow.window / 2);
        flow.recover = flow.next;
      } else {
        flow.window += flow.window < flow.threshold ? 1 : 1 / flow.window;
      }
    }
    if (flow.in_flight > 0 && now_ - flow.heard > 1s) {  // all were lost
      flow.in_flight = 0;
      flow.window = 1;
      flow.heard = now_;
    }
    while (static_cast<double>(flow.in_flight + 1) <= flow.window) {
      auto bytes = ip_bytes({.ecn = ecn_ ? Ecn::kCapable0 : Ecn::kNotCapable,
                             .protocol = 6,
                             .source_port = index,
                             .target_port = 80});
      put_word(bytes, 28, flow.next >> 16);
      put_word(bytes, 30, flow.next & 0xffff);
      if (flow.in_flight++ == 0) flow.heard = now_;
      ++flow.next;
      link_.push(std::move(bytes), now_);
    }
  }

  Link& link_;
  bool ecn_;
  Timestamp now_;
  std::vector<Flow> flows_;
};

}  // namespace qvid::lab
