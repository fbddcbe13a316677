// A server's part in measuring the rate of the way to its clients (wire/measure.h).
//
// So that nobody makes a generator of traffic of it: only for who is let in, which the caller has
// seen; of one session kEach, one after the other; each of kMostMeasured bytes and kMeasuringTime at
// the most; of all clients together as many at once as it was told, and in the long run kBytes. What
// is beyond is told that it is not measured now.
//
// Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/token_bucket.h"
#include "pubsub/broker/filling.h"
#include "pubsub/broker/port.h"
#include "pubsub/wire/measure.h"

namespace qps {

struct MeasuringStats {
  std::int64_t begun = 0;
  std::int64_t put_off = 0;  // not measured, for the bounds
  qvid::ByteCount bytes{};   // of filling, delivered and taken
};

// Of all clients of a server.
class Measurements {
 public:
  static constexpr qvid::TokenRate kBytes{.per_second = 4e6, .burst = 128e6};

  // At once; zero: none.
  void set_most(std::size_t most) { most_ = most; }
  // One begins, which ends then at the latest; false: not now.
  bool take(qvid::Timestamp ends, qvid::Timestamp now);
  void note(qvid::ByteCount bytes);
  const MeasuringStats& stats() const { return stats_; }

 private:
  std::size_t most_ = 4;
  std::vector<qvid::Timestamp> running_;  // their ends, at most most_
  qvid::TokenBucket bytes_;
  MeasuringStats stats_;
};

// Of one client; Measurements and the port outlive it.
class Measurement {
 public:
  static constexpr int kEach = 4;

  Measurement(Measurements& all, Port& port) : all_(all), port_(port) {}
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

  // What the client is told, and then start(). Precondition: the stream of one on its way up is not
  // used otherwise.
  Measuring begin(const Measure& wanted, qvid::Timestamp now);
  void start(qvid::Timestamp now);
  // Of any message of the session; true: it was for measuring.
  bool on_ended(const paceline::MessageEnded& ended, qvid::Timestamp now);
  bool on_arrived(const paceline::MessageArrived& message);

 private:
  Measurements& all_;
  Port& port_;
  int begun_ = 0;
  qvid::Timestamp ends_{};  // of the last
  // Also when it has ended: its last messages still come.
  std::optional<Filling> down_;
  std::optional<paceline::StreamId> up_;
  qvid::ByteCount up_left_{};
};

}  // namespace qps
