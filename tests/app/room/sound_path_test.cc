#include "app/room/sound_path.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

DataRate kilobits(std::int64_t rate) { return DataRate::from_kbps(rate); }

TEST(SoundPath, HasRoomUntilSomethingSpeaksAgainstIt) {
  paceline::SessionSignals up;
  EXPECT_EQ(sound_path(up, kilobits(90)), DataRate());
  up.rtt = 60ms;
  up.rtt_low = 50ms;
  EXPECT_EQ(sound_path(up, DataRate()), kilobits(1000));
  // What the broker says of a good path is no bound.
  EXPECT_EQ(sound_path(up, paceline::ReceiverRate::kBegin), kilobits(1000));
  EXPECT_EQ(sound_path(up, kilobits(90)), kilobits(90));
  up.rtt = 95ms;
  EXPECT_EQ(sound_path(up, DataRate()), kilobits(300));
  EXPECT_EQ(sound_path(up, kilobits(90)), kilobits(90));
  up.rtt = 60ms;
  up.competing = true;
  EXPECT_EQ(sound_path(up, kilobits(500)), kilobits(300));
}

}  // namespace
}  // namespace qvid::app
