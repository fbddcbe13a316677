// What PACE promises, in virtual time. The bounds leave room for other seeds than this one.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "lab/simulator/experiment.h"
#include "lab/simulator/sweep.h"

namespace qvid::lab::simulator::simulator_pace_test {
namespace {

Experiment of(std::string_view flows, DataRate demand = DataRate::from_kbps(5000)) {
  Experiment e;
  e.flows = *parse_flows(flows, demand);
  e.duration = 25s;
  e.warm_up = 10s;
  return e;
}

TEST(Pace, FairAndPromptAmongItsOwnKind) {
  for (const auto& [flows, median] : {std::pair("pace:8", 60.0), {"pace:16", 68.0}}) {
    const auto r = run(of(flows));
    EXPECT_LT(r.kinds[0].median_ms, median) << flows;
    EXPECT_LT(r.kinds[0].p999_ms, 120) << flows;
    EXPECT_GT(r.utilisation, 0.97) << flows;
    EXPECT_GT(r.kinds[0].jain_500ms, 0.93) << flows;
    EXPECT_GT(r.kinds[0].least_share, 0.8) << flows;
  }
}

// Three chunks are under way of each: were all of them whole, whose are many would be chance.
TEST(Pace, OfFewChunksEachAllHaveTheirShare) {
  Experiment e = of("pace:8", DataRate());
  e.rate = DataRate::from_kbps(3000);
  e.queue = e.rate.bytes_in(300ms);
  e.duration = 30s;
  for (e.seed = 1; e.seed <= 6; ++e.seed) {
    const auto r = run(e);
    EXPECT_GT(r.kinds[0].least_share, 0.75) << e.seed;
    EXPECT_LT(r.kinds[0].median_ms, 80) << e.seed;
    EXPECT_GT(r.utilisation, 0.97) << e.seed;
  }
}

// They begin within half a second, on each other's queues, and their hosts' clocks differ as NTP
// leaves them. Of twenty seeds one or two take each other for competitors for a while.
TEST(Pace, ACrowdOf32MostlyStaysWithItsKind) {
  int stayed = 0;
  constexpr int kSeeds = 8;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    Experiment e = of("pace:32");
    e.warm_up = 15s;
    e.duration = 30s;
    e.clock_error = 10ms;
    e.seed = static_cast<std::uint64_t>(seed);
    const auto r = run(e);
    if (r.kinds[0].competing > 0.05) continue;
    ++stayed;
    EXPECT_LT(r.kinds[0].median_ms, 85) << seed;
    EXPECT_LT(r.kinds[0].p999_ms, 200) << seed;
    EXPECT_GT(r.kinds[0].jain_500ms, 0.93) << seed;
  }
  EXPECT_GE(stayed, kSeeds * 3 / 4);
}

// Their first dips fall on two ticks, as they begin; who decides by one of them takes those who begin
// just then for a competitor. In the four seconds that the three take it is settled.
TEST(Pace, ACrowdOf32IsSettledAfterFourSeconds) {
  int fair = 0;
  constexpr int kSeeds = 8;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    Experiment e = of("pace:32");
    e.warm_up = 4s;
    e.duration = 8s;
    e.seed = static_cast<std::uint64_t>(seed);
    const auto r = run(e);
    EXPECT_LT(r.kinds[0].competing, 0.05) << seed;
    fair += r.kinds[0].jain_500ms > 0.9 ? 1 : 0;
  }
  EXPECT_GE(fair, kSeeds * 3 / 4);
}

// Flows whose clocks are seconds apart dip alone, find each other's queue and compete, with
// the delay of a queue that TCP keeps full.
TEST(Pace, WrongClocksCostDelayAndStarveNobody) {
  Experiment e = of("pace:8");
  e.clock_error = 1s;
  e.duration = 40s;
  const auto r = run(e);
  EXPECT_LT(r.kinds[0].median_ms, 110);
  EXPECT_GT(r.kinds[0].least_share, 0.5);
  EXPECT_GT(r.utilisation, 0.95);
}

// A chunk takes long on such a line, and the base may be of a small record: that is no queue.
TEST(Pace, AloneOnANarrowLineItDoesNotCompete) {
  for (const int kbps : {150, 300, 1000}) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      Experiment e = of("pace", DataRate());
      e.rate = DataRate::from_kbps(kbps);
      e.rtt = 40ms;
      e.queue = e.rate.bytes_in(200ms) + ByteCount(5'000);
      e.seed = seed;
      const auto r = run(e);
      EXPECT_EQ(r.kinds[0].competing, 0) << kbps << " kbit/s, seed " << seed;
      EXPECT_GT(r.utilisation, 0.8) << kbps;
      EXPECT_LT(r.kinds[0].median_ms, 180) << kbps;
    }
  }
}

TEST(Pace, NeedsNoWordFromTheKernel) {
  const auto r = run(of("pace-blind:8"));
  EXPECT_LT(r.kinds[0].median_ms, 60);
  EXPECT_GT(r.kinds[0].jain_500ms, 0.93);
}

