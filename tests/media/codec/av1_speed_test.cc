// Shows when `av1` takes more time than usual for a picture, and when less.
#include "media/codec/av1/av1_speed.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

// Frames that take `ms` and have that quantiser.
class CodedAtSpeed {
 public:
  static constexpr int kNever = 1'000'000;
  void frames(int count, double ms, double quantiser) {
    for (int n = 0; n < count; ++n) {
      speed_.on_coded(std::chrono::microseconds(static_cast<int>(1000 * ms)), quantiser);
    }
  }
  // How many it takes.
  int frames_until(Av1Effort effort, double ms, double quantiser) {
    for (int n = 0; n < 100'000; ++n) {
      if (speed_.effort() == effort) return n;
      frames(1, ms, quantiser);
    }
    return kNever;
  }
  Av1Effort effort() const { return speed_.effort(); }

 private:
  Av1Speed speed_{{30, 1}};
};

TEST(Av1Speed, IsBetterWhereThereIsTimeAndNotAgainSoonWhereThereWasNot) {
  constexpr double kQuantiser = 35;
  CodedAtSpeed coded;
  coded.frames(3000, 5, kQuantiser);
  EXPECT_EQ(coded.effort(), Av1Effort::kUsual);
  EXPECT_LE(coded.frames_until(Av1Effort::kBetter, 2.5, kQuantiser), 120);
  coded.frames(3000, 7, kQuantiser);
  EXPECT_EQ(coded.effort(), Av1Effort::kBetter);
  EXPECT_LE(coded.frames_until(Av1Effort::kUsual, 14, kQuantiser), 90);
  EXPECT_NEAR(coded.frames_until(Av1Effort::kBetter, 2.5, kQuantiser), 900, 60) << "half a minute";
  EXPECT_LE(coded.frames_until(Av1Effort::kUsual, 14, kQuantiser), 90);
  EXPECT_NEAR(coded.frames_until(Av1Effort::kBetter, 2.5, kQuantiser), 1800, 60) << "twice as long";
}

TEST(Av1Speed, WhatIsFineAlreadyIsCodedFasterWithoutSwinging) {
  constexpr double kFiner = Av1Speed::kFine - 1;
  constexpr double kCoarser = Av1Speed::kCoarse + 1;
  CodedAtSpeed coded;
  EXPECT_LE(coded.frames_until(Av1Effort::kBetter, 2.5, kCoarser), 120);
  EXPECT_LE(coded.frames_until(Av1Effort::kLight, 5, kFiner), 240);
  // What lies between changes nothing.
  coded.frames(3000, 2, kCoarser - 2);
  EXPECT_EQ(coded.effort(), Av1Effort::kLight);
  EXPECT_LE(coded.frames_until(Av1Effort::kUsual, 5, kCoarser), 120);
  coded.frames(3000, 2, kFiner + 2);
  EXPECT_EQ(coded.effort(), Av1Effort::kUsual);
  EXPECT_LE(coded.frames_until(Av1Effort::kBetter, 2.5, kCoarser), 120)
      << "it does not rest for that";

  // Nor does that prolong a rest, nor begin one anew that is over.
  EXPECT_LE(coded.frames_until(Av1Effort::kUsual, 14, kCoarser), 90);
  EXPECT_LE(coded.frames_until(Av1Effort::kLight, 5, kFiner), 120);
  coded.frames(300, 5, kFiner);
  EXPECT_LE(coded.frames_until(Av1Effort::kUsual, 5, kCoarser), 120);
  EXPECT_NEAR(coded.frames_until(Av1Effort::kBetter, 2.5, kCoarser), 900 - 300, 200);
  EXPECT_LE(coded.frames_until(Av1Effort::kLight, 5, kFiner), 240);
  EXPECT_LE(coded.frames_until(Av1Effort::kUsual, 5, kCoarser), 120);
  EXPECT_LE(coded.frames_until(Av1Effort::kBetter, 2.5, kCoarser), 120);
}

}  // namespace
}  // namespace qvid::media
