#include "app/command/take_over.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

constexpr Timestamp kWaiting{std::chrono::hours(1)};

TEST(TakeOver, BeginsOnceTheOtherIsGoneForLongEnough) {
  TakeOver take_over("Rec");
  EXPECT_FALSE(take_over.look(true, true, kWaiting));
  EXPECT_FALSE(take_over.look(true, false, kWaiting + 1s));
  EXPECT_FALSE(take_over.look(true, false, kWaiting + 1s + TakeOver::kGone - 1ms));
  EXPECT_FALSE(take_over.begun());
  EXPECT_TRUE(take_over.look(true, false, kWaiting + 1s + TakeOver::kGone));
  EXPECT_TRUE(take_over.begun());
  EXPECT_FALSE(take_over.look(true, false, kWaiting + 1h));
  EXPECT_EQ(take_over.comment(kWaiting + 1s + TakeOver::kGone + 500ms),
            "goes on for Rec, who left 4.5 s before the first picture");
}

TEST(TakeOver, WaitsForOneWhoComesBack) {
  TakeOver take_over("Rec");
  EXPECT_FALSE(take_over.look(true, false, kWaiting));
  EXPECT_FALSE(take_over.look(true, true, kWaiting + 3s));
  EXPECT_FALSE(take_over.look(true, false, kWaiting + 4s));
  EXPECT_FALSE(take_over.look(true, false, kWaiting + 7s));
}

// Its own connection was lost: whether the other one is there it does not know.
TEST(TakeOver, WaitsWhileItSeesNobody) {
  TakeOver take_over("Rec");
  EXPECT_FALSE(take_over.look(true, false, kWaiting));
  EXPECT_FALSE(take_over.look(false, false, kWaiting + 10s));
  EXPECT_FALSE(take_over.look(true, false, kWaiting + 11s));
  EXPECT_TRUE(take_over.look(true, false, kWaiting + 15s));
  EXPECT_EQ(take_over.comment(kWaiting + 15s), "Rec was not there");
}

}  // namespace
}  // namespace qvid::app
