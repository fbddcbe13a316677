#include "app/command/telling.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

constexpr Timestamp kFirstTurn{std::chrono::seconds(9)};
constexpr Duration kSoonAfter = std::chrono::milliseconds(7);
constexpr Duration kJustUnder = Telling::kLongest - std::chrono::milliseconds(1);

TEST(Telling, IsDueAtFirstAndThenAfterAWhile) {
  Telling telling;
  EXPECT_TRUE(telling.on_turn(false, kFirstTurn));
  EXPECT_FALSE(telling.on_turn(false, kFirstTurn + kSoonAfter));
  EXPECT_FALSE(telling.on_turn(false, kFirstTurn + kJustUnder));
  EXPECT_TRUE(telling.on_turn(false, kFirstTurn + Telling::kLongest));
  EXPECT_FALSE(telling.on_turn(false, kFirstTurn + Telling::kLongest + kJustUnder));
}

TEST(Telling, NewsAreToldAtOnceAndOnce) {
  Telling telling;
  telling.on_turn(false, kFirstTurn);
  telling.on_news();
  telling.on_news();
  EXPECT_TRUE(telling.on_turn(false, kFirstTurn + kSoonAfter));
  EXPECT_FALSE(telling.on_turn(false, kFirstTurn + 2 * kSoonAfter));
}

TEST(Telling, APictureOfATileThatIsNotKnownWaitsForNothing) {
  Telling telling;
  telling.on_turn(false, kFirstTurn);
  EXPECT_TRUE(telling.on_turn(true, kFirstTurn + kSoonAfter));
  EXPECT_FALSE(telling.on_turn(false, kFirstTurn + kSoonAfter + kJustUnder)) << "it was told then";
}

}  // namespace
}  // namespace qvid::app
