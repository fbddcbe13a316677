// One direction of a TCP connection in virtual time, reduced to what an engine can see of one: a
// send buffer, a fixed congestion window, a bottleneck that serialises segments at a rate, a delay,
// and kernel acknowledgements that come back after another delay.
//
// No loss: to the engine, loss is delay, and a stall is all that is delayed at once: nothing
// arrives until it ends, and then what is on its way does. A receiver that does not read leaves the
// window shut once its buffer is full.
#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "transport/control/controller.h"

namespace paceline {

struct LinkConfig {
  qvid::DataRate rate = qvid::DataRate::from_kbps(8000);  // all connections of a direction together
  Duration delay = std::chrono::milliseconds(15);         // one way
  std::uint32_t cwnd = 22;                                // segments
  ByteCount mss{1400};
  ByteCount send_buffer{256 * 1024};
  ByteCount receive_buffer{128 * 1024};
};

class SimulatedTcp {
 public:
  // `config` may change meanwhile. `free_at`: when the bottleneck, which others may share, has sent
  // all before.
  SimulatedTcp(const LinkConfig& config, Timestamp& free_at) : config_(config), free_at_(free_at) {}

  std::size_t room() const {
    const std::size_t size = config_.send_buffer.size();
    return unacked() < size ? size - unacked() : 0;
  }
  void write(std::span<const std::byte> bytes) {
    unsent_.insert(unsent_.end(), bytes.begin(), bytes.end());
    written_ += bytes.size();
  }
  SocketSample sample() const {
    return {.cwnd = config_.cwnd,
            .sacked = 0,
            .mss = config_.mss,
            .unacked = ByteCount::of(unacked()),
            .unsent = ByteCount::of(unsent_.size() - taken_)};
  }
  std::size_t unacked() const { return written_ - acked_; }
  std::size_t written() const { return written_; }
  void set_reading(bool reading) { reading_ = reading; }
  // Nothing arrives, in either sense, before `until`; kNever: any more.
  void stall(Timestamp until) { stalled_until_ = std::max(stalled_until_, until); }
  Timestamp stalled_until() const { return stalled_until_; }
  bool stalled(Timestamp now) const { return now < stalled_until_; }
  // The writer has gone: what is not on its way never will be.
  void drop_unsent() {
    written_ -= unsent_.size() - taken_;
    unsent_.clear();
    taken_ = 0;
  }
  // All that was written has arrived and was read.
  bool drained() const { return delivered_ == written_; }

  // What has come by `now`, in order; acknowledges it and sends what the window allows.
  void advance(Timestamp now, std::vector<std::byte>& into) {
    if (!stalled(now)) {
      while (!flying_.empty() && flying_.front().arrives <= now) {
        const Segment& s = flying_.front();
        received_.insert(received_.end(), s.bytes.begin(), s.bytes.end());
        acks_.push_back({std::max(s.arrives, stalled_until_) + config_.delay, s.bytes.size()});
        flying_.pop_front();
      }
      while (!acks_.empty() && acks_.front().first <= now) {
        acked_ += acks_.front().second;
        acks_.pop_front();
      }
    }
    if (reading_) {
      into.insert(into.end(), received_.begin(), received_.end());
      delivered_ += received_.size();
      received_.clear();
    }
    send(now);
  }
  Timestamp next_event() const {
    Timestamp next = qvid::kNever;
    if (!flying_.empty()) next = flying_.front().arrives;
    if (!acks_.empty()) next = std::min(next, acks_.front().first);
    return next == qvid::kNever ? next : std::max(next, stalled_until_);
  }

 private:
  struct Segment {
    Timestamp arrives;
    std::vector<std::byte> bytes;
  };

  void send(Timestamp now) {
    while (taken_ < unsent_.size() && sent_ - acked_ < config_.mss.size() * config_.cwnd &&
           sent_ - delivered_ < config_.receive_buffer.size()) {
      const std::size_t size = std::min(unsent_.size() - taken_, config_.mss.size());
      const auto begin = unsent_.begin() + static_cast<std::ptrdiff_t>(taken_);
      free_at_ = std::max(free_at_, now) + config_.rate.transfer_time(ByteCount::of(size));
      flying_.push_back(
          {free_at_ + config_.delay, {begin, begin + static_cast<std::ptrdiff_t>(size)}});
      taken_ += size;
      sent_ += size;
    }
    if (taken_ == unsent_.size()) {
      unsent_.clear();
      taken_ = 0;
    }
  }

  const LinkConfig& config_;
  Timestamp& free_at_;
  std::vector<std::byte> unsent_;  // behind the first taken_ bytes
  std::size_t taken_ = 0;
  std::deque<Segment> flying_;
  std::deque<std::pair<Timestamp, std::size_t>> acks_;
  std::vector<std::byte> received_;  // not read by the application
  Timestamp stalled_until_{};
  std::size_t written_ = 0;
  std::size_t sent_ = 0;
  std::size_t acked_ = 0;
  std::size_t delivered_ = 0;
  bool reading_ = true;
};

}  // namespace paceline
