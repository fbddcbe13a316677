// Shows when an operator is told that a viewer is slow, in which words, how often, and what a seat
// counts for it.
#include "pubsub/broker/slow_viewer_log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace qps {
namespace {

using namespace std::chrono_literals;

ItemLog::Entry part_of(std::uint8_t importance) {
  return {.envelope = {.importance = importance, .depends_on = {}}};
}

// A second in which of 100 fragments of 2000 bytes so many are lost, the least important first:
// those of 100, of 200, of 250.
SeatTally second_of(int lost) {
  SeatTally tally;
  const std::uint8_t classes[] = {100, 200, 250};
  const int sizes[] = {50, 40, 10};
  for (int c = 0; c < 3; ++c) {
    const auto part = part_of(classes[c]);
    for (int i = 0; i < sizes[c]; ++i, --lost) {
      tally.on_offered(classes[c], ByteCount(2000));
      if (lost > 0) {
        tally.on_lost(&part);
      } else {
        tally.on_delivered(ByteCount(2000));
      }
    }
  }
  return tally;
}

class SlowViewerLogTest : public ::testing::Test {
 protected:
  // So many seconds of it; what is said meanwhile.
  std::vector<std::string> pass(int seconds, const SeatTally& tally,
                                SlowViewerLog::Viewer* viewer = nullptr) {
    std::vector<std::string> said;
    for (int i = 0; i < seconds; ++i) {
      now_ += 1s;
      auto text = log_.on_second(viewer != nullptr ? *viewer : bob_,
                                 {.name = "Bob",
                                  .who = "1.2.3.4:5",
                                  .of = "Ann",
                                  .others = 0,
                                  .tally = tally,
                                  .length = 1s},
                                 now_);
      if (text) said.push_back(*std::move(text));
    }
    return said;
  }

  SlowViewerLog log_;
  SlowViewerLog::Viewer bob_;
  Timestamp now_{1000s};
};

TEST_F(SlowViewerLogTest, TellsOnceWhenItBeginsAndOnceWhenItEnds) {
  EXPECT_TRUE(pass(100, second_of(0)).empty());
  EXPECT_TRUE(pass(1, second_of(31)).empty());
  const auto begins = pass(100, second_of(31));
  ASSERT_EQ(begins.size(), 1u);
  EXPECT_EQ(begins[0],
            "Bob (1.2.3.4:5) is slow: takes 1.1 of 1.6 Mbit/s of Ann; 31% of the fragments are "
            "dropped: 62% of importance 100; all of 200 and more arrives");
  EXPECT_TRUE(bob_.slow);
  EXPECT_TRUE(pass(9, second_of(0)).empty());
  const auto ends = pass(30, second_of(0));
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(
      ends[0],
      "Bob (1.2.3.4:5) keeps up again: was slow for 111 s, in which 28% of the fragments were "
      "dropped");
  EXPECT_FALSE(bob_.slow);
}

TEST_F(SlowViewerLogTest, SaysWhatIsDropped) {
  EXPECT_NE(
      pass(3, second_of(50))
          .at(0)
          .find(
              "50% of the fragments are dropped: all of importance up to 100; all of 200 and more "
              "arrives"),
      std::string::npos);
  bob_ = {};
  EXPECT_NE(pass(3, second_of(60))
                .at(0)
                .find("all of importance up to 100, 25% of 200; all of 250 and more arrives"),
            std::string::npos);
  bob_ = {};
  EXPECT_NE(pass(3, second_of(95))
                .at(0)
                .find("all of importance up to 200, 50% of 250; of what is most important too"),
            std::string::npos);
}

TEST_F(SlowViewerLogTest, AMomentIsNotWorthALine) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(pass(1, second_of(90)).empty());
    EXPECT_TRUE(pass(1, second_of(0)).empty());
  }
  EXPECT_FALSE(bob_.slow);
}

TEST_F(SlowViewerLogTest, WhoHoversIsToldOfOnce) {
  EXPECT_EQ(pass(3, second_of(20)).size(), 1u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(pass(5, second_of(0)).empty());
    EXPECT_TRUE(pass(1, second_of(3)).empty());
    EXPECT_TRUE(pass(3, second_of(20)).empty());
  }
}

TEST_F(SlowViewerLogTest, OfOneNotMoreThanABeginningAMinute) {
  std::size_t begins = 0;
  const Timestamp from = now_;
  while (now_ - from < 10min) {
    begins += pass(3, second_of(20)).size();
    pass(10, second_of(0));
  }
  EXPECT_GE(begins, 8u);
  EXPECT_LE(begins, 10u);
}

TEST_F(SlowViewerLogTest, WhatCouldNotBeToldIsToldIfItIsStillSo) {
  EXPECT_EQ(pass(3, second_of(20)).size(), 1u);
  EXPECT_EQ(pass(10, second_of(0)).size(), 1u);
  EXPECT_TRUE(pass(45, second_of(20)).empty());
  EXPECT_TRUE(bob_.slow);
  EXPECT_EQ(pass(30, second_of(20)).size(), 1u);
  // An end that belongs to no beginning is not told.
  EXPECT_EQ(pass(10, second_of(0)).size(), 1u);
  EXPECT_TRUE(pass(5, second_of(20)).empty());
  EXPECT_TRUE(pass(100, second_of(0)).empty());
}

TEST_F(SlowViewerLogTest, APauseSaysNothingOfAPath) {
  EXPECT_EQ(pass(3, second_of(20)).size(), 1u);
  EXPECT_TRUE(pass(1000, SeatTally()).empty());
  EXPECT_TRUE(bob_.slow);
}

TEST_F(SlowViewerLogTest, OfManyNotMoreThanSoManyLinesAMinute) {
  std::vector<SlowViewerLog::Viewer> viewers(100);
  const auto all = [&] {
    std::size_t lines = 0;
    for (auto& viewer : viewers) {
      lines += pass(1, second_of(50), &viewer).size();
      now_ -= 1s;
    }
    now_ += 1s;
    return lines;
  };
  std::size_t lines = 0;
  for (int i = 0; i < 55; ++i) lines += all();
  EXPECT_EQ(lines, static_cast<std::size_t>(SlowViewerLog::kMostLines));
  for (int i = 0; i < 300; ++i) lines += all();
  EXPECT_EQ(lines, viewers.size());  // the others later
}

TEST(SeatTally, ClassesAreBounded) {
  SeatTally tally;
  for (int i = 0; i < 256; ++i) {
    const auto part = part_of(static_cast<std::uint8_t>(i));
    tally.on_offered(static_cast<std::uint8_t>(i), ByteCount(1));
    tally.on_unusable(&part, ByteCount(1));
  }
  tally.on_lost(nullptr);
  EXPECT_EQ(tally.classes().size(), SeatTally::kMostClasses);
  EXPECT_EQ(tally.offered(), 512);
  EXPECT_EQ(tally.lost(), 257);
  EXPECT_EQ(tally.offered_bytes(), ByteCount(512));
  std::int64_t offered = 0;
  for (const auto& each : tally.classes()) offered += each.offered;
  EXPECT_EQ(offered, 512);
  SeatTally twice = tally;
  twice.add(tally);
  EXPECT_EQ(twice.offered(), 1024);
  EXPECT_EQ(twice.classes().size(), SeatTally::kMostClasses);
}

}  // namespace
}  // namespace qps
