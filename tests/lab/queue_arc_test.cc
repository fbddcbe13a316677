// ARC against the thesis's equations, and in a loop with flows that answer to it.
#include "lab/emulator/arc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "lab/emulator/link.h"
#include "tests/lab/aimd_flows.h"
#include "tests/lab/ip_packets.h"

namespace qvid::lab::queue_arc_test {
namespace {

constexpr Timestamp kStart{1000s};
constexpr DataRate kRate = DataRate::from_kbps(10'000);
constexpr double kAlpha = 1.42e-8;       // a byte
constexpr double kCapacity = 1'250'000;  // bytes a second

double p_of(const Arc& arc) { return *arc.notification_probability(); }

// An ARC whose p is near `p`: p rises by alpha times what comes above the capacity.
void raise(Arc& arc, double p, Timestamp from) {
  arc.pop(from);
  const double bytes = p / kAlpha + 0.98 * kCapacity;
  for (double sent = 0; sent < bytes; sent += 60'000) {
    arc.push(ip_packet({.size = 60'000}, from), from);
    arc.pop(from);
  }
  arc.pop(from + 1s);
}

// Eq. 4.9: the thesis's system of 8 Mbit/s with 10 flows and a round trip of 2 s (section 4.1.2).
TEST(QueueArc, TheStabilityRuleGivesTheThesisNumber) {
  const DataRate rate = DataRate::from_kbps(8000);
  EXPECT_NEAR(arc_alpha_bound(rate, 0.95, 10, 2s), 5.54e-5, 0.005e-5);
  EXPECT_LT(1.11e-5, arc_alpha_bound(rate, 0.95, 10, 2s));  // the thesis's choice there
}

TEST(QueueArc, AlphaKeepsItsDistanceFromTheBoundAtAnyRate) {
  EXPECT_DOUBLE_EQ(arc_alpha(kRate), 1.42e-5);
  for (const std::int64_t kbps : {100, 600, 2000, 10'000, 100'000, 1'000'000}) {
    const DataRate rate = DataRate::from_kbps(kbps);
    EXPECT_NEAR(arc_alpha(rate) / arc_alpha_bound(rate, 0.98, 10, 2s), 0.426, 0.001) << kbps;
  }
}

TEST(QueueArc, TheProbabilityFollowsTheEquation) {
  Arc arc(200'000_B, kRate, 1);
  arc.set_capacity(kRate, kStart);
  std::mt19937 random(1);
  double p = 0;
  double highest = 0;
  for (int interval = 0; interval < 300; ++interval) {
    const Timestamp begin = kStart + interval * Duration(1s);
    // Busy for 100 intervals, then less and less.
    const unsigned packets = interval < 100 ? 3000 : 600;
    std::uint64_t dropped = arc.dropped();
    double b = 0;
    for (unsigned i = 0; i < packets; ++i) {
      const std::size_t size = 100 + random() % 1400;
      arc.push(ip_packet({.ecn = Ecn::kCapable0, .size = size}, begin), begin + 1ms);
      EXPECT_TRUE(arc.dropped() == dropped || arc.bytes() > 198'000_B) << "all can be marked";
      dropped = arc.dropped();
      b += static_cast<double>(size);
      if (random() % 4 != 0) arc.pop(begin + 2ms);
    }
    const auto q = static_cast<double>(arc.bytes().value());
    EXPECT_NEAR(p_of(arc), p, 1e-12);
    p = std::clamp(p + kAlpha * (b - 0.98 * (1 * kCapacity - (q - 0))), 0.0, 1.0);
    highest = std::max(highest, p);
    arc.pop(begin + 1s);  // the next interval begins
    EXPECT_NEAR(p_of(arc), p, 1e-12) << interval;
  }
  EXPECT_EQ(highest, 1) << "clamped above";
  EXPECT_EQ(p, 0) << "and below";
}

TEST(QueueArc, IntervalsWithoutAPacketCountAllTheSame) {
  Arc asked(200'000_B, kRate, 1);
  Arc rested(200'000_B, kRate, 1);
  raise(asked, 0.5, kStart);
  raise(rested, 0.5, kStart);
  EXPECT_NEAR(p_of(rested), 0.5, 0.001);
  for (int i = 1; i <= 12; ++i) asked.pop(kStart + 1s + i * Duration(1s));
  rested.pop(kStart + 13s + 999ms);
  EXPECT_NEAR(p_of(rested), p_of(asked), 1e-12);
  EXPECT_NEAR(p_of(rested), 0.5 - 12 * kAlpha * 0.98 * kCapacity, 0.001);
  rested.pop(kStart + 3600s);
  EXPECT_EQ(p_of(rested), 0);
}

TEST(QueueArc, MarksOrDropsWithItsProbability) {
  for (const Ecn ecn : {Ecn::kCapable0, Ecn::kNotCapable}) {
    Arc arc(200'000_B, kRate, 7);
    raise(arc, 0.3, kStart);
    const std::uint64_t dropped = arc.dropped();
    const std::uint64_t marked = arc.marked();
    for (int i = 0; i < 20'000; ++i) {
      arc.push(ip_packet({.ecn = ecn}, kStart + 1s), kStart + 1s);
      arc.pop(kStart + 1s);
    }
    const bool marks = ecn == Ecn::kCapable0;
    // Binomial: standard deviation sqrt(20000 · .3 · .7) = 65.
    EXPECT_NEAR(static_cast<double>(arc.dropped() - dropped), marks ? 0 : 6000, 4 * 65 + 20);
    EXPECT_NEAR(static_cast<double>(arc.marked() - marked), marks ? 6000 : 0, 4 * 65 + 20);
  }
}

TEST(QueueArc, FastPacketsGetTheirPriceByRem) {
  Arc arc(200'000_B, kRate, 7);
  raise(arc, 0.01, kStart);
  const double virtual_queue = p_of(arc) / kAlpha;
  const double expected = 1 - std::pow(1.1, -virtual_queue / (0.98 * kCapacity));
  EXPECT_NEAR(arc.fast_probability(), expected, 1e-12);
  EXPECT_GT(expected, 0.04);
  int marked = 0;
  for (int i = 0; i < 20'000; ++i) {
    arc.push(ip_packet({.ecn = Ecn::kCapable0, .dscp = kFastDscp}, kStart + 1s), kStart + 1s);
    marked += ecn_of(arc.pop(kStart + 1s)->bytes) == Ecn::kCongestion;
  }
  EXPECT_NEAR(marked, 20'000 * expected, 4 * std::sqrt(20'000 * expected));
  EXPECT_TRUE(is_fast(ip_bytes({.version = 6, .dscp = kFastDscp})));
  EXPECT_FALSE(is_fast(ip_bytes({.dscp = 46})));
  EXPECT_FALSE(is_fast({}));
}

TEST(QueueArc, ANewCapacityKeepsTheProbabilityAndChangesItsCourse) {
  Arc arc(200'000_B, kRate, 1);
  raise(arc, 0.4, kStart);
  const double before = p_of(arc);
  const DataRate half = DataRate::from_kbps(5000);
  arc.set_capacity(half, kStart + 1s);
  EXPECT_NEAR(p_of(arc), before, 1e-12);
  arc.pop(kStart + 2s);  // nothing came
  EXPECT_NEAR(p_of(arc), before - 4 * kAlpha * 0.98 * kCapacity / 2, 1e-12);
}

TEST(QueueArc, TheBoundHolds) {
  Arc arc(10'000_B, kRate, 1);
  for (int i = 0; i < 20; ++i) arc.push(ip_packet({.ecn = Ecn::kCapable0}, kStart), kStart);
  EXPECT_EQ(arc.bytes(), 10'000_B);
  EXPECT_EQ(arc.dropped(), 10u);
}

struct Steady {
  double utilisation = 0;
  LinkStats stats;
};

// 20 flows with round trips of 80 to 160 ms over 10 Mbit/s: a hundred seconds, after two hundred.
Steady twenty_flows(const std::string& aqm, bool ecn) {
  const auto spec = parse_link("rate=10mbit delay=40ms queue=500kB aqm=" + aqm);
  Link link(spec->up, kStart);
  AimdFlows flows(link, 20, ecn, kStart, 40ms, 80ms);
  flows.run(200s);
  link.reset_stats(kStart + 200s);
  flows.run(100s);
  const LinkStats stats = link.stats();
  return {static_cast<double>(stats.delivered_bytes) / (kCapacity * 100), stats};
}

TEST(QueueArc, FlowsThatAnswerFillItsShareOfTheLinkAndKeepTheQueueShort) {
  const Steady drop_tail = twenty_flows("drop-tail", true);
  EXPECT_GT(drop_tail.utilisation, 0.99);
  EXPECT_GT(drop_tail.stats.waiting.mean(), 150ms) << "the queue is 400 ms long, and full";

  const Steady arc = twenty_flows("arc", true);
  EXPECT_NEAR(arc.utilisation, 0.98, 0.03);
  EXPECT_LT(arc.stats.waiting.mean(), 30ms);
  EXPECT_EQ(arc.stats.queue_drops, 0u);
  EXPECT_GT(arc.stats.queue_marks, 100u);

  const Steady lossy = twenty_flows("arc", false);
  EXPECT_NEAR(lossy.utilisation, 0.98, 0.03);
  EXPECT_LT(lossy.stats.waiting.mean(), 30ms);
  EXPECT_EQ(lossy.stats.queue_marks, 0u);
}

TEST(QueueArc, TheOtherDisciplinesShortenTheQueueToo) {
  for (const std::string aqm : {"red", "codel", "sfa"}) {
    const Steady steady = twenty_flows(aqm, true);
    // SFG cuts flows that share bins with others, and drops: 20 flows in 20 bins.
    EXPECT_GT(steady.utilisation, aqm == "sfa" ? 0.8 : 0.95) << aqm;
    EXPECT_LT(steady.stats.waiting.mean(), 150ms) << aqm;
    EXPECT_GT(steady.stats.queue_marks, 0u) << aqm;
  }
}

}  // namespace
}  // namespace qvid::lab::queue_arc_test
