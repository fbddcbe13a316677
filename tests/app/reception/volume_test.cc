#include "app/reception/volume.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

TEST(Volume, StepsComeBackToOne) {
  Volume volume;
  for (int i = 0; i < 3; ++i) volume.change(kVolumeStep);
  EXPECT_GT(volume.level, 1.9F);
  for (int i = 0; i < 3; ++i) volume.change(1 / kVolumeStep);
  EXPECT_EQ(volume.level, 1);
}

TEST(Volume, HasLimits) {
  Volume volume;
  for (int i = 0; i < 50; ++i) volume.change(kVolumeStep);
  EXPECT_EQ(volume.level, Volume::kMost);
  for (int i = 0; i < 50; ++i) volume.change(1 / kVolumeStep);
  EXPECT_EQ(volume.level, Volume::kLeast);
}

TEST(Volume, SilenceKeepsIt) {
  Volume volume;
  volume.change(2);
  volume.silenced = true;
  EXPECT_EQ(volume.played(), 0);
  volume.silenced = false;
  EXPECT_EQ(volume.played(), 2);
}

}  // namespace
}  // namespace qvid::app
