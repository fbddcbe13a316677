#include "media/sound/sound_rate.h"

#include <gtest/gtest.h>

#include <vector>

namespace qvid::media {
namespace {

DataRate kilobits(std::int64_t rate) { return DataRate::from_kbps(rate); }
DataRate first_rate(std::int64_t path, bool rich) {
  return SoundRate(rich).on_path(kilobits(path), Timestamp{}).rate;
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
  EXPECT_EQ(rate.on_path(kilobits(2'000), now).rate, kilobits(48));
  EXPECT_EQ(rate.on_path(kilobits(100), now += 100ms).rate, kilobits(16));
  const Timestamp begin = now += 100ms;
  for (; now - begin < SoundRate::kPatience; now += 100ms) {
    EXPECT_EQ(rate.on_path(kilobits(2'000), now).rate, kilobits(16));
  }
  EXPECT_EQ(rate.on_path(kilobits(2'000), now).rate, kilobits(48));
}

TEST(SoundRate, RoomThatGoesBeginsAnew) {
  SoundRate rate;
  Timestamp now{};
  EXPECT_EQ(rate.on_path(kilobits(100), now).rate, kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(2'000), now += 1s).rate, kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(250), now += 4s).rate, kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(2'000), now += 2s).rate, kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(2'000), now += 5s).rate, kilobits(48));
}

TEST(SoundRate, PacketsAreBriefWhereThereIsRoom) {
  const auto packet = [](std::int64_t path, Duration longest) {
    return SoundRate(false, longest).on_path(kilobits(path), Timestamp{}).packet;
  };
  EXPECT_EQ(packet(999, 20ms), 20ms);
  EXPECT_EQ(packet(1'000, 20ms), 10ms);
  EXPECT_EQ(packet(100, 10ms), 10ms);
}

// Who has no room for more, and only trying shows it, is seldom tried.
TEST(SoundRate, ARiseThatDoesNotLastIsTriedAgainLater) {
  SoundRate rate;
  Timestamp now{};
  EXPECT_EQ(rate.on_path(kilobits(300), now).rate, kilobits(24));
  std::vector<Duration> waited;
  for (int rise = 0; rise < 7; ++rise) {
    const Timestamp since = now;
    while (rate.on_path(kilobits(1'000), now).rate == kilobits(24)) now += 500ms;
    waited.push_back(now - since);
    rate.on_path(kilobits(300), now += 1s);
  }
  EXPECT_EQ(waited, (std::vector<Duration>{5s, 10s, 20s, 40s, 80s, 80s, 80s}));
  while (rate.on_path(kilobits(1'000), now).rate == kilobits(24)) now += 500ms;
  rate.on_path(kilobits(1'000), now += 30s);
  const Timestamp fell = now;
  rate.on_path(kilobits(300), now);
  while (rate.on_path(kilobits(1'000), now).rate == kilobits(24)) now += 500ms;
  EXPECT_EQ(now - fell, SoundRate::kPatience);
}

TEST(SoundRate, UpOnlyAsFarAsThereWasRoomAllTheTime) {
  SoundRate rate;
  Timestamp now{};
  EXPECT_EQ(rate.on_path(kilobits(100), now).rate, kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(2'000), now += 1s).rate, kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(400), now += 2s).rate, kilobits(16));
  EXPECT_EQ(rate.on_path(kilobits(2'000), now += 3s).rate, kilobits(24));
}

}  // namespace
}  // namespace qvid::media
