// Acknowledgements are cumulative, repeat without harm, and never cover what was not sent.
#include "transport/ack_tracker.h"

#include <gtest/gtest.h>

#include <vector>

namespace paceline {
namespace {

using qvid::operator""_B;
using qvid::operator""ms;

const Timestamp t0{Duration(1'000'000'000)};

AckTracker::Written record(Timestamp at, std::int64_t bytes, std::uint64_t message = 0) {
  return {.at = at,
          .bytes = ByteCount(bytes),
          .ends_message = message != 0,
          .stream = {},
          .message = MessageId(message),
          .message_size = ByteCount(bytes)};
}

struct Fixture : testing::Test {
  bool ack(std::uint64_t next_expected, Timestamp at) {
    delivered.clear();
    return acks.on_ack(next_expected, at,
                       [this](const auto& w) { delivered.push_back(w.message.value()); });
  }
  AckTracker acks;
  std::vector<std::uint64_t> delivered;
};
using AckTrackerTest = Fixture;

TEST_F(AckTrackerTest, StartsEmpty) {
  EXPECT_TRUE(acks.empty());
  EXPECT_EQ(acks.oldest(), qvid::kNever);
  EXPECT_FALSE(acks.rtt().valid());
  EXPECT_FALSE(acks.abandon());
  EXPECT_TRUE(ack(0, t0));
  EXPECT_FALSE(ack(1, t0));
}

TEST_F(AckTrackerTest, AcknowledgesAllBeforeTheNumber) {
  for (std::uint64_t i = 1; i <= 4; ++i) acks.on_written(record(t0 + i * 1ms, 100, i));
  EXPECT_EQ(acks.bytes(), 400_B);
  EXPECT_EQ(acks.oldest(), t0 + 1ms);
  EXPECT_TRUE(ack(3, t0 + 10ms));
  EXPECT_EQ(delivered, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(acks.bytes(), 100_B);
  EXPECT_EQ(acks.acked(), 300_B);
  EXPECT_EQ(acks.oldest(), t0 + 4ms);
  EXPECT_TRUE(ack(4, t0 + 11ms));
  EXPECT_EQ(delivered, (std::vector<std::uint64_t>{4}));
  EXPECT_TRUE(acks.empty());
}

TEST_F(AckTrackerTest, RepeatedAndOlderAcksChangeNothing) {
  for (std::uint64_t i = 1; i <= 3; ++i) acks.on_written(record(t0, 100, i));
  ASSERT_TRUE(ack(2, t0 + 1ms));
  const auto rtt = acks.rtt().rtt();
  for (const std::uint64_t n : {2u, 1u, 0u}) {
    EXPECT_TRUE(ack(n, t0 + 500ms));
    EXPECT_TRUE(delivered.empty());
  }
  EXPECT_EQ(acks.rtt().rtt(), rtt);
  EXPECT_EQ(acks.bytes(), 100_B);
}

TEST_F(AckTrackerTest, AckOfTheUnsentIsRefusedAndChangesNothing) {
  acks.on_written(record(t0, 100, 1));
  EXPECT_FALSE(ack(2, t0));
  EXPECT_FALSE(ack(~std::uint64_t{0}, t0));
  EXPECT_TRUE(delivered.empty());
  EXPECT_EQ(acks.bytes(), 100_B);
  EXPECT_TRUE(ack(1, t0));
  EXPECT_EQ(delivered.size(), 1u);
}

// The newest record covered: waiting for an acknowledgement together is not the path's delay.
TEST_F(AckTrackerTest, RoundTripIsTheSmallestOfOneAck) {
  acks.on_written(record(t0, 100));
  acks.on_written(record(t0 + 30ms, 100));
  ASSERT_TRUE(ack(2, t0 + 50ms));
  EXPECT_EQ(acks.rtt().rtt(), Duration(20ms));
  EXPECT_EQ(acks.rtt().low(), Duration(20ms));
  acks.on_written(record(t0 + 100ms, 100));
  ASSERT_TRUE(ack(3, t0 + 200ms));
  EXPECT_EQ(acks.rtt().rtt(), Duration(30ms));  // 7/8 of 20 + 1/8 of 100
  EXPECT_LT(acks.rtt().low(), Duration(21ms));
  acks.on_written(record(t0 + 300ms, 100));
  ASSERT_TRUE(ack(4, t0 + 310ms));
  EXPECT_EQ(acks.rtt().low(), Duration(10ms));  // follows dips at once
}

TEST_F(AckTrackerTest, FullByRecordsOrBytes) {
  for (std::size_t i = 0; i < AckTracker::kMaxRecords - 1; ++i) acks.on_written(record(t0, 1));
  EXPECT_FALSE(acks.full());
  acks.on_written(record(t0, 1));
  EXPECT_TRUE(acks.full());
  ASSERT_TRUE(ack(1, t0));
  EXPECT_FALSE(acks.full());
  acks.on_written(record(t0, AckTracker::kMaxBytes.value()));
  EXPECT_TRUE(acks.full());
}

TEST_F(AckTrackerTest, AbandonsOldestFirst) {
  for (std::uint64_t i = 1; i <= 3; ++i) acks.on_written(record(t0, 10, i));
  ASSERT_TRUE(ack(1, t0));
  EXPECT_EQ(acks.abandon()->message, MessageId(2));
  EXPECT_EQ(acks.abandon()->message, MessageId(3));
  EXPECT_FALSE(acks.abandon());
  EXPECT_EQ(acks.bytes(), 0_B);
  EXPECT_EQ(acks.acked(), 10_B);
}

}  // namespace
}  // namespace paceline
