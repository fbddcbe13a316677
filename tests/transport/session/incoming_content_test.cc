#include "transport/session/incoming_content.h"

#include <gtest/gtest.h>

#include <array>

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

struct IncomingContentTest : testing::Test {
  IncomingContentTest() {
    EXPECT_TRUE(*content.on_activate({.epoch = 1}, false, now));
    content.take_ack();
  }
  Chunk whole(std::uint64_t number) const {
    Chunk chunk;
    chunk.number = number;
    chunk.first = chunk.last = true;
    chunk.message_size = bytes.size();
    chunk.bytes = bytes;
    return chunk;
  }
  template <class Event>
  std::size_t count() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        events, [](const SessionEvent& e) { return std::holds_alternative<Event>(e); }));
  }

  Timestamp now{100s};
  std::array<std::byte, 100> bytes{};
  std::vector<SessionEvent> events;
  IncomingContent content{{}, now, events};
};

TEST_F(IncomingContentTest, EachMessageOnceAndOneAckForAll) {
  EXPECT_TRUE(content.on(whole(0), true, now));
  EXPECT_TRUE(content.on(whole(1), true, now));
  EXPECT_TRUE(content.on(Ping{}, true, now));
  EXPECT_EQ(content.take_ack().value().next_expected, 3u);
  EXPECT_FALSE(content.take_ack());
  // Another channel writes the last two again.
  EXPECT_TRUE(*content.on_activate({.epoch = 2, .next = 1, .failover = true}, false, now + 300ms));
  EXPECT_EQ(content.take_ack().value().next_expected, 3u);
  EXPECT_TRUE(content.on(whole(1), true, now));
  EXPECT_TRUE(content.on(Ping{}, true, now));
  EXPECT_EQ(count<MessageArrived>(), 2u);
  EXPECT_EQ(content.counters().messages, 2u);
  EXPECT_EQ(content.duplicates(), 2u);
  ASSERT_EQ(count<FailedOver>(), 1u);
  const auto& told = std::get<FailedOver>(events.back());
  EXPECT_FALSE(told.sending);
  EXPECT_EQ(told.gap, 300ms);
  EXPECT_EQ(told.counter, 1u);
}

TEST_F(IncomingContentTest, WhatAnOldChannelStillBringsIsLeftAside) {
  EXPECT_TRUE(content.on(whole(0), false, now));
  EXPECT_TRUE(content.on(StreamClose{}, false, now));
  EXPECT_TRUE(events.empty());
  EXPECT_FALSE(content.take_ack());
}

TEST_F(IncomingContentTest, ARedundantMessageIsTakenFromTheFirstThatBringsIt) {
  const LaneMessage message{.number = 7,
                            .stream = kFirstStream,
                            .importance = Importance(254),
                            .position = {},
                            .bytes = bytes};
  for (int lane = 0; lane < 3; ++lane) EXPECT_TRUE(content.on(message));
  EXPECT_EQ(count<MessageArrived>(), 1u);
  EXPECT_EQ(content.counters().lanes, 1u);
  EXPECT_FALSE(content.take_ack());
}

TEST_F(IncomingContentTest, BreachesAreErrors) {
  EXPECT_FALSE(content.on_activate({.epoch = 1}, false, now));
  EXPECT_FALSE(content.on_activate({.epoch = 2, .next = 5}, false, now));
  Chunk chunk = whole(0);
  chunk.message_size = 50;
  EXPECT_FALSE(content.on(chunk, true, now));
}

}  // namespace
}  // namespace paceline
