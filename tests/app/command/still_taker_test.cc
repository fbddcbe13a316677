// Pictures of what can be shared, taken beside the window.
#include "app/command/still_taker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <semaphore>

namespace qvid::app {
namespace {

class StillTakerTest : public testing::Test {
 protected:
  // Of what comes until there is one of that source.
  StillTaker::Stills wait_for(const std::string& source) {
    StillTaker::Stills all;
    while (!all.contains(source) && woken_.try_acquire_for(std::chrono::seconds(30))) {
      all.merge(taker_.fetch());
    }
    return all;
  }

  std::counting_semaphore<> woken_{0};
  StillTaker taker_{[this] { woken_.release(); }};
};

TEST_F(StillTakerTest, WhatGivesNoneIsLeftOut) {
  taker_.take(
      {{"/nowhere/film.mkv", {192, 120}}, {"screen@nonsense", {192, 120}}, {"test", {64, 48}}});
  const auto stills = wait_for("test");
  ASSERT_EQ(stills.size(), 1u);
  EXPECT_EQ(stills.at("test").size, (media::PictureSize{64, 48}));
  EXPECT_TRUE(taker_.fetch().empty()) << "each once";
}

TEST_F(StillTakerTest, NewerWishesReplaceTheOthers) {
  taker_.take(std::vector<StillWish>(1000, {"/nowhere/film.mkv", {192, 120}}));
  taker_.take({{"test:sync", {64, 48}}});
  EXPECT_EQ(wait_for("test:sync").size(), 1u);
}

TEST_F(StillTakerTest, EndsWhileItTakesThem) {
  taker_.take(std::vector<StillWish>(StillTaker::kMostWishes, {"test", {64, 48}}));
}

}  // namespace
}  // namespace qvid::app