TEST(Pace, AloneItFillsTheLineAndKeepsTheQueueShort) {
  const auto r = run(of("pace", DataRate()));
  EXPECT_GT(r.utilisation, 0.95);
  EXPECT_LT(r.kinds[0].median_ms, 55);
}

TEST(Pace, ALateComerGetsItsShareAndNoMore) {
  Experiment e = of("pace:8,pace:1@10");
  e.warm_up = 20s;
  e.duration = 35s;
  const auto r = run(e);
  EXPECT_LT(r.flows.back().share, 1.15);
  EXPECT_GT(r.flows.back().share, 0.8);
  EXPECT_NEAR(to_ms(r.flows.back().slots.back().signals.base_rtt), 30.7, 5);
}

TEST(Pace, HoldsItsShareAgainstCubicAndLetsGo) {
  Experiment e = of("pace,cubic", DataRate());
  e.duration = 45s;
  double ours = 0, theirs = 0;
  constexpr int kSeeds = 4;
  for (e.seed = 1; e.seed <= kSeeds; ++e.seed) {
    const auto together = run(e);
    ours += together.kinds[0].share / kSeeds;
    theirs += together.kinds[1].share / kSeeds;
  }
  EXPECT_GT(ours, 0.5);
  EXPECT_GT(theirs, 0.8);
  e = of("pace:4,cubic:1@5-25/0");
  e.duration = 50s;
  e.warm_up = 40s;
  // One of two dozen takes its own kind for the one that left, for some time.
  int quiet = 0;
  for (e.seed = 1; e.seed <= kSeeds; ++e.seed) quiet += run(e).kinds[0].median_ms < 60;
  EXPECT_GE(quiet, kSeeds - 1);
}

// In the second to the fourth second of a competitor, before the verdict.
TEST(Pace, KeepsAPartOfItsRateUntilItKnowsOfACompetitor) {
  for (const auto queue : {200ms, 1000ms}) {
    double sum = 0, least = 1;
    constexpr int kSeeds = 6;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      Experiment e = of("pace:1,cubic:1@15", DataRate());
      e.rate = DataRate::from_kbps(2000);
      e.rtt = 60ms;
      e.queue = e.rate.bytes_in(queue);
      e.warm_up = 16s;
      e.duration = 19s;
      e.seed = static_cast<std::uint64_t>(seed);
      const double share = run(e).kinds[0].share;
      sum += share / kSeeds;
      least = std::min(least, share);
    }
    EXPECT_GT(sum, 0.2) << queue.count();
    EXPECT_GT(least, 0.12) << queue.count();
  }
}

// Who comes to a full queue takes a part of it for the path. That its dips do not empty the rest, though
// it is little more than its own, tells whose it is.
TEST(Pace, WhoComesToAFullQueueHasItsShare) {
  Experiment e = of("pace:1@15,cubic:1", DataRate());
  e.rate = DataRate::from_kbps(2000);
  e.queue = e.rate.bytes_in(60ms);
  e.warm_up = 35s;
  e.duration = 65s;
  std::vector<double> shares;
  for (e.seed = 1; e.seed <= 15; ++e.seed) shares.push_back(run(e).kinds[0].share);
  std::ranges::sort(shares);
  EXPECT_GT(shares[1], 0.3);
  EXPECT_GT(shares[7], 0.58);
}

TEST(Pace, OfAMixEachHasItsShareAndIsPrompt) {
  Experiment e = of("pace:4,cubic:4");
  e.rate = DataRate::from_kbps(8000);
  e.duration = 50s;
  e.warm_up = 20s;
  std::vector<double> least;
  for (e.seed = 1; e.seed <= 7; ++e.seed) {
    const auto r = run(e);
    least.push_back(r.kinds[0].least_share);
    EXPECT_GT(r.kinds[1].least_share, 0.7) << e.seed;
    EXPECT_LT(r.kinds[0].median_ms, 130) << e.seed;
  }
  std::ranges::sort(least);
  EXPECT_GT(least[0], 0.3);
  EXPECT_GT(least[3], 0.6);
}

// Without the kernel's word its own window competes.
TEST(Pace, BlindItHoldsAShare) {
  Experiment e = of("pace-blind,cubic", DataRate());
  e.duration = 45s;
  EXPECT_GT(run(e).kinds[0].share, 0.3);
}

