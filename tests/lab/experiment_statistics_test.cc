// Statistics of results made by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "lab/experiments/statistics.h"

namespace qvid::lab {
namespace {

constexpr std::int64_t kFairSlot = 100'000;  // 8 Mbit/s for one slot of 100 ms

// 8 Mbit/s, 3 s, of which the first is not measured; flows deliver the same in each slot.
RunResult run_of(const std::vector<std::int64_t>& delivered_a_slot) {
  RunResult run;
  run.spec.link = "up:rate=8mbit down:rate=1mbit";
  run.spec.duration = 3s;
  run.spec.warm_up = 1s;
  run.measured = 2s;
  for (const std::int64_t bytes : delivered_a_slot) {
    FlowSpec spec;
    spec.workload = Workload::kGreedy;
    run.spec.flows.push_back(spec);
    FlowResult flow;
    flow.group = "g" + std::to_string(run.flows.size());
    flow.slots.assign(30, FlowSlot{.oldest_unacked_ms = 20, .delivered = bytes});
    run.flows.push_back(flow);
  }
  return run;
}

TEST(Statistics, PercentileIsNearestRank) {
  EXPECT_TRUE(std::isnan(percentile({}, 0.5)));
  EXPECT_EQ(percentile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(percentile({3, 1, 2}, 0), 1);
  EXPECT_EQ(percentile({3, 1, 2}, 1), 3);
  std::vector<double> thousand;
  for (int i = 1000; i >= 1; --i) thousand.push_back(i);
  EXPECT_EQ(percentile(thousand, 0.999), 999);
  EXPECT_EQ(percentile(thousand, 0.5), 500);
  EXPECT_EQ(percentile({NAN, 7}, 0.5), 7);
}

TEST(Statistics, MeanOfNothingIsNothing) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_EQ(mean(std::vector<double>{1, 2, 6}), 3);
}

TEST(Statistics, OldestUnackedIsOfTheMeasuredSlotsThatAreKnown) {
  RunResult run = run_of({1, 1});
  run.flows[0].slots[9].oldest_unacked_ms = 900;  // warm-up
  run.flows[0].slots[10].oldest_unacked_ms = 70;
  run.flows[0].slots[29].oldest_unacked_ms = -1;
  const auto values = oldest_unacked_ms(run, of_group("g0"));
  EXPECT_EQ(values.size(), 19u);
  EXPECT_EQ(percentile(values, 1), 70);
  EXPECT_EQ(oldest_unacked_ms(run, of_group("")).size(), 39u);
  EXPECT_TRUE(oldest_unacked_ms(run, of_group("other")).empty());
}

TEST(Statistics, OldestUnackedLeavesOutSlotsInWhichTheFlowDoesNotRun) {
  RunResult run = run_of({1});
  run.flows[0].start = Timestamp(1550ms);
  run.spec.flows[0].stop = 2s;
  EXPECT_EQ(oldest_unacked_ms(run, of_group("")).size(), 4u);  // 1.6 to 2.0 s
}

TEST(Statistics, SharesAreOfTheFairShareOfTheWayUp) {
  const RunResult run = run_of({kFairSlot * 3 / 4, kFairSlot / 4});
  const auto more = shares(run, of_group("g0"), 500ms);
  ASSERT_EQ(more.size(), 4u);
  for (const double share : more) EXPECT_DOUBLE_EQ(share, 1.5);
  EXPECT_DOUBLE_EQ(mean(shares(run, of_group("g1"), 500ms)), 0.5);
}

TEST(Statistics, SharesCountFlowsThatRunThroughTheWindow) {
  RunResult run = run_of({kFairSlot / 2, kFairSlot / 2});
  run.flows[1].start = Timestamp(2200ms);
  const auto first = shares(run, of_group("g0"), 500ms);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_DOUBLE_EQ(first[0], 0.5);  // alone
  EXPECT_DOUBLE_EQ(first[2], 0.5);  // the other runs for a part of it
  EXPECT_DOUBLE_EQ(first[3], 1);
  EXPECT_EQ(shares(run, of_group("g1"), 500ms).size(), 1u);
}

TEST(Statistics, SharesLeaveOutBackgroundTraffic) {
  RunResult run = run_of({kFairSlot / 2, kFairSlot / 2, 10});
  run.flows[2].workload = Workload::kCbr;
  const auto values = shares(run, of_group(""), 1s);
  ASSERT_EQ(values.size(), 4u);
  for (const double share : values) EXPECT_DOUBLE_EQ(share, 1);
}

TEST(Statistics, SharesFollowTheLinksSchedule) {
  RunResult run = run_of({kFairSlot / 2});
  run.spec.link = "rate=8mbit rate@2s=4mbit outage=2500ms+500ms";
  const auto values = shares(run, of_group(""), 500ms);
  ASSERT_EQ(values.size(), 3u);  // none in the outage
  EXPECT_DOUBLE_EQ(values[1], 0.5);
  EXPECT_DOUBLE_EQ(values[2], 1);
}

TEST(Statistics, JainIsOneForEqualsAndOneOfAllForOne) {
  EXPECT_DOUBLE_EQ(jain(run_of({5, 5, 5, 5}), of_group(""), 500ms), 1);
  EXPECT_DOUBLE_EQ(jain(run_of({5, 0, 0, 0}), of_group(""), 500ms), 0.25);
  EXPECT_TRUE(std::isnan(jain(run_of({0, 0}), of_group(""), 500ms)));
}

TEST(Statistics, UtilisationIsOfTheWayUpAndTheMeasuredTime) {
  RunResult run = run_of({0});
  run.link.up.delivered_bytes = 1'000'000;  // of 2 s at 1 MB/s
  EXPECT_DOUBLE_EQ(utilisation(run), 0.5);
  run.spec.link = "rate=8mbit outage=1s+1s";
  EXPECT_DOUBLE_EQ(utilisation(run), 1);
  run.spec.link = "rate=20mbit police=8mbit";
  EXPECT_DOUBLE_EQ(utilisation(run), 0.5);
  run.spec.link = "nonsense";
  EXPECT_EQ(utilisation(run), 0);
}

TEST(Statistics, StarvedIsThePartOfWindowsWithNothing) {
  RunResult run = run_of({5, 0});
  EXPECT_DOUBLE_EQ(starved(run, of_group(""), 500ms), 0.5);
  run.flows[1].slots[10].delivered = 1;
  EXPECT_DOUBLE_EQ(starved(run, of_group("g1"), 500ms), 0.75);
  EXPECT_TRUE(std::isnan(starved(run, of_group("other"), 500ms)));
}

TEST(Statistics, ThroughputIsOfTheMeasuredTime) {
  RunResult run = run_of({kFairSlot, kFairSlot});
  run.flows[0].slots[0].delivered = 1'000'000'000;
  EXPECT_DOUBLE_EQ(throughput_bps(run, of_group("")), 16e6);
  EXPECT_DOUBLE_EQ(throughput_bps(run, of_group("g1")), 8e6);
}

TEST(Statistics, NothingMeasuredGivesNothing) {
  RunResult run = run_of({5});
  run.spec.warm_up = 5s;
  run.measured = {};
  EXPECT_TRUE(oldest_unacked_ms(run, of_group("")).empty());
  EXPECT_TRUE(shares(run, of_group(""), 500ms).empty());
  EXPECT_TRUE(std::isnan(jain(run, of_group(""), 500ms)));
  EXPECT_EQ(utilisation(run), 0);
  EXPECT_EQ(throughput_bps(run, of_group("")), 0);
}

TEST(Statistics, CdfHasBothEndsAndNoMoreThanItsPoints) {
  EXPECT_TRUE(cdf({}).empty());
  const std::vector<std::pair<double, double>> steps{{1, 0.5}, {2, 0.75}, {9, 1}};
  EXPECT_EQ(cdf({9, 1, 2, 1}), steps);
  std::vector<double> many;
  for (int i = 0; i < 5000; ++i) many.push_back(i);
  const auto line = cdf(many, 100);
  ASSERT_EQ(line.size(), 100u);
  EXPECT_EQ(line.front().first, 0);
  EXPECT_EQ(line.back(), (std::pair<double, double>(4999, 1)));
}

}  // namespace
}  // namespace qvid::lab
