// Which previews are asked for, and which are shown.
#include "app/play/previews.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/media/grey_frame.h"

namespace qvid::app::previews_test {
namespace {

constexpr Timestamp kNow{Duration(1000s)};

media::VideoFrame picture(int luma) { return media::grey_frame({160, 90}, luma); }

class PreviewsTest : public testing::Test {
 protected:
  PreviewsTest() { previews_.set_duration(120s); }
  Previews previews_;  // a place a second
};

TEST_F(PreviewsTest, AsksForWhatIsPointedAt) {
  EXPECT_EQ(previews_.ask({}, kNow), std::nullopt);
  EXPECT_EQ(previews_.ask(61'200ms, kNow), Duration(61s)) << "the nearest that there is";
  EXPECT_EQ(previews_.at(61s), nullptr);
  previews_.on_picture(61s + 20ms, picture(7));
  ASSERT_NE(previews_.at(61'200ms), nullptr);
  EXPECT_EQ(previews_.at(62s), nullptr);
  EXPECT_EQ(previews_.ask(61s, kNow), std::nullopt) << "it is there";
}

TEST_F(PreviewsTest, OneQuestionAtATimeAndTheLatestPlaceNext) {
  EXPECT_EQ(previews_.ask(10s, kNow), Duration(10s));
  EXPECT_EQ(previews_.ask(20s, kNow + 1ms), std::nullopt);
  EXPECT_EQ(previews_.ask(30s, kNow + 2ms), std::nullopt);
  previews_.on_picture(10s, picture(7));
  EXPECT_EQ(previews_.ask(30s, kNow + 50ms), Duration(30s));
}

TEST_F(PreviewsTest, WhatIsNotAnsweredIsAskedForAgainLater) {
  EXPECT_EQ(previews_.ask(10s, kNow), Duration(10s));
  EXPECT_EQ(previews_.ask(10s, kNow + Previews::kPatience - 1ms), std::nullopt);
  EXPECT_EQ(previews_.ask(20s, kNow + Previews::kPatience), Duration(20s));
  // A server that answers with another place is not asked without end.
  previews_.on_picture(90s, picture(7));
  EXPECT_EQ(previews_.ask(20s, kNow + Previews::kPatience + 1ms), std::nullopt);
}

TEST_F(PreviewsTest, ForgetsAnotherVideos) {
  previews_.on_picture(10s, picture(7));
  ASSERT_NE(previews_.at(10s), nullptr);
  previews_.set_duration(60s);
  EXPECT_EQ(previews_.at(10s), nullptr);
  previews_.set_duration({});
  EXPECT_EQ(previews_.ask(10s, kNow), std::nullopt);
  previews_.on_picture(10s, picture(7));
  EXPECT_EQ(previews_.at(10s), nullptr);
}

TEST_F(PreviewsTest, KeepsAPictureAPlaceWhateverComes) {
  std::vector<std::weak_ptr<const void>> owners;
  for (int i = -10; i < 2000; ++i) {
    media::VideoFrame one = picture(i & 255);
    owners.push_back(one.owner);
    previews_.on_picture(100ms * i, std::move(one));
  }
  EXPECT_NE(previews_.at(-5s), nullptr) << "the first";
  EXPECT_NE(previews_.at(100h), nullptr) << "the last";
  EXPECT_EQ(std::ranges::count_if(owners, [](const auto& owner) { return !owner.expired(); }),
            Previews::kSteps);
}

}  // namespace
}  // namespace qvid::app::previews_test