// Small shares of a line with a long queue: few may take their own kind for competitors
// for long (of these ten, two on the first line).
TEST(Pace, ItsOwnKindIsNoCompetitor) {
  struct Line {
    const char* flows;
    int kbps;
    int rtt_ms;
    int queue;
    DataRate demand;
  };
  for (const Line& line : {Line{"pace:12", 8000, 15, 200'000, DataRate::from_kbps(5000)},
                           Line{"pace:12", 8000, 300, 200'000, DataRate::from_kbps(1300)}}) {
    Experiment e = of(line.flows, line.demand);
    e.rate = DataRate::from_kbps(line.kbps);
    e.rtt = Duration(line.rtt_ms * 1ms);
    e.queue = ByteCount(line.queue);
    e.warm_up = 20s;
    e.duration = 40s;
    int stayed = 0;
    for (e.seed = 11; e.seed <= 20; ++e.seed) {
      const auto r = run(e);
      if (r.kinds[0].competing > 0.1) continue;
      ++stayed;
      EXPECT_LT(r.kinds[0].median_ms, line.rtt_ms + 80) << line.kbps;
    }
    EXPECT_GE(stayed, 6) << line.kbps << " kbit/s, " << line.rtt_ms << " ms";
  }
}

TEST(Pace, AStepOfTheRate) {
  Experiment e = of("pace");
  e.rate = DataRate::from_kbps(4000);
  e.queue = ByteCount(60'000);
  e.schedule = *parse_schedule("20:rate=600k,30:rate=4M");
  e.duration = 35s;
  const auto r = run(e);
  const auto& slots = r.flows[0].slots;  // from second 10 on
  for (std::size_t i = 112; i < 130; ++i) EXPECT_LT(to_ms(slots[i].oldest_unacked), 150) << i;
  std::int64_t acked = 0;
  for (std::size_t i = 220; i < 230; ++i) acked += slots[i].acked;
  EXPECT_GT(static_cast<double>(acked) * 8e-6, 3.5);
}

// What a video has under way when the line falls is what the next frames wait behind. Its window is
// no more than it uses, and the first long round trips end the writing.
TEST(Pace, AVideoOnALineThatFallsHasLittleUnderWay) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
    Experiment e = of("pace", DataRate::from_kbps(2200));
    e.rate = DataRate::from_kbps(4000);
    e.queue = ByteCount(60'000);
    e.schedule = *parse_schedule("20:rate=600k,26:rate=4M,36:rate=600k,42:rate=4M");
    e.duration = 46s;
    e.seed = seed;
    const auto r = run(e);
    const auto& slots = r.flows[0].slots;
    for (const std::size_t fall : {100u, 260u}) {  // slots of 100 ms, from second 10 on
      Duration longest{};
      for (std::size_t i = fall; i < fall + 20; ++i) {
        longest = std::max(longest, slots[i].oldest_unacked);
      }
      EXPECT_LT(to_ms(longest), 350) << "seed " << seed << ", at " << 10 + fall / 10 << " s";
      EXPECT_LT(slots[fall - 1].signals.window, ByteCount(30'000));
      // It has all it wants again two seconds after the rise.
      std::int64_t acked = 0;
      for (std::size_t i = fall + 80; i < fall + 95; ++i) acked += slots[i].acked;
      EXPECT_GT(static_cast<double>(acked) * 8e-6 / 1.5, 1.9);
    }
  }
}

TEST(Pace, LearnsALongerRoute) {
  Experiment e = of("pace:2");
  e.schedule = *parse_schedule("15:rtt=80");
  e.duration = 40s;
  const auto r = run(e);
  EXPECT_NEAR(to_ms(r.flows[0].slots.back().signals.base_rtt), 80.7, 8);
  EXPECT_GT(r.flows[0].slots.back().acked, 30'000);
}

TEST(Pace, AVideoUnderTheRateSeesTheIdlePath) {
  const auto r = run(of("pace:2", DataRate::from_kbps(2000)));
  EXPECT_LT(r.kinds[0].median_ms, 45);
  EXPECT_NEAR(r.flows[0].throughput.mbps(), 2, 0.15);
}

TEST(Sweep, SettingsAreInTheirRangesAndOfTheirSeed) {
  const Experiment like = of("pace");
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const Experiment e = random_setting(like, seed);
    EXPECT_GE(e.rate.mbps(), 1);
    EXPECT_LE(e.rate.mbps(), 100);
    EXPECT_GE(e.rtt, 5ms);
    EXPECT_LE(e.rtt, 300ms);
    EXPECT_GE(e.queue, ByteCount(15'000));
    EXPECT_GE(e.flows.size(), 2u);
    EXPECT_LE(e.flows.size(), 32u);
    EXPECT_EQ(random_setting(like, seed).rate, e.rate);
  }
  EXPECT_NE(random_setting(like, 1).rate, random_setting(like, 2).rate);
  const Experiment mixed = random_setting(of("pace,cubic"), 1);
  EXPECT_EQ(mixed.flows.size(), 2u);
  EXPECT_EQ(mixed.flows[0].demand, DataRate());
}

TEST(Sweep, JudgesByDelayAndShares) {
  Experiment e = of("pace:2");
  ExperimentResult r;
  r.kinds = {{.kind = "pace", .median_ms = 80, .jain_500ms = 0.95}};
  EXPECT_TRUE(judge(e, r).prompt && judge(e, r).fair);
  r.kinds[0].median_ms = 95;
  EXPECT_FALSE(judge(e, r).prompt);
  r.kinds[0].jain_500ms = 0.8;
  EXPECT_FALSE(judge(e, r).fair);
  r.kinds[0].least_share = 0.7;
  r.kinds.push_back({.kind = "cubic", .share = 1.1});
  EXPECT_TRUE(judge(e, r).fair);
  r.kinds[1].share = 0.7;
  EXPECT_FALSE(judge(e, r).fair);
}

}  // namespace
}  // namespace qvid::lab::simulator::simulator_pace_test
