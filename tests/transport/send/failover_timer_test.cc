// 000 equation 4.1: when a channel is given up.
#include "transport/send/failover.h"

#include <gtest/gtest.h>

namespace paceline::failover_timer_test {
namespace {

using qvid::operator""ms;
using qvid::operator""s;
using qvid::Duration;
using qvid::Timestamp;

const Timestamp t0{Duration(1s)};

RttEstimator path(std::initializer_list<Duration> samples) {
  RttEstimator rtt;
  for (const Duration s : samples) rtt.add(s);
  return rtt;
}

TEST(FailoverTimer, ThresholdIsEquation41) {
  const FailoverTimer timer;
  EXPECT_EQ(timer.threshold(path({})), Duration(1s));          // nothing is known
  EXPECT_EQ(timer.threshold(path({10ms})), Duration(225ms));   // 10 + 5·5: the minimum
  EXPECT_EQ(timer.threshold(path({100ms})), Duration(350ms));  // 100 + 5·50
  const RttEstimator varies = path({100ms, 180ms});
  EXPECT_EQ(varies.rtt(), Duration(110ms));
  EXPECT_EQ(varies.variation(), Duration(80ms));  // the maximum, at once
  EXPECT_EQ(timer.threshold(varies), Duration(510ms));
}

TEST(FailoverTimer, RunsOnlyWhileSomethingIsInFlight) {
  const FailoverTimer timer;
  EXPECT_EQ(timer.deadline(qvid::kNever, path({10ms})), qvid::kNever);
  EXPECT_EQ(timer.deadline(t0, path({10ms})), t0 + 225ms);
}

TEST(FailoverTimer, AnAcknowledgementStartsItAgain) {
  FailoverTimer timer;
  timer.on_progress(t0 + 100ms, true);
  EXPECT_EQ(timer.deadline(t0, path({10ms})), t0 + 325ms);
  EXPECT_EQ(timer.deadline(t0 + 200ms, path({10ms})), t0 + 425ms);
}

TEST(FailoverTimer, DoublesUntilTheRoundTripIsMeasured) {
  FailoverTimer timer;
  const RttEstimator rtt = path({10ms});
  for (const Duration expected : {450ms, 900ms, 1800ms, 3600ms, 4000ms, 4000ms, 4000ms, 4000ms}) {
    timer.on_failover(t0);
    EXPECT_EQ(timer.threshold(rtt), expected);
  }
  timer.on_progress(t0, false);  // for what the socket before has brought, perhaps
  EXPECT_EQ(timer.threshold(rtt), Duration(4s));
  timer.on_progress(t0, true);
  EXPECT_EQ(timer.threshold(rtt), Duration(225ms));
  // A path slower than the maximum keeps its own threshold.
  timer.on_failover(t0);
  EXPECT_EQ(timer.threshold(path({2000ms})), Duration(7s));
}

}  // namespace
}  // namespace paceline::failover_timer_test
