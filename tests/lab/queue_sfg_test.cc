// SFG against the thesis's algorithm and its model of false positives, alone and over other queues.
#include "lab/emulator/sfg.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "lab/emulator/arc.h"
#include "lab/emulator/drop_tail.h"
#include "lab/emulator/link.h"
#include "tests/lab/ip_packets.h"

namespace qvid::lab::queue_sfg_test {
namespace {

constexpr Timestamp kStart{1000s};
constexpr DataRate kRate = DataRate::from_kbps(10'000);
constexpr double kShare = 125'000;  // bytes of a bin in an epoch: 2 s of 10 Mbit/s, in 20 bins

// A queue that says how likely it notifies, and keeps nothing.
class Says : public PacketQueue {
 public:
  explicit Says(const double& probability) : probability_(probability) {}
  void push(Packet, Timestamp) override {}
  std::optional<Packet> pop(Timestamp) override { return std::nullopt; }
  ByteCount bytes() const override { return {}; }
  std::optional<double> notification_probability() const override { return probability_; }

 private:
  const double& probability_;
};

Sfg over_drop_tail(const SfgParameters& parameters = {}, std::uint64_t seed = 1) {
  return Sfg(std::make_unique<DropTail>(500'000_B), kRate, seed, parameters);
}

std::vector<std::byte> flow_bytes(unsigned flow, std::size_t size = 1000) {
  return ip_bytes({.source_port = flow, .size = size});
}

Packet of_flow(unsigned flow, std::size_t size, Timestamp at) {
  return {.bytes = flow_bytes(flow, size), .arrived = at, .due = {}};
}

// `bytes` of the flow, at once, none left in the queue.
void send(Sfg& sfg, unsigned flow, std::int64_t bytes, Timestamp at) {
  for (; bytes > 0; bytes -= 50'000) {
    sfg.push(of_flow(flow, static_cast<std::size_t>(std::min<std::int64_t>(bytes, 50'000)), at),
             at);
    sfg.pop(at);
  }
}

// Eq. 4.10 and 4.11 as they stand in the thesis.
double false_positives_by_the_sum(int levels, int bins, int flows) {
  const auto choose = [](int n, int k) {
    double c = 1;
    for (int i = 1; i <= k; ++i) c = c * (n - k + i) / i;
    return c;
  };
  double polluted = 0;
  for (int i = 0; i <= flows; ++i) {
    double ways = 0;
    for (int k = 0; k <= i; ++k) {
      ways += (k % 2 == 0 ? 1 : -1) * choose(i, k) * std::pow(i - k, flows);
    }
    polluted += i * choose(bins, i) * ways / std::pow(bins, flows);
  }
  return std::pow(polluted / bins, levels);
}

TEST(QueueSfg, FalsePositivesAreTheThesisNumbers) {
  EXPECT_NEAR(sfg_false_positives(3, 20, 5), 0.01, 0.005);
  EXPECT_NEAR(sfg_false_positives(3, 20, 10), 0.06, 0.005);
  EXPECT_NEAR(sfg_false_positives(3, 20, 15), 0.15, 0.005);
  EXPECT_EQ(sfg_false_positives(3, 20, 0), 0);
  for (const int levels : {1, 3}) {
    for (const int flows : {1, 5, 10}) {
      EXPECT_NEAR(sfg_false_positives(static_cast<std::size_t>(levels), 20, flows),
                  false_positives_by_the_sum(levels, 20, flows), 1e-6);
    }
  }
}

TEST(QueueSfg, BinsAreAsManyAsTcpFriendlyRatesInTheLink) {
  EXPECT_EQ(sfg_bins(kRate), 20u);
  EXPECT_EQ(sfg_bins(DataRate::from_kbps(100'000)), 204u);
  EXPECT_EQ(sfg_bins(DataRate::from_kbps(100)), 4u);
}

TEST(QueueSfg, ABinsProbabilityIsWhatItHadTooMuch) {
  Sfg sfg = over_drop_tail({.levels = 1});
  sfg.pop(kStart);
  send(sfg, 1, 500'000, kStart);
  send(sfg, 2, 125'000, kStart);  // its share
  EXPECT_EQ(sfg.drop_probability(flow_bytes(1)), 0) << "an epoch begins with the last one's";
  sfg.pop(kStart + 2s);
  const double p = sfg.drop_probability(flow_bytes(1));
  const double q = sfg.drop_probability(flow_bytes(2));
  // One level: they share a bin (1 in 20), or they do not.
  if (p == q) {
    EXPECT_DOUBLE_EQ(p, (625'000 - kShare) / 625'000);
  } else {
    EXPECT_DOUBLE_EQ(p, 0.75);
    EXPECT_EQ(q, 0);
  }
  sfg.pop(kStart + 4s);
  EXPECT_EQ(sfg.drop_probability(flow_bytes(1)), 0) << "nothing came";
}

TEST(QueueSfg, TheLowestProbabilityOfTheLevelsCounts) {
  // Four bins and one greedy flow. A flow of the same bin in all three levels: 1 of 64.
  Sfg sfg = over_drop_tail({.levels = 3, .bins = 4});
  sfg.pop(kStart);
  send(sfg, 0, 2'500'000, kStart);
  sfg.pop(kStart + 2s);
  EXPECT_DOUBLE_EQ(sfg.drop_probability(flow_bytes(0)), 0.75);
  int punished = 0;
  for (unsigned flow = 1; flow <= 6400; ++flow) {
    const double p = sfg.drop_probability(flow_bytes(flow));
    EXPECT_TRUE(p == 0 || p == 0.75);
    punished += p > 0;
  }
  EXPECT_NEAR(punished, 100, 40);
}

TEST(QueueSfg, EachEpochHasFreshHashes) {
  Sfg sfg = over_drop_tail({.levels = 1, .bins = 4});
  sfg.pop(kStart);
  std::set<std::set<unsigned>> companions;
  for (int epoch = 0; epoch < 10; ++epoch) {
    send(sfg, 0, 2'500'000, kStart + epoch * Duration(2s));
    sfg.pop(kStart + (epoch + 1) * Duration(2s));
    std::set<unsigned> punished;
    for (unsigned flow = 1; flow <= 100; ++flow) {
      if (sfg.drop_probability(flow_bytes(flow)) > 0) punished.insert(flow);
    }
    EXPECT_GT(sfg.drop_probability(flow_bytes(0)), 0);
    EXPECT_NEAR(static_cast<double>(punished.size()), 25, 20);
    companions.insert(punished);
  }
  EXPECT_EQ(companions.size(), 10u);
}

// The class itself against eq. 4.11: how many well-behaved flows have a probability in all levels.
TEST(QueueSfg, FalsePositivesAreAsOftenAsTheModelSays) {
  for (const unsigned misbehaving : {5u, 10u, 15u}) {
    Sfg sfg = over_drop_tail();
    sfg.pop(kStart);
    constexpr int kEpochs = 300;
    constexpr unsigned kFlows = 100;
    int punished = 0;
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      const Timestamp begin = kStart + epoch * Duration(2s);
      for (unsigned flow = 0; flow < misbehaving; ++flow) send(sfg, flow, 150'000, begin);
      sfg.pop(begin + 2s);
      for (unsigned flow = 0; flow < misbehaving; ++flow) {
        EXPECT_GT(sfg.drop_probability(flow_bytes(flow)), 0);
      }
      for (unsigned flow = 1000; flow < 1000 + kFlows; ++flow) {
        punished += sfg.drop_probability(flow_bytes(flow, 40)) > 0;
      }
    }
    const double expected = sfg_false_positives(3, 20, static_cast<int>(misbehaving));
    EXPECT_NEAR(punished / (1.0 * kEpochs * kFlows), expected, 0.1 * expected + 0.001)
        << misbehaving;
  }
}

TEST(QueueSfg, ItGoesOnAboveTwoPercentAndOffUnderOne) {
  double probability = 0;
  Sfg sfg(std::make_unique<Says>(probability), kRate, 1, {});
  Timestamp now = kStart;
  sfg.pop(now);
  const auto epochs = [&](int count, double p) {
    probability = p;
    for (int i = 0; i < count; ++i) sfg.pop(now += 2s);
    return sfg.on();
  };
  EXPECT_FALSE(epochs(20, 0.019));
  EXPECT_FALSE(epochs(1, 0.0209)) << "the average is 0.01995";
  EXPECT_TRUE(epochs(1, 0.0209));
  EXPECT_TRUE(epochs(20, 0.011));
  EXPECT_NEAR(sfg.notification_rate(), 0.011, 1e-6);
  EXPECT_FALSE(epochs(20, 0.009));
  EXPECT_FALSE(epochs(20, 0.019));
  EXPECT_TRUE(epochs(10, 1));
  // A long rest: as many epochs as it had, and no loop over all of them.
  probability = 0;
  sfg.pop(now += 24h * 365);
  EXPECT_FALSE(sfg.on());
}

TEST(QueueSfg, TheRateOfAQueueThatSaysNothingIsCounted) {
  Sfg sfg(std::make_unique<DropTail>(10'000_B), kRate, 1, {.newest = 1});
  sfg.pop(kStart);
  for (unsigned i = 0; i < 40; ++i) sfg.push(of_flow(i, 1000, kStart), kStart);
  EXPECT_EQ(sfg.dropped(), 30u);
  sfg.pop(kStart + 2s);
  EXPECT_DOUBLE_EQ(sfg.notification_rate(), 0.75);
  EXPECT_TRUE(sfg.on());
}

TEST(QueueSfg, ItsOwnDropsKeepItOn) {
  // Eq. 4.12 with p_e = 0: half of what comes is of a flow with three times its share.
  double probability = 0.03;
  Sfg sfg(std::make_unique<Says>(probability), kRate, 1, {});
  Timestamp now = kStart;
  sfg.pop(now);
  for (int epoch = 0; epoch < 20; ++epoch) {
    for (int i = 0; i < 375; ++i) {
      sfg.push(of_flow(1, 1000, now), now);
      sfg.push(of_flow(2 + static_cast<unsigned>(i), 1000, now), now);
    }
    sfg.pop(now += 2s);
    if (epoch == 5) probability = 0;  // NOLINT(clang-analyzer-deadcode*): Says refers to it
  }
  EXPECT_TRUE(sfg.on());
  EXPECT_NEAR(sfg.notification_rate(), 0.5 * 2 / 3, 0.05);
}

// What each flow got through, bit/s, over a link with constant-rate flows: flow 0 has `greedy`, 30
// others 250 kbit/s each.
struct Shares {
  double greedy = 0;
  double worst = 1e9;
  double others = 0;
};

Shares compete(const std::string& aqm) {
  const auto spec = parse_link("rate=10mbit delay=10ms queue=100kB aqm=" + aqm);
  Link link(spec->up, kStart);
  std::map<unsigned, double> bytes;
  const Duration length = 120s;
  const Duration measured_from = 20s;
  std::array<Timestamp, 31> next{};
  for (std::size_t i = 0; i < next.size(); ++i) {
    next[i] = kStart + Duration(1ms) * static_cast<std::int64_t>(i);
  }
  for (Timestamp now = kStart; now < kStart + length; now += 1ms) {
    for (std::size_t i = 0; i < next.size(); ++i) {
      // 1000 bytes: 5 Mbit/s and 250 kbit/s.
      for (; next[i] <= now; next[i] += i == 0 ? 1600us : 32ms) {
        link.push(flow_bytes(static_cast<unsigned>(i)), now);
      }
    }
    while (const auto p = link.pop(now)) {
      const unsigned flow = std::to_integer<unsigned>(p->bytes[21]);
      if (now > kStart + measured_from) bytes[flow] += 1000;
    }
  }
  Shares shares;
  const double per_second = 8 / to_seconds(length - measured_from);
  for (const auto& [flow, count] : bytes) {
    if (flow == 0) {
      shares.greedy = count * per_second;
    } else {
      shares.worst = std::min(shares.worst, count * per_second);
      shares.others += count * per_second / 30;
    }
  }
  return shares;
}

TEST(QueueSfg, AMisbehavingFlowGetsTheShareOfABinAndOthersHardlyNoticeIt) {
  const Shares drop_tail = compete("drop-tail");
  EXPECT_GT(drop_tail.greedy, 3.5e6);
  const Shares sfg = compete("sfg");
  // A bin's share is 500 kbit/s; others that share its bin raise the bin's rate and so its drops.
  EXPECT_LT(sfg.greedy, 550e3);
  EXPECT_GT(sfg.greedy, 300e3);
  EXPECT_GT(sfg.others, 0.97 * 250e3);
  EXPECT_GT(sfg.worst, 0.93 * 250e3);
  const Shares sfa = compete("sfa");
  EXPECT_LT(sfa.greedy, 550e3);
  EXPECT_GT(sfa.others, 0.95 * 250e3);
}

TEST(QueueSfg, UncongestedLinksAreNotTouched) {
  const auto spec = parse_link("rate=10mbit queue=100kB aqm=sfg");
  Link link(spec->up, kStart);
  for (Timestamp now = kStart; now < kStart + 30s; now += 1ms) {
    link.push(flow_bytes(1), now);  // 8 of 10 Mbit/s: one flow with 16 shares
    while (link.pop(now)) {
    }
  }
  EXPECT_EQ(link.stats().queue_drops, 0u);
}

TEST(QueueSfg, OverArcItReportsBothAndBoundsBoth) {
  Sfg sfa(std::make_unique<Arc>(10'000_B, kRate, 1), kRate, 2, {});
  for (int i = 0; i < 20; ++i) {
    sfa.push(ip_packet({.ecn = Ecn::kCapable0}, kStart), kStart);
  }
  EXPECT_EQ(sfa.bytes(), 10'000_B);
  EXPECT_EQ(sfa.dropped(), 10u);
  int popped = 0;
  while (sfa.pop(kStart)) ++popped;
  EXPECT_EQ(popped, 10);
}

TEST(QueueSfg, ANewCapacityChangesTheShareOfABin) {
  Sfg sfg = over_drop_tail({.levels = 1});
  sfg.pop(kStart);
  send(sfg, 1, 500'000, kStart);
  sfg.set_capacity(DataRate::from_kbps(20'000), kStart + 1s);
  sfg.pop(kStart + 2s);
  EXPECT_DOUBLE_EQ(sfg.drop_probability(flow_bytes(1)), 0.5);
}

}  // namespace
}  // namespace qvid::lab::queue_sfg_test
