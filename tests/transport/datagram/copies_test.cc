// What goes once more by datagrams, unasked.
#include <gtest/gtest.h>

#include "transport/datagram/outgoing_datagrams.h"

namespace paceline::copies_test {
namespace {

using qvid::operator""ms;
using qvid::operator""s;
using Bytes = std::vector<std::byte>;

constexpr Timestamp kNow{std::chrono::seconds(1)};
constexpr Duration kRtt = 800ms;
constexpr Duration kApart = 10ms;

TEST(ImportantPart, IsTheMostImportantThirdOfLateAndTheMostImportantSixth) {
  ImportantPart part;
  EXPECT_EQ(part.copies(Importance(200), 1000), 0) << "it is all there is";
  for (int i = 0; i < 100; ++i) {
    part.copies(Importance(100), 3500);
    const int once = part.copies(Importance(200), 1000);
    const int twice = part.copies(Importance(220), 500);
    if (i > 2) {
      EXPECT_EQ(once, 1) << i;
      EXPECT_EQ(twice, 2) << i;
    }
  }
  // As many that are more important: together they are too much.
  for (int i = 0; i < 100; ++i) {
    part.copies(Importance(100), 3000);
    part.copies(Importance(220), 1000);
    const int lower = part.copies(Importance(200), 1000);
    if (i > 50) {
      EXPECT_EQ(lower, 0) << i;
    }
  }
  EXPECT_EQ(part.copies(Importance(220), 1000), 1);
  EXPECT_EQ(part.copies(Importance(255), 1), 2);
  EXPECT_EQ(part.copies(Importance(0), 1), 0);
}

struct Copies : testing::Test {
  Copies() {
    out.set_copying(true, true);
    // Those of importance 200 are of the most important third, but not of the sixth.
    for (int i = 0; i < 10; ++i) {
      send(4000, 100, 50ms);
      send(800, 240, 2s);
    }
  }
  // All of it goes at once.
  std::uint64_t send(std::size_t size, int importance, Duration good) {
    out.add({.number = ++number,
             .id = MessageId(number),
             .stream = StreamId(1),
             .importance = Importance(static_cast<std::uint8_t>(importance)),
             .position = Position(number),
             .deadline = now + good,
             .bytes = Payload::copy_of(Bytes(size)),
             .urgent = importance >= 254});
    while (out.take_fresh(1000, kRtt, now)) {
    }
    return number;
  }
  auto take_important(std::size_t room, Timestamp at) {
    return out.take_important_copy(room, kRtt, at);
  }
  OutgoingDatagrams out;
  Timestamp now = kNow;
  std::uint64_t number = 0;
};

TEST_F(Copies, OfTheMostImportantThatNoRepairWouldReachInTimeGo) {
  send(1000, 100, 100ms);
  send(500, 200, 2s);  // a repair is in time
  const std::uint64_t copied = send(500, 200, 100ms);
  EXPECT_FALSE(take_important(1000, now + kApart - 1ms)) << "lost with the first";
  const auto copy = take_important(1000, now + kApart);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->message, copied);
  EXPECT_EQ(copy->end, 500u);
  EXPECT_FALSE(take_important(1000, now + 2 * kApart)) << "only once";
  out.set_copying(true, false);
  send(500, 200, 100ms);
  EXPECT_FALSE(take_important(1000, now + kApart));
}

TEST_F(Copies, GoInPartsUntilTheyAreOfNoUse) {
  send(1000, 200, 100ms);
  const auto first = take_important(600, now + kApart);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->end, 600u);
  EXPECT_FALSE(take_important(255, now + kApart)) << "a crumb";
  const auto rest = take_important(600, now + kApart);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->begin, 600u);
  EXPECT_EQ(rest->end, 1000u);
  send(1000, 200, 100ms);
  EXPECT_FALSE(take_important(1000, now + 100ms)) << "it has expired";
  const std::uint64_t arrived = send(100, 200, 100ms);
  bool whole = false;
  out.on_arrived({arrived, 0, 100}, whole);
  EXPECT_TRUE(whole);
  EXPECT_FALSE(take_important(1000, now + kApart));
  send(100, 200, 100ms);
  out.send_again({number, 0, 100});
  EXPECT_FALSE(take_important(1000, now + kApart)) << "it is repaired";
}

TEST_F(Copies, OfTheMostImportantSixthGoTwice) {
  send(1000, 250, 300ms);
  EXPECT_TRUE(take_important(1000, now + kApart));
  EXPECT_FALSE(take_important(1000, now + 2 * kApart - 1ms));
  EXPECT_TRUE(take_important(600, now + 2 * kApart));
  const auto rest = take_important(600, now + 2 * kApart);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->begin, 600u);
  EXPECT_FALSE(take_important(1000, now + 1s));
}

// Nor does what is urgent count, however much it is.
TEST_F(Copies, OfWhatIsUrgentDoNotWaitForOthers) {
  for (int i = 0; i < 100; ++i) send(400, 255, 1s);
  for (std::size_t i = 0; i < 2 * OutgoingDatagrams::kMostImportant; ++i) send(500, 200, 100ms);
  const std::uint64_t spoken = send(100, 255, 1s);
  now += kApart;
  int urgent = 0;
  std::uint64_t last = 0;
  for (; const auto copy = out.take_copy(1000, now); ++urgent) last = copy->message;
  EXPECT_EQ(urgent, static_cast<int>(OutgoingDatagrams::kMostCopies));
  EXPECT_EQ(last, spoken);
  std::size_t others = 0;
  while (take_important(1000, now)) ++others;
  EXPECT_EQ(others, OutgoingDatagrams::kMostImportant);
  send(OutgoingDatagrams::kMostCopied + 1, 255, 1s);
  EXPECT_FALSE(out.take_copy(1000, now + kApart)) << "too large";
  send(300, 255, 1s);
  EXPECT_FALSE(out.take_copy(299, now + kApart)) << "only whole";
}

// Its loss is known when its deadline has come; whoever is told cancels all that needs it.
TEST_F(Copies, MayStillArriveWhereTheFirstIsLost) {
  send(1000, 240, 300ms);
  now += 200ms;
  ASSERT_TRUE(take_important(1000, now));
  const Timestamp copied = now;
  now = kNow + kRtt;
  int lost = 0;
  const auto expire = [&](Timestamp at) {
    out.expire(at, 0ms, [&](const auto&, std::size_t, bool) { ++lost; });
  };
  out.send_again({number, 0, 1000});
  expire(now);
  expire(copied + kRtt);
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(out.next_deadline(), copied + kRtt * 5 / 4);
  expire(copied + kRtt * 5 / 4);
  EXPECT_EQ(lost, 1);
}

TEST_F(Copies, WaitForTheGate) {
  send(500, 240, 300ms);
  out.grant_copies(false);
  EXPECT_FALSE(take_important(1000, now + kApart));
  out.grant_copies(true);
  EXPECT_TRUE(take_important(1000, now + kApart));
}

}  // namespace
}  // namespace paceline::copies_test
