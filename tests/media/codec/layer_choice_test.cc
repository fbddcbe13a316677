// Which layers are made, by how coarse they come out.
#include "media/codec/layers/layer_choice.h"

#include <gtest/gtest.h>

#include <cmath>

namespace qvid::media {
namespace {

using enum LayerStructure;

struct Choice : ::testing::Test {
  // What it is after so many seconds of that quantiser, which took that much of the rate.
  LayerStructure after(double seconds, double quantiser, double used = 1) {
    for (int n = 0; n < 30 * seconds; ++n) choice.on_frame(quantiser, used);
    return choice.structure();
  }
  LayerChoice choice{FrameRate{30, 1}, kLimitsOfH264};
};

TEST_F(Choice, BothUntilSomethingIsSaid) {
  EXPECT_EQ(after(10, 45), kBoth);
  choice.set_needed(false);
  EXPECT_EQ(choice.structure(), kBoth) << "not before it is seen to be coarse";
  EXPECT_EQ(after(1, 45), kSmall);
}

TEST_F(Choice, BeginsWhole) {
  choice.set_needed(false);
  EXPECT_EQ(choice.structure(), kWhole);
}

TEST_F(Choice, ABaseIsMadeOfWhatTheWholeLeavesOfTheRate) {
  choice.set_needed(false);
  EXPECT_EQ(after(10, 18), kWhole) << "all is used";
  EXPECT_EQ(after(10, 26, 0.2), kWhole) << "it can be finer";
  EXPECT_EQ(after(3, 18, 0.5), kWhole);
  EXPECT_EQ(after(3, 18, 0.5), kBoth);
  EXPECT_EQ(after(10, 26), kBoth);
  EXPECT_EQ(after(3, 32), kWhole);
  EXPECT_EQ(after(10, 32), kWhole);
}

TEST_F(Choice, APictureOfBlocksBecomesSmallAndIsWholeAgainWhereThatIsFine) {
  choice.set_needed(false);
  EXPECT_EQ(after(4, 44), kSmall);
  EXPECT_EQ(after(10, 30), kSmall);
  EXPECT_EQ(after(4, 22), kWhole);
}

TEST_F(Choice, OfAv1TheWholeLooksBetterForAsLongAsItHoldsTheRate) {
  choice = LayerChoice(FrameRate{30, 1}, kLimitsOfAv1);
  choice.set_needed(false);
  EXPECT_EQ(after(10, 48), kWhole);
  EXPECT_EQ(after(3, 51), kSmall);
  EXPECT_EQ(after(10, 42), kSmall);
  EXPECT_EQ(after(3, 36), kWhole);
  EXPECT_EQ(after(20, 18, 0.3), kWhole) << "no base of what is left of the rate";
  choice.set_needed(true);
  EXPECT_EQ(after(10, 20), kBoth);
  choice.set_needed(false);
  EXPECT_EQ(after(1, 20), kWhole) << "nor what is left of a need";
}

TEST_F(Choice, WhatAKeyFrameMadeCoarseIsWaitedFor) {
  choice.set_needed(false);
  for (int n = 0; n < 300; ++n) choice.on_frame(std::max(35.0, 60 - 0.25 * n), 1);
  EXPECT_EQ(choice.structure(), kWhole);
}

// The quantiser of half the size is about 8.5 under that of the whole, whatever the rate; both take a third
// more than the whole, or six steps of the quantiser halve what is taken. None is under 18.
TEST_F(Choice, DoesNotSwingAtAnyRate) {
  for (int i = 0; i < 360; ++i) {
    const double at_all_of_the_rate = 6 + 0.25 * (i / 2);
    LayerChoice one(FrameRate{30, 1}, i % 2 == 0 ? kLimitsOfH264 : kLimitsOfAv1);
    one.set_needed(i / 2 % 2 == 0);
    int changes = 0;
    for (int n = 0; n < 30 * 60; ++n) {
      const LayerStructure before = one.structure();
      const double loss = before == kBoth ? 2.5 : before == kSmall ? -8.5 : 0;
      const double quantiser = std::max(18.0, at_all_of_the_rate + loss);
      one.on_frame(quantiser, std::exp2((at_all_of_the_rate + loss - quantiser) / 6));
      changes += one.structure() != before ? 1 : 0;
    }
    EXPECT_LE(changes, 1) << at_all_of_the_rate;
  }
}

TEST_F(Choice, WhoHoldsStillNowAndThenChangesNothing) {
  choice.set_needed(false);
  after(10, 26);
  for (int n = 0; n < 12; ++n) {
    EXPECT_EQ(after(1, 24, 0.3), kWhole);
    EXPECT_EQ(after(2, 18, 0.3), kWhole);
    EXPECT_EQ(after(4, 26), kWhole);
  }
}

TEST_F(Choice, WhatIsAskedForStays) {
  for (const LayerStructure asked : {kSmall, kWhole, kBoth, kThree}) {
    choice = LayerChoice(FrameRate{30, 1}, kLimitsOfH264, asked);
    for (const bool needed : {true, false, true}) {
      choice.set_needed(needed);
      for (const double quantiser : {45.0, 15.0, 30.0}) EXPECT_EQ(after(4, quantiser), asked);
    }
  }
}

TEST_F(Choice, APeakChangesNothing) {
  choice.set_needed(false);
  after(3.5, 30);
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(after(0.3, 50), kWhole);
    EXPECT_EQ(after(3, 30), kWhole);
  }
}

TEST_F(Choice, WhatIsNeededIsThereAtOnce) {
  choice.set_needed(false);
  after(1, 30);
  choice.set_needed(true);
  EXPECT_EQ(choice.structure(), kBoth);
  EXPECT_EQ(after(10, 35), kBoth);
}

TEST_F(Choice, ANeededBaseIsAloneWhereThereIsRoomForNothingElse) {
  choice.set_needed(true);
  EXPECT_EQ(after(4, 44), kSmall);
  choice.set_needed(false);
  choice.set_needed(true);
  EXPECT_EQ(after(10, 30), kSmall);
  EXPECT_EQ(after(4, 22), kBoth);
}

}  // namespace
}  // namespace qvid::media
