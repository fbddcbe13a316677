#include "app/reception/reception.h"

#include <gtest/gtest.h>

#include "app/reception/live_reception.h"
#include "app/reception/presentation_clocks.h"
#include "app/reception/stored_reception.h"

namespace qvid::app {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp kNow{};

Payload nonsense() { return Payload::copy_of("nonsense"); }

class ReceptionTest : public testing::Test {
 protected:
  static Content video(bool sound) {
    return {.picture = PictureFormat{.rate = FrameRate{25, 1}, .codec = "h264", .window = 3},
            .sound = sound,
            .duration = 10s};
  }
  media::SoundEngine engine_{{}, {.packet = [](media::SoundPacket&&) {}}};
};

TEST_F(ReceptionTest, ACodecThatIsNotKnownIsAnError) {
  LiveReception live({.engine = &engine_});
  auto content = video(true);
  content.picture->codec = "smoke";
  EXPECT_TRUE(live.begin(content));
  EXPECT_FALSE(live.plays_sound());
  StoredReception stored({.engine = &engine_});
  EXPECT_TRUE(stored.begin(content));
  EXPECT_EQ(stored.places(), nullptr);
}

TEST_F(ReceptionTest, LiveCountsOverConnections) {
  LiveReception live({.engine = &engine_});
  ASSERT_FALSE(live.begin(video(true)));
  EXPECT_TRUE(live.plays_sound());
  EXPECT_GT(live.sound_needs(), 0s);
  EXPECT_EQ(live.places(), nullptr);
  live.on_picture(0, nonsense(), kNow);
  live.on_sound(0, nonsense(), kNow);
  EXPECT_FALSE(live.lost(kNow));
  EXPECT_FALSE(live.plays_sound());
  live.on_picture(1, nonsense(), kNow);  // nobody's
  EXPECT_EQ(live.report().playback.bad_messages, 1);

  ASSERT_FALSE(live.begin(video(true)));
  live.on_picture(0, nonsense(), kNow);
  live.on_sound(0, nonsense(), kNow);
  live.stop();
  const ReceptionReport report = live.report();
  EXPECT_EQ(report.playback.bad_messages, 2);
  ASSERT_TRUE(report.sound);
  EXPECT_EQ(report.sound->playout.malformed, 2);
  EXPECT_FALSE(report.stored);
  EXPECT_EQ(report.window, 3);
}

TEST_F(ReceptionTest, LiveEndsWhenItsLastPictureHasBeenShown) {
  LiveReception live({});
  ASSERT_FALSE(live.begin(video(true)));
  EXPECT_FALSE(live.plays_sound()) << "without an engine";
  EXPECT_EQ(live.complete(kNow), 6 * 40ms);
  EXPECT_FALSE(live.pause(true, kNow)) << "it is the sender's to pause";
}

TEST_F(ReceptionTest, SoundAloneFindsItsPictureByTheClock) {
  PresentationClocks clocks;
  const auto clock = clocks.of("Ann");
  LiveReception sound({.extras = {.presentation = clocks.of("Ann")}, .engine = &engine_});
  ASSERT_FALSE(sound.begin({.sound = true}));
  clock->on_sound(kNow, kNow + 50ms);
  clock->on_shown(kNow, kNow + 80ms);
  ASSERT_TRUE(sound.report().sound);
  EXPECT_EQ(sound.report().sound->sync_error, 30ms);
}

TEST_F(ReceptionTest, StoredVideoHasPlaces) {
  StoredReception stored({.on_change = [] {}, .engine = &engine_});
  ASSERT_FALSE(stored.begin(video(true)));
  Places* const places = stored.places();
  ASSERT_NE(places, nullptr);
  EXPECT_EQ(places->within(-1s), 0s);
  EXPECT_EQ(places->within(4s), 4s);
  EXPECT_EQ(places->within(20s), 10s - 40ms);
  EXPECT_FALSE(stored.plays_sound()) << "no seek epoch has begun";
  places->begin(2s, true, kNow);
  EXPECT_TRUE(stored.plays_sound());
  EXPECT_EQ(places->now().place, 2s);
  EXPECT_FALSE(stored.complete(kNow)) << "the clock of places says when";
  EXPECT_TRUE(stored.pause(true, kNow));
}

TEST_F(ReceptionTest, StoredVideoIsPlayedOnWhereAllOfItHasCome) {
  StoredReception stored({.on_change = [] {}, .engine = &engine_});
  ASSERT_FALSE(stored.begin(video(false)));
  stored.places()->begin(2s, false, kNow);
  EXPECT_FALSE(stored.lost(kNow));
  EXPECT_TRUE(stored.places()->now().moving) << "to where it was";
  EXPECT_EQ(stored.places()->now().place, 2s);

  ASSERT_FALSE(stored.begin(video(false)));
  stored.places()->begin(2s, false, kNow);
  stored.complete(kNow);
  EXPECT_TRUE(stored.lost(kNow));
  stored.places()->seek(1s, kNow);
  EXPECT_FALSE(stored.lost(kNow)) << "of another place nothing has come";
  stored.on_picture(0, nonsense(), kNow);
  stored.stop();
  EXPECT_EQ(stored.places(), nullptr);
  ASSERT_TRUE(stored.report().stored);
  EXPECT_EQ(stored.report().stored->duration, 10s);
}

}  // namespace
}  // namespace qvid::app
