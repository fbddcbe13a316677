// Acknowledgements are cumulative, repeat without harm, and never cover what was not sent; after a
// failover what is outstanding is written again under its old numbers.
#include "transport/send/ack_tracker.h"

#include <gtest/gtest.h>

#include <vector>

namespace paceline::ack_tracker_test {
namespace {

using qvid::operator""_B;
using qvid::operator""ms;

const Timestamp t0{Duration(1'000'000'000)};
const StreamId s0{0};

// A chunk of message `number`.
AckTracker::Written record(Timestamp at, std::int64_t bytes, std::uint64_t number = 0) {
  AckTracker::Written w{
      .first_at = at, .at = at, .bytes = ByteCount(bytes), .type = RecordType::kChunk, .chunk = {}};
  w.chunk.stream = s0;
  w.chunk.number = number;
  w.chunk.message = MessageId(number);
  w.chunk.bytes = Payload::copy_of("bytes");
  return w;
}

struct AckTrackerTest : testing::Test {
  bool ack(std::uint64_t next_expected, Timestamp at) {
    delivered.clear();
    const auto acked = acks.on_ack(next_expected, true, at,
                                   [this](const auto& w) { delivered.push_back(w.chunk.number); });
    if (acked) last = *acked;
    return acked.has_value();
  }
  void write(int count, Timestamp at = t0) {
    for (int i = 0; i < count; ++i) acks.on_written(record(at, 100, ++written));
  }
  void write_again(int count, Timestamp at) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(acks.waits_again());
      acks.on_written_again(110_B, at);
    }
  }
  AckTracker acks;
  AckTracker::Acked last;
  std::uint64_t written = 0;
  std::vector<std::uint64_t> delivered;
};
using Numbers = std::vector<std::uint64_t>;

TEST_F(AckTrackerTest, StartsEmpty) {
  EXPECT_TRUE(acks.empty());
  EXPECT_EQ(acks.oldest(), qvid::kNever);
  EXPECT_EQ(acks.oldest_in_flight(), qvid::kNever);
  EXPECT_FALSE(acks.rtt().valid());
  EXPECT_FALSE(acks.abandon());
  EXPECT_TRUE(ack(0, t0));
  EXPECT_FALSE(last.any);
  EXPECT_FALSE(ack(1, t0));
}

TEST_F(AckTrackerTest, AcknowledgesAllBeforeTheNumber) {
  for (int i = 1; i <= 4; ++i) write(1, t0 + i * 1ms);
  EXPECT_EQ(acks.bytes(), 400_B);
  EXPECT_EQ(acks.oldest(), t0 + 1ms);
  EXPECT_TRUE(ack(3, t0 + 10ms));
  EXPECT_EQ(delivered, (Numbers{1, 2, 3}));
  EXPECT_EQ(last.bytes, 300_B);
  EXPECT_EQ(acks.bytes(), 100_B);
  EXPECT_EQ(acks.in_flight(), 100_B);
  EXPECT_EQ(acks.acked(), 300_B);
  EXPECT_EQ(acks.oldest(), t0 + 4ms);
  EXPECT_TRUE(ack(4, t0 + 11ms));
  EXPECT_EQ(delivered, (Numbers{4}));
  EXPECT_TRUE(acks.empty());
}

TEST_F(AckTrackerTest, RepeatedAndOlderAcksChangeNothing) {
  write(3);
  ASSERT_TRUE(ack(2, t0 + 1ms));
  const auto rtt = acks.rtt().rtt();
  for (const std::uint64_t n : {2u, 1u, 0u}) {
    EXPECT_TRUE(ack(n, t0 + 500ms));
    EXPECT_TRUE(delivered.empty());
    EXPECT_FALSE(last.any);
  }
  EXPECT_EQ(acks.rtt().rtt(), rtt);
  EXPECT_EQ(acks.bytes(), 100_B);
}

TEST_F(AckTrackerTest, AckOfTheUnsentIsRefusedAndChangesNothing) {
  write(1);
  EXPECT_FALSE(ack(2, t0));
  EXPECT_FALSE(ack(~std::uint64_t{0}, t0));
  EXPECT_TRUE(delivered.empty());
  EXPECT_EQ(acks.bytes(), 100_B);
  EXPECT_TRUE(ack(1, t0));
  EXPECT_EQ(delivered.size(), 1u);
}

// The newest record covered: waiting for an acknowledgement together is not the path's delay.
TEST_F(AckTrackerTest, RoundTripIsTheSmallestOfOneAck) {
  write(1);
  write(1, t0 + 30ms);
  ASSERT_TRUE(ack(2, t0 + 50ms));
  EXPECT_EQ(last.rtt, Duration(20ms));
  EXPECT_EQ(acks.rtt().rtt(), Duration(20ms));
  EXPECT_EQ(acks.rtt().low(), Duration(20ms));
  write(1, t0 + 100ms);
  ASSERT_TRUE(ack(3, t0 + 200ms));
  EXPECT_EQ(acks.rtt().rtt(), Duration(30ms));  // 7/8 of 20 + 1/8 of 100
  EXPECT_LT(acks.rtt().low(), Duration(21ms));
  write(1, t0 + 300ms);
  ASSERT_TRUE(ack(4, t0 + 310ms));
  EXPECT_EQ(acks.rtt().low(), Duration(10ms));  // follows dips at once
}

// What waited for a path to come back is no round trip, and fills no window.
TEST_F(AckTrackerTest, AcrossAnOutageThereIsNoSample) {
  write(1);
  ASSERT_TRUE(ack(1, t0 + 40ms));
  write(3, t0 + 50ms);
  acks.on_outage_over();
  EXPECT_EQ(acks.in_flight(), 0_B);
  EXPECT_EQ(acks.cut(), 300_B);
  EXPECT_EQ(acks.bytes(), 300_B);  // still to be acknowledged
  ASSERT_TRUE(ack(3, t0 + 3000ms));
  EXPECT_EQ(last.rtt, Duration());
  EXPECT_EQ(last.bytes, 0_B);
  EXPECT_EQ(acks.cut(), 100_B);
  write(1, t0 + 3000ms);
  EXPECT_EQ(acks.in_flight(), 100_B);
  ASSERT_TRUE(ack(5, t0 + 3040ms));
  EXPECT_EQ(last.rtt, Duration(40ms));
  EXPECT_EQ(last.bytes, 100_B);
  EXPECT_EQ(acks.rtt().rtt(), Duration(40ms));
  EXPECT_TRUE(acks.empty());
  write(2, t0 + 4000ms);
  acks.on_outage_over();
  acks.restart();  // and a failover: all of it is written again
  write_again(2, t0 + 5000ms);
  EXPECT_EQ(acks.cut(), 0_B);
  EXPECT_EQ(acks.in_flight(), 220_B);
}

// Something came another way: the socket stands still, and so does what is written to it meanwhile.
TEST_F(AckTrackerTest, ASocketThatStandsIsNoSample) {
  write(2);
  acks.on_outage_over();
  write(1, t0 + 3000ms);
  EXPECT_EQ(acks.in_flight(), 100_B);
  EXPECT_EQ(acks.cut(), 200_B);
  ASSERT_TRUE(ack(1, t0 + 3500ms));
  ASSERT_TRUE(ack(3, t0 + 3600ms));
  EXPECT_EQ(last.rtt, Duration());
  EXPECT_EQ(last.bytes, 100_B);
  write(1, t0 + 3600ms);
  ASSERT_TRUE(ack(4, t0 + 3640ms));
  EXPECT_EQ(acks.rtt().rtt(), Duration(40ms));
}

// Nor does the next one after a failover, until it moves itself.
TEST_F(AckTrackerTest, WhereAllSocketsStandNoneIsASample) {
  write(2);
  acks.on_outage_over();
  acks.restart();
  write_again(2, t0 + 3000ms);
  write(1, t0 + 3000ms);
  ASSERT_TRUE(acks.on_ack(1, false, t0 + 3200ms, [](const AckTracker::Written&) {}));
  ASSERT_TRUE(ack(3, t0 + 3500ms));
  EXPECT_EQ(last.rtt, Duration());
  write(1, t0 + 3500ms);
  ASSERT_TRUE(ack(4, t0 + 3540ms));
  EXPECT_EQ(last.rtt, Duration(40ms));
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
  write(3);
  ASSERT_TRUE(ack(1, t0));
  EXPECT_EQ(acks.abandon()->chunk.number, 2u);
  EXPECT_EQ(acks.abandon()->chunk.number, 3u);
  EXPECT_FALSE(acks.abandon());
  EXPECT_EQ(acks.bytes(), 0_B);
  EXPECT_EQ(acks.acked(), 100_B);
}

TEST_F(AckTrackerTest, RestartWritesAgainUnderTheSameNumbers) {
  write(4);
  ASSERT_TRUE(ack(1, t0 + 1ms));
  acks.restart();
  EXPECT_TRUE(acks.waits_again());
  EXPECT_EQ(acks.next_number(), 1u);
  EXPECT_EQ(acks.in_flight(), 0_B);
  EXPECT_EQ(acks.bytes(), 300_B);
  EXPECT_EQ(acks.oldest_in_flight(), qvid::kNever);
  EXPECT_EQ(acks.next_again().chunk.number, 2u);
  write_again(3, t0 + 300ms);
  EXPECT_FALSE(acks.waits_again());
  EXPECT_EQ(acks.next_number(), 4u);
  EXPECT_EQ(acks.in_flight(), 330_B);
  EXPECT_EQ(acks.oldest(), t0);  // since when the peer owes an acknowledgement
  EXPECT_EQ(acks.oldest_in_flight(), t0 + 300ms);
  ASSERT_TRUE(ack(4, t0 + 310ms));
  EXPECT_EQ(delivered, (Numbers{2, 3, 4}));
  // Which of the two writes it answers, nobody knows: longer than what was known, it is so at least.
  EXPECT_EQ(last.rtt, Duration(10ms));
}

TEST_F(AckTrackerTest, WhatAnswersOneOfTwoWritesMakesTheRoundTripOnlyLonger) {
  write(1);
  ASSERT_TRUE(ack(1, t0 + 50ms));
  write(2);
  acks.restart();
  write_again(2, t0 + 300ms);
  ASSERT_TRUE(ack(2, t0 + 340ms));
  EXPECT_EQ(last.rtt, Duration());
  acks.restart();
  write_again(1, t0 + 400ms);
  ASSERT_TRUE(ack(3, t0 + 1000ms));
  EXPECT_EQ(last.rtt, Duration(600ms));
}

// The first acknowledgement after a move may be for what the channel before has brought, the next
// can only be for what was written to this one.
TEST_F(AckTrackerTest, WrittenAgainIsASampleFromTheSecondAcknowledgementOn) {
  write(4);
  acks.restart();
  write_again(4, t0 + 300ms);
  EXPECT_TRUE(ack(1, t0 + 340ms));
  EXPECT_EQ(last.rtt, Duration());
  EXPECT_TRUE(ack(3, t0 + 350ms));
  EXPECT_EQ(last.rtt, Duration(50ms));
  EXPECT_TRUE(acks.on_ack(4, false, t0 + 360ms, [](const auto&) {}));
  EXPECT_EQ(acks.rtt().rtt(), Duration(50ms));  // over another channel: no sample
}

// The failed channel had delivered more than was known: the rest of it need not be written again.
TEST_F(AckTrackerTest, AckOfWhatWaitsToBeWrittenAgain) {
  write(6);
  acks.restart();
  write_again(2, t0 + 300ms);
  ASSERT_TRUE(ack(4, t0 + 310ms));
  EXPECT_EQ(delivered, (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(last.bytes, 220_B);  // of this channel
  EXPECT_EQ(acks.in_flight(), 0_B);
  EXPECT_EQ(acks.next_number(), 4u);
  EXPECT_TRUE(acks.take_skipped());
  EXPECT_FALSE(acks.take_skipped());
  EXPECT_EQ(acks.next_again().chunk.number, 5u);
  write_again(2, t0 + 320ms);
  write(1, t0 + 330ms);
  ASSERT_TRUE(ack(7, t0 + 360ms));
  EXPECT_FALSE(acks.take_skipped());
  EXPECT_EQ(last.rtt, Duration(30ms));
  EXPECT_EQ(acks.bytes(), 0_B);
}

TEST_F(AckTrackerTest, ForgottenMessageIsAnEmptyRecord) {
  write(3);
  acks.forget(MessageId(2));
  acks.forget(MessageId(9));
  acks.restart();
  Numbers chunks;
  while (acks.waits_again()) {
    const AckTracker::Written& w = acks.next_again();
    if (w.type == RecordType::kChunk) chunks.push_back(w.chunk.number);
    EXPECT_EQ(w.chunk.bytes.empty(), w.type != RecordType::kChunk);
    acks.on_written_again(w.type == RecordType::kChunk ? 100_B : 2_B, t0 + 1ms);
  }
  EXPECT_EQ(chunks, (Numbers{1, 3}));
  EXPECT_EQ(acks.bytes(), 202_B);
  EXPECT_TRUE(ack(3, t0 + 2ms));
}

}  // namespace
}  // namespace paceline::ack_tracker_test
