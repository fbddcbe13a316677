// A look at the path without this flow's queue: how far it drains, how long it holds, and when it ends.
#include "transport/control/dip.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using qvid::Duration;
using qvid::Timestamp;
using qvid::operator""ms;
using qvid::operator""s;

Dip::Flow a_flow(std::int64_t outstanding) {
  return {.window = 40'000,
          .chunk = 1400,
          .base = 30ms,
          .usual_queue = 30ms,
          .acked = 100'000 - outstanding,
          .outstanding = outstanding};
}

// Urgent messages do not wait for the window: what is outstanding never comes down to the level.
TEST(Dip, EndsThoughUrgentMessagesGoOn) {
  Dip dip;
  Dip::Flow flow{.window = 20'000,
                 .chunk = 1400,
                 .base = 30ms,
                 .usual_queue = 40ms,
                 .acked = 100'000,
                 .outstanding = 20'000};
  const Timestamp begin(10s);
  dip.begin(flow, 70ms, Dip::Kind::kAlone, begin);
  EXPECT_FALSE(dip.step(flow, begin + 10ms));
  bool over = false;
  Duration taken{};
  for (; !over && taken < 2s; taken += 10ms) {
    flow.acked += 1000;
    flow.outstanding = std::max<std::int64_t>(flow.outstanding - 1000, 9000);
    over = dip.step(flow, begin + taken);
  }
  EXPECT_TRUE(over);
  EXPECT_LT(taken, 500ms);
  EXPECT_FALSE(dip.active());
}

TEST(Dip, DrainsToHalfOfItsPartAndHoldsThatForARound) {
  Dip dip;
  Timestamp now(10s);
  dip.begin(a_flow(40'000), 60ms, Dip::Kind::kAlone, now);
  EXPECT_TRUE(dip.active());
  EXPECT_DOUBLE_EQ(dip.level(), 0.5 * 40'000 / 2);
  dip.on_rtt(45ms);
  EXPECT_FALSE(dip.step(a_flow(20'000), now += 30ms));
  EXPECT_FALSE(dip.step(a_flow(10'000), now += 30ms));  // the hold begins
  dip.on_rtt(31ms);
  EXPECT_FALSE(dip.step(a_flow(0), now += 60ms));
  auto later = a_flow(0);
  later.acked += 1400;
  EXPECT_TRUE(dip.step(later, now += 30ms));
  EXPECT_FALSE(dip.active());
  EXPECT_EQ(dip.low(), 31ms);
}

TEST(Dip, EndsWithTheFirstAnswerHoweverSmall) {
  Dip dip;
  Timestamp now(10s);
  dip.begin(a_flow(1000), 60ms, Dip::Kind::kAlone, now);
  EXPECT_FALSE(dip.step(a_flow(0), now += 30ms));  // the hold begins
  auto later = a_flow(0);
  EXPECT_FALSE(dip.step(later, now += 90ms));  // nothing was answered
  later.acked += 37;
  EXPECT_TRUE(dip.step(later, now += 30ms));
}

TEST(Dip, OfACompetitorWithLittleToSendIsBounded) {
  Dip dip;
  Timestamp now(10s);
  auto flow = a_flow(0);
  flow.competing = true;
  dip.begin(flow, 60ms, Dip::Kind::kAlone, now);
  EXPECT_FALSE(dip.step(flow, now));
  flow.acked += 37;
  EXPECT_FALSE(dip.step(flow, now += 100ms));
  EXPECT_TRUE(dip.step(flow, now += 150ms));
}

// However long the queue is: a quarter of the window, and it ends all the same.
TEST(Dip, BesideACompetitorAQuarterGoesOn) {
  Dip dip;
  Timestamp now(10s);
  auto flow = a_flow(40'000);
  flow.competing = true;
  dip.begin(flow, 1s, Dip::Kind::kAlone, now);
  EXPECT_TRUE(dip.goes_on());
  EXPECT_DOUBLE_EQ(dip.level(), flow.window / 4);
  bool over = false;
  Duration taken{};
  for (; !over && taken < 5s; taken += 10ms) {
    flow.acked += taken < 1s ? 400 : 100;
    flow.outstanding = std::max<std::int64_t>(flow.outstanding - 300, 10'000);
    over = dip.step(flow, now += 10ms);
  }
  EXPECT_GT(taken, 1800ms) << "a round trip each for what was under way and for what tells";
  EXPECT_LT(taken, 2500ms);
  EXPECT_FALSE(dip.goes_on());

  dip.begin(flow, 1s, Dip::Kind::kStop, now);
  EXPECT_FALSE(dip.goes_on());
  dip.cancel();
  flow.competing = false;
  dip.begin(flow, 1s, Dip::Kind::kAlone, now);
  EXPECT_FALSE(dip.goes_on());
}

TEST(Dip, ThatStopsWaitsForTheOthersAndSendsOneChunk) {
  Dip dip;
  Timestamp now(10s);
  dip.begin(a_flow(4000), 60ms, Dip::Kind::kStop, now);
  EXPECT_LT(dip.level(), 1400);
  EXPECT_FALSE(dip.step(a_flow(0), now += 60ms));
  EXPECT_GT(dip.paused_until(), now);
  EXPECT_LE(dip.paused_until(), Timestamp(10s) + 200ms);
  EXPECT_FALSE(dip.step(a_flow(0), now += 60ms));
  auto later = a_flow(0);
  later.acked += 1400;
  EXPECT_FALSE(dip.step(later, now += 60ms));
  EXPECT_TRUE(dip.step(later, now += 60ms));
}

// At a random moment, which is over before those who hold for the shortest time go on.
TEST(Dip, SendsItsOneChunkWhileTheOthersHold) {
  Duration earliest = Duration::max();
  Duration latest{};
  for (int i = 0; i < 1000; ++i) {
    Dip dip;
    const Timestamp now = Timestamp(10s) + i * 1us;
    Dip::Flow flow = a_flow(0);
    flow.window = 2000;
    dip.begin(flow, 60ms, Dip::Kind::kAlone, now);
    EXPECT_FALSE(dip.step(flow, now));
    earliest = std::min(earliest, dip.paused_until() - now);
    latest = std::max(latest, dip.paused_until() - now);
  }
  EXPECT_GE(earliest, 20ms);
  EXPECT_LE(earliest, 25ms);
  EXPECT_GE(latest, 60ms);
  EXPECT_LE(latest, 65ms);
}

TEST(Dip, InCompanyGoesOnAtHalfAndWaitsForTheOthers) {
  Dip dip;
  Timestamp now(10s);
  dip.begin(a_flow(40'000), 60ms, Dip::Kind::kInCompany, now);
  EXPECT_DOUBLE_EQ(dip.level(), 0.5 * 40'000 / 2);
  EXPECT_FALSE(dip.step(a_flow(10'000), now += 60ms));  // the hold begins
  EXPECT_LE(dip.paused_until(), now);
  auto later = a_flow(0);
  later.acked += 1400;
  EXPECT_FALSE(dip.step(later, now += 130ms));
  EXPECT_TRUE(dip.step(later, now += 20ms));
}

TEST(Dip, OfACompetitorWaitsLongerWhereOthersDipToo) {
  Dip alone, together;
  auto flow = a_flow(0);
  flow.competing = true;
  for (Dip* dip : {&alone, &together}) {
    dip->begin(flow, 100ms, Dip::Kind::kAlone, Timestamp(10s));
    dip->step(flow, Timestamp(10s));
  }
  flow.acked += 40'000;
  alone.on_rtt(60ms);
  together.on_rtt(35ms);
  EXPECT_TRUE(alone.step(flow, Timestamp(10s) + 100ms));
  EXPECT_FALSE(together.step(flow, Timestamp(10s) + 100ms));
  EXPECT_TRUE(together.step(flow, Timestamp(10s) + 260ms));
}

}  // namespace
}  // namespace paceline
