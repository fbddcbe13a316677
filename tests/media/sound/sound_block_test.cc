#include "media/sound/sound_block.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

TEST(SoundBlock, FramesAndTimeAreEachOthers) {
  EXPECT_EQ(sound_time(480), 10ms);
  EXPECT_EQ(sound_frames(20ms), 960);
  // Days of it, to a frame.
  const std::int64_t days = std::int64_t{kSoundRate} * 3600 * 24 * 30 + 7;
  EXPECT_NEAR(static_cast<double>(sound_frames(sound_time(days)) - days), 0.0, 1.0);
  EXPECT_EQ((SoundBlock{.channels = 2, .samples = std::vector<float>(960)}.frames()), 480U);
}

}  // namespace
}  // namespace qvid::media
