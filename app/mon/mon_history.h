// What `qvid mon` knows of a log: the samples of each session, in the order of time.
//
// Bounds: kMaxSessions, then the one that has been silent longest goes; kMaxSamples each, then
// every second one goes and from then on every second one is left out, and so on. Counters lose
// nothing by that. A log that begins again (its time goes back) begins again here. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "transport/session/signal_sample.h"

namespace qvid::app {

using Samples = std::deque<paceline::SignalSample>;

class SignalHistory {
 public:
  static constexpr std::size_t kMaxSessions = 32;
  static constexpr std::size_t kMaxSamples = 16384;
  // A session without a sample for so long has ended.
  static constexpr Duration kSilent = std::chrono::seconds(2);

  // Keeps so much of each session; without it all.
  explicit SignalHistory(std::optional<Duration> keep) : keep_(keep) {}

  void push(paceline::SignalSample sample);

  bool empty() const { return sessions_.empty(); }
  std::vector<std::uint64_t> sessions() const;
  const Samples* of(std::uint64_t session) const;  // null: there is none
  // The last one that began of those that go on; of none goes on, of all.
  std::optional<std::uint64_t> newest() const;
  Duration end() const { return end_; }  // the time of the latest sample

 private:
  struct Track {
    Samples samples;
    std::uint64_t stride = 1;
    std::uint64_t seen = 0;
  };

  std::optional<Duration> keep_;
  std::map<std::uint64_t, Track> sessions_;
  Duration end_{};
};

}  // namespace qvid::app
