#include "media/sound/sound_rate.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

DataRate kilobits(std::int64_t rate) { return DataRate::from_kbps(rate); }
DataRate first_rate(std::int64_t path, bool rich) {
  return SoundRate(rich).on_path(kilobits(path), Timestamp{});
}

TEST(SoundRate, EachPathHasItsRate) {
  for (const bool rich : {false, true}) {
    EXPECT_EQ(first_rate(0, rich), kilobits(16));
    EXPECT_EQ(first_rate(200, rich), kilobits(16));
    EXPECT_EQ(first_rate(300, rich), kilobits(24));
    EXPECT_EQ(first_rate(500, rich), kilobits(32));
    EXPECT_EQ(first_rate(1'000, rich), kilobits(48));
  }
  EXPECT_EQ(first_rate(50'000, false), kilobits(48));
  EXPECT_EQ(first_rate(2'000, true), kilobits(64));
}

TEST(SoundRate, DownAtOnceUpAfterPatience) {
  SoundRate rate;
  Timestamp now{};
  EXPECT_EQ(rate.on_path(kilobits(2'000), now), kilobits(48));
  EXPECT_EQ(rate.on_path(kilobits(100), now += 100ms), kilobits(16));
  const Timestamp begin = now += 100ms;
  for (; now - begin < SoundRate::kPatience; now += 100ms) {
    EXPECT_EQ(rate.on_path(kilobits(2'000), now), kilobits(16));
  }
  EXPECT_EQ(rate.on_path(kilobits(2'000), now), kilobits(48));
}

TEST(SoundRate, RoomThatGoesBeginsAnew) {
  SoundRate rate;
  Timestamp now{};
  EXPECT_EQ(rate.on_path(kilobits(100), now), kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(2'000), now += 1s), kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(250), now += 4s), kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(2'000), now += 2s), kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(2'000), now += 5s), kilobits(48));
}

TEST(SoundRate, UpOnlyAsFarAsThereWasRoomAllTheTime) {
  SoundRate rate;
  Timestamp now{};
  EXPECT_EQ(rate.on_path(kilobits(100), now), kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(2'000), now += 1s), kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(400), now += 2s), kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(2'000), now += 3s), kilobits(24));
}

}  // namespace
}  // namespace qvid::media
