// Criteria of a viewer that change while it watches: the broker takes new ones only so often, and
// what it refuses gives way to what was before.
//
//   want(B) --the broker's interval--> A becomes B
//   refused() --> what was current, and not refused for kTaken, when it was replaced
//
// Bound: one waits; the newest. Thread: the io_context's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "pubsub/broker/broker.h"
#include "transport/socket/timer.h"

namespace qvid::app {

class CriteriaTurn {
 public:
  // Somewhat over the broker's limit.
  static constexpr Duration kInterval = 5 * qps::Broker::kCriteriaInterval / 4;
  static constexpr Duration kTaken = std::chrono::seconds(2);

  // `watch`: the broker is to be told; calls told().
  CriteriaTurn(boost::asio::io_context& io, std::string first, std::function<void()> watch)
      : current_(std::move(first)), watch_(std::move(watch)), timer_(io) {}

  const std::string& current() const { return current_; }
  void want(std::string next) {
    if (std::exchange(next_, std::move(next))) return;
    const Timestamp now = steady_now();
    timer_.after(std::max(told_ + kInterval - now, Duration::zero()), [this] { take_turn(); });
  }
  // The broker was told current() just now.
  void told() { told_ = steady_now(); }
  void refused() {
    if (before_) current_ = *before_;
  }
  void stop() { timer_.cancel(); }

 private:
  void take_turn() {
    // Taken is what no refusal came for in a while.
    if (steady_now() - told_ > kTaken) before_ = current_;
    current_ = *std::exchange(next_, std::nullopt);
    watch_();
  }

  std::string current_;
  std::optional<std::string> before_;  // empty: the first ones
  std::optional<std::string> next_;
  const std::function<void()> watch_;
  Timestamp told_{};
  paceline::Timer timer_;
};

}  // namespace qvid::app
