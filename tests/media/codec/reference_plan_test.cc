// Shows which frames are planned and what they refer to, with losses told and without.
#include "media/codec/h264/reference_plan.h"

#include <gtest/gtest.h>

#include <string>

namespace qvid::media {
namespace {

class Plan : public ::testing::Test {
 protected:
  // Codes `count` frames as planned and says what they were: the class and the frames back of each.
  std::string code(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const PlannedFrame frame = plan_.next();
      plan_.on_coded(FrameNumber(next_++), frame);
      text += text.empty() ? "" : " ";
      text += "012"[static_cast<int>(frame.temporal_class)];
      for (const std::uint8_t back : frame.frames_back) text += "-" + std::to_string(back);
    }
    return text;
  }
  void lose(std::int64_t number) { plan_.on_lost(FrameNumber(number)); }

  ReferencePlan plan_;
  std::int64_t next_ = 100;
};

TEST_F(Plan, IsAPatternOfFour) {
  EXPECT_EQ(code(10), "0 2-1 1-2 2-1-3 0-4 2-1 1-2 2-1-3 0-4 2-1");
  EXPECT_EQ(plan_.length(), 10);
}

TEST_F(Plan, WithoutFramesToDropEachRefersToTheOneBefore) {
  plan_.set_droppable_frames(false);
  EXPECT_EQ(code(4), "0 0-1 0-1 0-1");
  lose(102);  // 103 stands on it
  EXPECT_EQ(code(2), "0-3 0-1");
  plan_.set_droppable_frames(true);
  EXPECT_EQ(code(5), "2-1 1-2 2-1-3 0-4 2-1");
  plan_.set_droppable_frames(false);
  EXPECT_EQ(code(2), "0-2 0-1");
}

TEST_F(Plan, ASyncPointBeginsANewGroup) {
  code(6);
  plan_.on_coded(FrameNumber(next_++), {});
  EXPECT_EQ(plan_.length(), 1);
  EXPECT_EQ(code(4), "2-1 1-2 2-1-3 0-4");
}

TEST_F(Plan, AfterALostT0TheNextFrameIsOneThatRefersPastIt) {
  code(10);  // T0 at 100, 104, 108
  lose(108);
  EXPECT_EQ(code(6), "0-6 2-1 1-2 2-1-3 0-4 2-1");
}

TEST_F(Plan, WhatRefersToALostT0IsOfNoUseEither) {
  code(10);
  lose(104);  // 108 refers to it
  EXPECT_EQ(code(2), "0-10 2-1");
}

TEST_F(Plan, AnOlderT0ThatNothingStandsOnMayGo) {
  code(6);
  lose(104);
  EXPECT_EQ(code(2), "0-6 2-1");  // 106 on 100
  lose(104);                      // again
  lose(105);
  EXPECT_EQ(code(3), "1-2 2-1-3 0-4");
}

TEST_F(Plan, AfterALostT1TheT2RefersToTheT0Alone) {
  code(3);
  lose(102);
  EXPECT_EQ(code(5), "2-3 0-4 2-1 1-2 2-1-3");
}

TEST_F(Plan, ALostT2ChangesNothing) {
  code(4);
  lose(101);
  lose(103);
  EXPECT_EQ(code(5), "0-4 2-1 1-2 2-1-3 0-4");
}

TEST_F(Plan, ReachesSixteenFramesBackAndNoFurther) {
  code(5);  // T0 at 100, 104
  code(11);
  lose(104);
  EXPECT_EQ(code(1), "0-16");  // 116 on 100
  lose(116);
  EXPECT_EQ(code(1), "0");  // 117: 100 is out of reach
  EXPECT_EQ(plan_.length(), 1);
}

TEST_F(Plan, ALossOutOfReachStillCountsForWhatStandsOnIt) {
  code(40);
  lose(104);
  EXPECT_EQ(code(2), "0 2-1");
}

TEST_F(Plan, WhenAllIsLostTheNextFrameIsASyncPoint) {
  code(1);
  lose(100);
  EXPECT_EQ(code(2), "0 2-1");
}

TEST_F(Plan, UnknownNumbersAreHarmless) {
  lose(5);  // before anything
  code(3);
  for (const std::int64_t n :
       {std::int64_t{-1}, std::int64_t{99}, std::int64_t{103}, INT64_MAX, INT64_MIN}) {
    lose(n);
  }
  EXPECT_EQ(code(2), "2-1-3 0-4");
  plan_.on_coded(FrameNumber(next_++), {});
  lose(104);  // of the group before
  EXPECT_EQ(code(2), "2-1 1-2");
}

}  // namespace
}  // namespace qvid::media
