// What is urgent goes on where the controller's gate is shut, within bounds and at the others' cost; and
// beside a competitor segments are filled.
#include "transport/send/sender.h"

#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>

#include "tests/transport/control/pace_path.h"

namespace paceline {
namespace {

using qvid::operator""_B;
using qvid::operator""_MiB;
using qvid::operator""ms;
using qvid::operator""s;

constexpr StreamId kPictures{1};
constexpr StreamId kSounds{2};

class SenderTest : public testing::Test {
 protected:
  SenderTest()
      : sender_(
            {.send_capacity = 4_MiB, .reassembly_budget = 4_MiB, .controller = {.name = "pace"}},
            events_) {
    sender_.queue().open_stream(kPictures, 1.0);
    sender_.queue().open_stream(kSounds, 1.0);
    sender_.start_epoch(false, now_);
  }
  void push(StreamId stream, int importance, std::size_t size) {
    ASSERT_TRUE(sender_.queue().push(
        stream, {.importance = Importance(static_cast<std::uint8_t>(importance)),
                 .position = Position(next_++),
                 .payload = Payload::copy_of(std::string(size, 'x'))}));
  }
  // A competitor's queue lasts though this flow gives way.
  void compete() {
    push(kPictures, 100, 3'000'000);
    for (int i = 0; i < 400 && !sender_.controller().signals().competing; ++i) {
      sender_.on_socket(true, ChannelId(1), window_of_20(0), now_);
      produced();
      now_ += i < 100 ? 30ms : 150ms + i % 3 * 20ms;
      ASSERT_TRUE(sender_.on_ack(sender_.acks().next_number(), true, now_));
    }
    ASSERT_TRUE(sender_.controller().signals().competing);
    now_ += 10ms;  // full segments may go at once from now on
    while (sender_.queue().messages() > 0) {
      (void)sender_.queue().remove_any();
    }
  }
  std::size_t produced() {
    WriteBatch batch;
    sender_.produce(batch, now_, 1 << 20);
    first_ = {};
    batch.for_each([&](std::span<const std::byte> run) {
      if (!first_) first_ = static_cast<RecordType>(run.front());
    });
    return batch.size();
  }

  std::optional<RecordType> first_;  // of what was produced last
  Timestamp now_{10s};
  std::uint64_t next_ = 0;
  std::vector<SessionEvent> events_;
  Sender sender_;
};

TEST_F(SenderTest, UrgentGoesOnWhereTheGateIsShut) {
  push(kPictures, 200, 500'000);
  while (produced() > 0) {
  }
  ASSERT_TRUE(sender_.gated(now_));
  // More of the picture waits, and so it does with more of it; sound does not.
  push(kPictures, 253, 100);
  EXPECT_EQ(produced(), 0u);
  push(kSounds, 254, 100);
  const std::size_t one = produced();
  EXPECT_GT(one, 100u);
  EXPECT_LT(one, 200u);
  // Up to eight kilobytes of it: then it waits as well.
  std::size_t more = 0;
  for (int i = 0; i < 200; ++i) {
    push(kSounds, 254, 100);
    more += produced();
  }
  EXPECT_GT(more, 6000u);
  EXPECT_LT(more, 8192u + 200u);
  EXPECT_EQ(produced(), 0u);
  EXPECT_GT(sender_.queue().messages(), 100u);
}

// Beside a competitor each small write would be a segment of the kernel's window.
TEST_F(SenderTest, CompetingItFillsSegments) {
  ASSERT_NO_FATAL_FAILURE(compete());
  // What was begun is filled with what follows, though the gate is closed by then.
  push(kPictures, 100, 400);
  push(kPictures, 100, 400);
  push(kPictures, 100, 4000);
  SocketSample sample = window_of_20(0);
  sample.unacked = ByteCount(20 * 1448 - 724 - 200);
  sender_.on_socket(true, ChannelId(1), sample, now_);
  EXPECT_GT(produced(), 1300u);
  ASSERT_TRUE(sender_.gated(now_));
  // The end of a message that has begun waits for the gate with other content.
  sender_.close_stream(kPictures);
  push(kSounds, 100, 4000);
  EXPECT_EQ(produced(), 0u);
  sender_.on_socket(true, ChannelId(1), window_of_20(0), now_);
  EXPECT_GT(produced(), 1300u);
  EXPECT_EQ(first_, RecordType::kCancel);
  // By itself, where nothing else waits.
  sample.unacked = ByteCount(25 * 1448);
  sender_.on_socket(true, ChannelId(1), sample, now_);
  sender_.close_stream(kSounds);
  EXPECT_GT(produced(), 0u);
  EXPECT_EQ(produced(), 0u);
}

TEST_F(SenderTest, WhatIsLargeIsNotUrgent) {
  push(kPictures, 200, 500'000);
  while (produced() > 0) {
  }
  push(kSounds, 255, SendQueue::kMostUrgent + 1);
  EXPECT_EQ(produced(), 0u);
}

}  // namespace
}  // namespace paceline
