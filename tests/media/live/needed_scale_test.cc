#include "media/live/needed_scale.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

constexpr PictureSize kCamera{640, 360};

class NeededScaleTest : public testing::Test {
 protected:
  double after(Duration time) { return needed_.scale(kCamera, now_ += time); }
  double at_last(std::optional<int> lines) {
    needed_.set(lines);
    after(0s);
    return after(NeededScale::kCalm);
  }

  NeededScale needed_;
  Timestamp now_ = Timestamp(1h);
};

TEST_F(NeededScaleTest, ItIsWholeUntilSomebodySays) {
  EXPECT_EQ(after(0s), 1);
  EXPECT_EQ(at_last(0), 1) << "nobody shows it yet";
}

TEST_F(NeededScaleTest, TheLeastThatIsTallEnough) {
  EXPECT_EQ(at_last(180), 0.5);
  EXPECT_EQ(at_last(181), 0.75);
  EXPECT_EQ(at_last(270), 0.75);
  EXPECT_EQ(at_last(271), 1);
  EXPECT_EQ(at_last(1), 0.25);
  EXPECT_EQ(at_last(1080), 1);
  EXPECT_EQ(at_last(90), 0.25);
  EXPECT_EQ(at_last(0), 0.25) << "nobody shows it: as before";
  EXPECT_EQ(at_last({}), 1);
}

TEST_F(NeededScaleTest, MoreAtOnceAndLessInAWhile) {
  EXPECT_EQ(after(0s), 1);
  needed_.set(180);
  EXPECT_EQ(after(1s), 1);
  EXPECT_EQ(after(NeededScale::kCalm - 1s), 0.5) << "so long after all was needed last";
  needed_.set(360);
  EXPECT_EQ(after(1ms), 1);
  needed_.set(90);
  EXPECT_EQ(after(NeededScale::kCalm - 1s), 1);
  needed_.set(360);
  EXPECT_EQ(after(1ms), 1);
  needed_.set(90);
  EXPECT_EQ(after(NeededScale::kCalm - 1s), 1) << "it counts anew";
  EXPECT_EQ(after(1s), 0.25);
}

}  // namespace
}  // namespace qvid::media
