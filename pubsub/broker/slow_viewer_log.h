// Tells an operator, in plain words, who takes less than he is sent and what is dropped for him.
//
//   share of a second = lost / offered fragments of all his seats
//   begins: the share was above kSlow in each of kSlowSeconds    --> one sentence
//   ends:   it was below kWell in each of kWellSeconds           --> one sentence
//
// A second in which he was to be sent nothing (a pause) counts as neither. What is in between goes
// on as it was, so who hovers about a threshold is told of once.
//
// Bounds: of one viewer one beginning in kQuiet; of all together kMostLines beginnings in a minute.
// What is not told for that is told later if it is still so; an end is told of what was told to
// begin. Pure: `now` goes in. Thread: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pubsub/broker/seat_tally.h"

namespace qps {

class SlowViewerLog {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(1);
  static constexpr double kSlow = 0.05;
  static constexpr double kWell = 0.01;
  static constexpr int kSlowSeconds = 3;
  static constexpr int kWellSeconds = 10;
  static constexpr Duration kQuiet = std::chrono::minutes(1);
  static constexpr int kMostLines = 30;

  // What is remembered of one.
  struct Viewer {
    bool slow = false;
    int seconds = 0;  // running, that speak for a change of `slow`
    bool told = false;
    Timestamp since{};  // it is slow
    std::optional<Timestamp> told_at{};
    std::int64_t offered = 0;  // fragments, while it is slow
    std::int64_t lost = 0;
  };

  // What became of what one was sent.
  struct Second {
    std::string_view name;
    std::string_view who;    // its address
    std::string_view of;     // the publisher of whom the most was lost
    std::size_t others = 0;  // whom it watches too
    const SeatTally& tally;  // of all its seats
    Duration length{};       // about kInterval
  };

  // Once an interval for each viewer; a sentence for the log, or empty.
  std::optional<std::string> on_second(Viewer& viewer, const Second& second, Timestamp now);

 private:
  bool may_tell(const Viewer& viewer, Timestamp now);

  Timestamp minute_{};  // the one that lines are counted in
  int lines_ = 0;
};

}  // namespace qps
