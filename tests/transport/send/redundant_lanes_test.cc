// Which urgent messages go over which lane, and when; what is said of them is true.
#include "transport/send/redundant_lanes.h"

#include <gtest/gtest.h>

#include "tests/transport/call.h"
#include "transport/wire/duplicate_filter.h"
#include "transport/wire/record_parser.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

constexpr Timestamp kBegin{10s};
constexpr ChannelId kA{1}, kB{2}, kC{3}, kD{4};

TEST(DuplicateFilter, TakesEachNumberOnce) {
  DuplicateFilter window;
  EXPECT_TRUE(window.take(0));
  EXPECT_FALSE(window.take(0));
  EXPECT_TRUE(window.take(2));
  EXPECT_TRUE(window.take(1));
  EXPECT_FALSE(window.take(2));
  EXPECT_TRUE(window.take(2 + DuplicateFilter::kSize));
  EXPECT_FALSE(window.take(2));  // too far behind to be known
  EXPECT_TRUE(window.take(3));
  EXPECT_FALSE(window.take(3));
  EXPECT_TRUE(window.take(1'000'000'000));
  EXPECT_FALSE(window.take(3 + DuplicateFilter::kSize));
  EXPECT_TRUE(window.take(999'999'999));
}

struct RedundantLanesTest : testing::Test {
  RedundantLanesTest() {
    lanes.on_trouble(kBegin);
    lanes.on_message(kBegin);
  }
  static OutgoingChunk chunk(std::uint64_t id, Timestamp deadline, std::size_t size) {
    return {.message = MessageId(id),
            .stream = kFirstStream,
            .first = true,
            .last = true,
            .message_size = ByteCount::of(size),
            .importance = Importance(254),
            .position = Position(id),
            .bytes = payload(id, size),
            .deadline = deadline};
  }
  void add(std::uint64_t id, Timestamp deadline = kBegin + 5s, std::size_t size = 8) {
    lanes.add(chunk(id, deadline, size), kBegin);
  }
  void add_alone(std::uint64_t id, ChannelId channel) {
    lanes.add_alone(chunk(id, kBegin + 5s, 8), channel, kBegin);
  }
  // The numbers that are written to that channel now.
  std::vector<std::uint64_t> write(ChannelId channel, Timestamp now) {
    WriteBatch batch;
    lanes.produce(channel, batch, now);
    std::vector<std::byte> bytes;
    batch.for_each(
        [&](std::span<const std::byte> run) { bytes.insert(bytes.end(), run.begin(), run.end()); });
    RecordParser parser = RecordParser::behind_preamble();
    parser.feed(bytes);
    std::vector<std::uint64_t> numbers;
    for (;;) {
      const auto step = parser.next();
      if (!std::holds_alternative<Record>(step)) return numbers;
      numbers.push_back(std::get<LaneMessage>(std::get<Record>(step)).number);
    }
  }
  bool ack(ChannelId channel, std::uint64_t number, Timestamp now) {
    return lanes.on_ack(channel, number, now, note()).has_value();
  }
  std::function<void(const OutgoingChunk&, Outcome)> note() {
    return [this](const OutgoingChunk& c, Outcome outcome) {
      ended.emplace_back(c.message.value(), outcome);
    };
  }
  using Ended = std::vector<std::pair<std::uint64_t, Outcome>>;
  using Numbers = std::vector<std::uint64_t>;

  RedundantLanes lanes;
  Ended ended;
};

TEST_F(RedundantLanesTest, EveryLaneBringsAllAndTheFirstAckEndsThem) {
  EXPECT_FALSE(lanes.open(kBegin));
  lanes.move(0, kA);
  lanes.move(1, kB);
  ASSERT_TRUE(lanes.open(kBegin));
  for (const std::uint64_t id : {70u, 71u, 72u}) add(id);
  EXPECT_EQ(write(kA, kBegin), (Numbers{0, 1, 2}));
  EXPECT_EQ(write(kB, kBegin), (Numbers{0, 1, 2}));
  EXPECT_EQ(write(kC, kBegin), Numbers{});
  EXPECT_EQ(lanes.sent(), 6u);
  EXPECT_TRUE(ack(kB, 1, kBegin + 30ms));
  EXPECT_EQ(ended, (Ended{{70, Outcome::kDelivered}, {71, Outcome::kDelivered}}));
  EXPECT_TRUE(ack(kA, 2, kBegin + 40ms));
  EXPECT_EQ(ended.size(), 3u);
  EXPECT_TRUE(ack(kB, 2, kBegin + 50ms));
  EXPECT_EQ(ended.size(), 3u);
  EXPECT_TRUE(lanes.empty());
  EXPECT_FALSE(ack(kA, 3, kBegin + 50ms));  // never written
  EXPECT_TRUE(ack(kD, 2, kBegin + 50ms));   // no lane, and nothing on it
}

TEST_F(RedundantLanesTest, WhatWasOnAClosedChannelIsWrittenAgain) {
  lanes.move(0, kA);
  lanes.move(1, kB);
  add(70);
  add(71);
  write(kA, kBegin);
  write(kB, kBegin);
  lanes.on_closed(kA);
  EXPECT_EQ(write(kB, kBegin + 1s), Numbers{});  // it still has them
  lanes.on_closed(kB);
  EXPECT_FALSE(lanes.open(kBegin));
  // Not cancelled, though expired: nobody knows whether they have arrived.
  lanes.expire(kBegin + 6s, note());
  EXPECT_EQ(ended, Ended{});
  lanes.move(0, kC);
  EXPECT_EQ(write(kC, kBegin + 6s), (Numbers{0, 1}));
  add(72, kBegin + 9s);
  EXPECT_EQ(write(kC, kBegin + 6s), Numbers{2});
  EXPECT_TRUE(ack(kC, 1, kBegin + 7s));
  EXPECT_EQ(ended, (Ended{{70, Outcome::kDelivered}, {71, Outcome::kDelivered}}));
}

// The socket that it goes on by may be as dead as the path of datagrams was: what nobody wants any
// more fills no window.
TEST_F(RedundantLanesTest, WhatLeftDatagramsIsLostWhenItExpires) {
  add_alone(70, kDatagrams);
  add_alone(71, kDatagrams);
  lanes.expire(kBegin + 6s, note());
  EXPECT_EQ(ended, Ended{});  // what is on the path is the path's to expire
  lanes.leave_datagrams();
  EXPECT_EQ(write(kA, kBegin + 1s), (Numbers{0, 1}));
  EXPECT_EQ(lanes.alone(), ByteCount(16));
  EXPECT_EQ(lanes.next_deadline(), kBegin + 5s);
  lanes.expire(kBegin + 4s, note());
  ASSERT_TRUE(ack(kA, 0, kBegin + 4s));
  EXPECT_EQ(ended.back(), (std::pair(std::uint64_t{70}, Outcome::kDelivered)));
  lanes.expire(kBegin + 5s, note());
  EXPECT_EQ(ended.back(), (std::pair(std::uint64_t{71}, Outcome::kLost)));
  EXPECT_EQ(lanes.alone(), ByteCount());
  ASSERT_TRUE(ack(kA, 1, kBegin + 6s));  // it came after all
  EXPECT_EQ(ended.size(), 2u);
}

TEST_F(RedundantLanesTest, WhatIsForOneChannelAloneIsWrittenToThatOne) {
  lanes.move(0, kA);
  add_alone(70, kB);
  EXPECT_EQ(lanes.alone(), ByteCount(8));
  EXPECT_EQ(lanes.oldest_alone(), kBegin);
  EXPECT_TRUE(lanes.empty());  // of what lanes are for
  EXPECT_EQ(write(kA, kBegin), Numbers{});
  EXPECT_EQ(write(kB, kBegin), Numbers{0});
  EXPECT_EQ(write(kB, kBegin), Numbers{});
  const auto acked = lanes.on_ack(kB, 0, kBegin + 40ms, note());
  ASSERT_TRUE(acked);
  EXPECT_EQ(acked->alone, ByteCount(8));
  EXPECT_EQ(acked->rtt, 40ms);
  EXPECT_EQ(ended, (Ended{{70, Outcome::kDelivered}}));
  EXPECT_EQ(lanes.alone(), ByteCount());
  EXPECT_EQ(lanes.oldest_alone(), qvid::kNever);
}

TEST_F(RedundantLanesTest, WhatIsAloneOnAChannelThatClosesOrStallsGoesAnotherWayOnce) {
  add_alone(70, kB);  // never written
  add_alone(71, kC);
  EXPECT_EQ(write(kC, kBegin), Numbers{1});
  lanes.on_closed(kB);
  EXPECT_EQ(write(kA, kBegin), Numbers{0});
  lanes.leave_stalled(kBegin + 500ms);  // nobody knows the round trip yet
  EXPECT_EQ(write(kA, kBegin + 500ms), Numbers{});
  ASSERT_TRUE(ack(kA, 0, kBegin + 500ms));
  lanes.leave_stalled(kBegin + 2s);
  EXPECT_EQ(write(kC, kBegin + 2s), Numbers{});
  EXPECT_EQ(write(kA, kBegin + 2s), Numbers{1});
  lanes.leave_stalled(kBegin + 9s);
  EXPECT_EQ(write(kB, kBegin + 9s), Numbers{});
  lanes.on_closed(kC);
  EXPECT_EQ(write(kB, kBegin + 9s), Numbers{});  // it is on another still
  lanes.on_closed(kA);
  EXPECT_EQ(write(kB, kBegin + 9s), Numbers{1});
  ASSERT_TRUE(ack(kB, 1, kBegin + 10s));
  EXPECT_EQ(ended, (Ended{{70, Outcome::kDelivered}, {71, Outcome::kDelivered}}));
}

TEST_F(RedundantLanesTest, WhatExpiresUnwrittenIsCancelled) {
  lanes.move(0, kA);
  add(70, kBegin + 100ms);
  add(71, kBegin + 300ms);
  EXPECT_EQ(lanes.next_deadline(), kBegin + 100ms);
  lanes.expire(kBegin + 100ms, note());
  EXPECT_EQ(ended, (Ended{{70, Outcome::kCancelled}}));
  EXPECT_EQ(write(kA, kBegin + 100ms), Numbers{1});
  lanes.expire(kBegin + 300ms, note());
  EXPECT_EQ(ended.size(), 1u);
  lanes.abandon(note());
  EXPECT_EQ(ended.back(), std::pair(std::uint64_t{71}, Outcome::kLost));
}

TEST_F(RedundantLanesTest, OfAClosedStreamNobodyKnowsWhatArrived) {
  lanes.move(0, kA);
  add(70);
  write(kA, kBegin);
  add(71);
  lanes.close_stream(StreamId(8), note());
  EXPECT_EQ(ended, Ended{});
  lanes.close_stream(kFirstStream, note());
  EXPECT_EQ(ended, (Ended{{70, Outcome::kLost}, {71, Outcome::kCancelled}}));
  EXPECT_TRUE(lanes.empty());
  EXPECT_EQ(write(kA, kBegin + 1s), Numbers{});
  EXPECT_TRUE(ack(kA, 0, kBegin + 1s));
}

TEST_F(RedundantLanesTest, ALaneThatStallsGoesOnElsewhereWithWhatIsNew) {
  lanes.move(0, kA);
  add(70);
  write(kA, kBegin);
  ASSERT_TRUE(ack(kA, 0, kBegin + 40ms));
  add(71);
  EXPECT_EQ(write(kA, kBegin + 100ms), Numbers{1});
  EXPECT_FALSE(lanes.stalls(kA, kBegin + 200ms));  // 40 ms, a quarter of it and 100 ms
  EXPECT_TRUE(lanes.stalls(kA, kBegin + 260ms));
  lanes.move(0, kB);
  add(72);
  EXPECT_EQ(write(kA, kBegin + 260ms), Numbers{});
  EXPECT_EQ(write(kB, kBegin + 260ms), Numbers{2});
  // TCP has repaired it.
  EXPECT_TRUE(ack(kA, 1, kBegin + 300ms));
  EXPECT_EQ(ended.back().first, 71u);
}

TEST_F(RedundantLanesTest, CollectsForAPartOfTheRoundTripInTurn) {
  lanes.move(0, kA);
  lanes.move(1, kB);
  add(70);
  write(kA, kBegin);
  ASSERT_TRUE(ack(kA, 0, kBegin + 100ms));  // so for 50 ms
  const Timestamp now = kBegin + 200ms;
  EXPECT_EQ(lanes.next_write(), qvid::kNever);
  add(71);
  EXPECT_EQ(lanes.next_write(), kBegin + 25ms);  // B has written nothing yet
  EXPECT_EQ(write(kA, now), Numbers{1});
  EXPECT_EQ(write(kB, now), Numbers{});
  EXPECT_EQ(lanes.next_write(), now + 25ms);  // half of it behind the first
  EXPECT_EQ(write(kB, now + 25ms), (Numbers{1}));
  add(72);
  EXPECT_EQ(write(kA, now + 40ms), Numbers{});
  add(73);
  EXPECT_EQ(write(kA, now + 50ms), (Numbers{2, 3}));
}

// The first lane brings all, whatever the path takes; a copy is for who has room for it.
TEST_F(RedundantLanesTest, CopiesTakeAQuarterOfThePath) {
  lanes.move(0, kA);
  lanes.move(1, kB);
  lanes.set_rate(qvid::DataRate::from_kbps(64));  // copies: 2000 bytes a second
  std::size_t first = 0;
  std::size_t copies = 0;
  for (std::uint64_t id = 0; id < 500; ++id) {
    const Timestamp now = kBegin + id * 20ms;
    add(id, now + 1s, 40);
    const Numbers written = write(kA, now);
    first += written.size();
    copies += write(kB, now).size();
    for (const std::uint64_t number : written) ack(kA, number, now);  // so nothing is collected
  }
  EXPECT_EQ(first, 500u);
  // 20 kB, of which each took some 50 bytes and 80 around it.
  EXPECT_GT(copies, 120u);
  EXPECT_LT(copies, 180u);
  lanes.set_rate({});  // unknown: nothing is limited
  add(500, kBegin + 12s);
  EXPECT_FALSE(write(kB, kBegin + 10s).empty());
}

TEST_F(RedundantLanesTest, TheThirdLaneBringsWhatIsMissing) {
  lanes.move(0, kA);
  lanes.move(1, kB);
  lanes.move(2, kC);
  add(70);
  write(kA, kBegin);
  ASSERT_TRUE(ack(kA, 0, kBegin + 40ms));
  const Timestamp later = kBegin + 1s;
  const auto both = [&](std::uint64_t id) {
    lanes.add(chunk(id, later + 5s, 8), later);
    write(kA, later);
    write(kB, later + 20ms);
    EXPECT_EQ(write(kC, later + 20ms), Numbers{});
  };
  both(71);
  lanes.add(chunk(72, later + 5s, 8), later);
  EXPECT_EQ(write(kA, later + 30ms), Numbers{2});
  EXPECT_EQ(write(kB, later + 40ms), Numbers{2});
  ASSERT_TRUE(ack(kB, 1, later + 50ms));
  // A quarter of the round trip that it was collected, and five quarters to be acknowledged.
  EXPECT_EQ(write(kC, later + 50ms), Numbers{});
  EXPECT_GT(lanes.next_write(), later + 50ms);
  EXPECT_LT(lanes.next_write(), later + 90ms);
  EXPECT_EQ(write(kC, lanes.next_write()), Numbers{2});
  EXPECT_EQ(write(kC, later + 200ms), Numbers{});
}

TEST_F(RedundantLanesTest, NoMoreIsUnderWayThanMayBe) {
  lanes.move(0, kA);
  Numbers all;
  for (std::uint64_t id = 0; lanes.open(kBegin); ++id) {
    add(id, kBegin + 5s, 1000);
    for (const std::uint64_t number : write(kA, kBegin)) all.push_back(number);
  }
  EXPECT_EQ(all.size(), 17u);  // some bytes more than 16 KiB
  EXPECT_EQ(lanes.next_write(), qvid::kNever);
  ASSERT_TRUE(ack(kA, 9, kBegin));
  EXPECT_EQ(write(kA, kBegin).size(), 10u);
  EXPECT_EQ(ended.size(), 10u);
}

}  // namespace
}  // namespace paceline
