// RED against its formulas: the average, the probability, the spacing of the marks.
#include "lab/emulator/red.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/lab/ip_packets.h"

namespace qvid::lab::queue_red_test {
namespace {

constexpr Timestamp kStart{1000s};
constexpr ByteCount kLimit = 100'000_B;  // min 10 kB, max 60 kB
constexpr DataRate kRate = DataRate::from_kbps(10'000);

Packet capable() { return ip_packet({.ecn = Ecn::kCapable0}, kStart); }
Packet incapable() { return ip_packet({}, kStart); }

// The gaps between marks while the queue, and so in the end its average, holds `length` packets.
std::vector<int> gaps_at(std::size_t length) {
  // 1 kbit/s: the average is the queue (w = 1).
  Red red(kLimit, DataRate::from_kbps(1), 1);
  // What is marked goes in: the queue has this length all the time.
  while (red.bytes() < ByteCount::of(length * 1000)) red.push(capable(), kStart);
  std::vector<int> gaps;
  int gap = 0;
  std::uint64_t marked = red.marked();
  for (int i = 0; i < 40'000; ++i) {
    red.push(capable(), kStart);
    ++gap;
    if (red.marked() > marked) {
      gaps.push_back(gap);
      gap = 0;
      marked = red.marked();
    }
    EXPECT_TRUE(red.pop(kStart));
  }
  EXPECT_EQ(red.dropped(), 0u);
  return gaps;
}

double mean_of(const std::vector<int>& gaps) {
  double sum = 0;
  for (const int gap : gaps) sum += gap;
  return sum / static_cast<double>(gaps.size());
}

// P(gap > n) = (1 - (n + 1) p) / (1 - p), from p_a = p_b / (1 - count p_b).
double expected_gap(double p) {
  double mean = 0;
  for (int n = 0; 1 - (n + 1) * p > 0; ++n) mean += (1 - (n + 1) * p) / (1 - p);
  return mean;
}

TEST(QueueRed, IsLaidOutAsTheThesisDoes) {
  EXPECT_EQ(red_thresholds(500'000_B).min, 50'000_B);
  EXPECT_EQ(red_thresholds(500'000_B).max, 300'000_B);
  EXPECT_NEAR(red_weight(DataRate::from_kbps(10'000)), 0.002, 5e-6);
  EXPECT_NEAR(red_weight(DataRate::from_kbps(1'000)), 0.0198, 5e-5);
}

TEST(QueueRed, TheAverageFollowsTheQueueAndDecaysWhileTheLinkIsIdle) {
  Red red(kLimit, kRate, 1);
  const double w = red_weight(kRate);
  double average = 0;
  for (int i = 0; i < 9; ++i) {
    average += w * (i * 1000 - average);
    red.push(incapable(), kStart);
    EXPECT_DOUBLE_EQ(red.average(), average);
  }
  while (red.pop(kStart + 1s)) {
  }
  // Idle for 100 packets of 0.8 ms.
  red.push(incapable(), kStart + 1s + 80ms);
  EXPECT_NEAR(red.average(), average * std::pow(1 - w, 100), 1e-9);
  // Not idle: the queue is empty, but a packet is being sent.
  EXPECT_TRUE(red.pop(kStart + 2s));
  average = red.average();
  red.push(incapable(), kStart + 3s);
  EXPECT_DOUBLE_EQ(red.average(), average - w * average);
}

TEST(QueueRed, DropsNothingBelowTheLowerThreshold) {
  Red red(kLimit, kRate, 1);
  for (int i = 0; i < 10; ++i) red.push(incapable(), kStart);
  for (int i = 0; i < 100'000; ++i) {
    EXPECT_TRUE(red.pop(kStart));
    red.push(incapable(), kStart);
  }
  EXPECT_EQ(red.dropped(), 0u);
  EXPECT_EQ(red.bytes(), 10'000_B);
}

TEST(QueueRed, MarksAreSpacedEvenlyByTheProbabilityOfTheAverage) {
  const double p = 0.15 * (35 - 10) / (60 - 10);
  const auto gaps = gaps_at(35);
  EXPECT_NEAR(mean_of(gaps), expected_gap(p), 0.15);
  EXPECT_LE(*std::max_element(gaps.begin(), gaps.end()), static_cast<int>(1 / p));
}

TEST(QueueRed, GentlyMarksMoreAboveTheUpperThreshold) {
  EXPECT_NEAR(mean_of(gaps_at(65)), expected_gap(0.15 + 0.85 * 5 / 60), 0.1);
  EXPECT_NEAR(mean_of(gaps_at(80)), expected_gap(0.15 + 0.85 * 20 / 60), 0.02);
}

TEST(QueueRed, DropsWhatCannotBeMarked) {
  Red red(kLimit, DataRate::from_kbps(1), 1);
  for (int i = 0; i < 200; ++i) red.push(incapable(), kStart);
  EXPECT_GT(red.dropped(), 100u);
  EXPECT_EQ(red.marked(), 0u);
  EXPECT_LE(red.bytes(), kLimit);
  EXPECT_GE(red.bytes(), kLimit * 7 / 10) << "gently: half of what comes there";
}

TEST(QueueRed, TheBoundHoldsForMarkedPacketsToo) {
  Red red(kLimit, DataRate::from_kbps(1), 1);
  for (int i = 0; i < 1000; ++i) red.push(capable(), kStart);
  EXPECT_EQ(red.bytes(), kLimit);
  EXPECT_EQ(red.dropped(), 900u);
  std::uint64_t marked = 0;
  while (const auto p = red.pop(kStart)) marked += ecn_of(p->bytes) == Ecn::kCongestion;
  EXPECT_EQ(marked, red.marked()) << "what was dropped does not count as marked";
}

}  // namespace
}  // namespace qvid::lab::queue_red_test
