// Shows that the lag is that of what is heard then, and that who falls silent is not waited for.
#include "media/sound/presentation_clock.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

TEST(PresentationClock, TheLagIsThatOfWhatIsHeardThen) {
  PresentationClock clock;
  const Timestamp start(1h);
  EXPECT_FALSE(clock.sound_lag(start));
  // Told 50 ms before it is heard; a millisecond more of lag each time.
  for (int i = 0; i < 100; ++i) {
    const Timestamp heard = start + i * 10ms;
    clock.on_sound(heard - 200ms - i * 1ms, heard);
  }
  EXPECT_EQ(clock.sound_lag(start + 945ms), 294ms);
  EXPECT_EQ(clock.sound_lag(start + 990ms), 299ms);
  EXPECT_EQ(clock.sound_lag(start + 1400ms), 299ms);
  EXPECT_EQ(clock.sound_lag(start), 268ms) << "the oldest that is known";
  EXPECT_FALSE(clock.sound_lag(start + 990ms + PresentationClock::kFresh));
  EXPECT_EQ(clock.on_shown(start + 700ms, start + 940ms), -54ms);
  EXPECT_EQ(clock.sync_error(), -54ms);
  clock.on_sound_ended();
  EXPECT_FALSE(clock.sound_lag(start + 990ms));
  EXPECT_FALSE(clock.sync_error());
  EXPECT_FALSE(clock.on_shown(start, start + 990ms));
}

TEST(PresentationClock, APictureThatIsSilentIsNotWaitedFor) {
  PresentationClock clock;
  const Timestamp now(1h);
  EXPECT_FALSE(clock.picture_needs(now));
  clock.on_picture_needs(300ms, now);
  EXPECT_EQ(clock.picture_needs(now + 1s), 300ms);
  EXPECT_FALSE(clock.picture_needs(now + PresentationClock::kPictureFresh));
  clock.on_picture_needs(300ms, now);
  clock.on_picture_ended();
  EXPECT_FALSE(clock.picture_needs(now));
}

}  // namespace
}  // namespace qvid::media
