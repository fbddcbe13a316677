// Lip sync and delays out of logs that were made by hand, and out of those of a voice.
#include "lab/experiments/sync_measure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/bed/test_sound.h"
#include "lab/experiments/sound_measure.h"

namespace qvid::lab {
namespace {

// 30 pictures a second for so long; a flash of three from each of `flashes` on.
std::vector<OutputValue> shown(double seconds, const std::vector<double>& flashes) {
  std::vector<OutputValue> pictures;
  for (int i = 0; i < static_cast<int>(30 * seconds); ++i) {
    const double at = 100 + i / 30.0;
    bool white = false;
    for (const double flash : flashes) {
      white = white || (at >= 100 + flash - 1e-9 && at < 100 + flash + 0.1 - 1e-9);
    }
    pictures.push_back({at, white ? 235.0 : 16.0});
  }
  return pictures;
}
// Beeps of 60 ms, some of it not as loud.
std::vector<OutputValue> beeps(const std::vector<double>& begins) {
  std::vector<OutputValue> levels;
  for (const double begin : begins) {
    levels.push_back({100 + begin - kLevelTime, -45});  // what a codec puts before it
    for (int i = 0; i < 24; ++i) {
      levels.push_back({100 + begin + i * kLevelTime, i < 20 ? -15.0 : -40.0});
    }
  }
  return levels;
}

TEST(SyncMeasure, ErrorIsTheFlashLessTheBeep) {
  const OutputTable table{.pictures = shown(6, {1, 2, 3, 4}), .heard = beeps({0.98, 2, 3.05, 4})};
  const SyncMeasure sync = measure_sync(table, {100.5, 105});
  ASSERT_EQ(sync.errors.size(), 4u);
  EXPECT_NEAR(sync.errors[0].ms, 20, 0.1);
  EXPECT_NEAR(sync.errors[0].at, 100.98, 1e-6);
  EXPECT_NEAR(sync.errors[1].ms, 0, 0.1);
  EXPECT_NEAR(sync.errors[2].ms, -50, 0.1);
  EXPECT_EQ(sync.missing_flashes, 0u);
  EXPECT_EQ(sync.missing_beeps, 0u);
  EXPECT_NEAR(sync.absolute_ms()[2], 50, 0.1);
}

TEST(SyncMeasure, WhatIsMissingIsCountedAndPairsWithNoneOther) {
  const OutputTable table{.pictures = shown(8, {1, 2, 4, 5, 6}), .heard = beeps({1, 3, 4, 6})};
  const SyncMeasure sync = measure_sync(table, {100.2, 107});
  EXPECT_EQ(sync.errors.size(), 3u);
  EXPECT_EQ(sync.missing_flashes, 1u);
  EXPECT_EQ(sync.missing_beeps, 2u);
}

TEST(SyncMeasure, AnEndBeforeItsTimeIsMissingToo) {
  const OutputTable table{.pictures = shown(3, {1, 2}), .heard = beeps({1, 2})};
  const SyncMeasure sync = measure_sync(table, {100, 110});
  EXPECT_EQ(sync.missing_flashes, 8u);  // 0, and 3 to 9
  EXPECT_EQ(sync.missing_beeps, 8u);
  EXPECT_EQ(measure_sync({}, {100, 110}).missing_beeps, 10u);
}

TEST(SyncMeasure, TheNearestOfTwoFlashesHasTheBeep) {
  const OutputTable table{.pictures = shown(4, {1, 1.4}), .heard = beeps({1.3})};
  const SyncMeasure sync = measure_sync(table, {100, 102});
  ASSERT_EQ(sync.errors.size(), 1u);
  EXPECT_NEAR(sync.errors[0].ms, 100, 0.1);
}

TEST(SyncMeasure, AFlashInTwoStepsIsOne) {
  std::vector<OutputValue> pictures = shown(3, {1});
  for (OutputValue& picture : pictures) {
    if (std::abs(picture.at - 101) < 0.01) picture.value = 120;
  }
  EXPECT_EQ(flash_onsets(pictures).size(), 1u);
  EXPECT_NEAR(flash_onsets(pictures)[0], 101, 1e-6);
}

TEST(SyncMeasure, ABrighterPictureIsNoFlash) {
  EXPECT_TRUE(flash_onsets({{0, 100}, {1, 140}, {2, 100}}).empty());
}

// What a log says of samples from `at` on.
std::vector<OutputValue> levels_of(const std::vector<float>& samples, double at) {
  std::vector<OutputValue> levels;
  for (std::size_t begin = 0; begin + 120 <= samples.size(); begin += 120) {
    double energy = 0;
    for (std::size_t i = begin; i < begin + 120; ++i) {
      energy += static_cast<double>(samples[i]) * samples[i];
    }
    const double level = 10 * std::log10(energy / 120);
    if (level > -50) levels.push_back({at + static_cast<double>(begin) / 48'000, level});
  }
  return levels;
}

TEST(SoundMeasure, AVoicesDelayIsFoundByItsEnvelope) {
  const auto voice = test_sound(TestSound::kTalk, 12s, 7);
  OutputTable spoken{.spoken = levels_of(voice, 50)};
  OutputTable heard{.heard = levels_of(voice, 50.1231)};
  // From the middle on half a second later, and by then softer.
  for (OutputValue& level : heard.heard) {
    if (level.at < 56) continue;
    level.at += 0.5;
    level.value -= 3;
  }
  const auto delays = delays_by_envelope(spoken, heard, {50, 62});
  ASSERT_GE(delays.size(), 9u);
  for (const OutputValue& delay : delays) {
    if (delay.at < 53.8) {
      EXPECT_NEAR(delay.value, 123.1, 3) << delay.at;
    } else if (delay.at > 56.2) {
      EXPECT_NEAR(delay.value, 623.1, 3) << delay.at;
    }
  }
}

TEST(SoundMeasure, AnotherVoiceHasNoDelay) {
  OutputTable spoken{.spoken = levels_of(test_sound(TestSound::kTalk, 8s, 7), 50)};
  OutputTable heard{.heard = levels_of(test_sound(TestSound::kTalk, 8s, 8), 50.1)};
  EXPECT_LE(delays_by_envelope(spoken, heard, {50, 58}).size(), 1u);
  EXPECT_TRUE(delays_by_envelope({}, {}, {50, 58}).empty());
}

TEST(SoundMeasure, AGapIsWhereAVoiceIsQuiet) {
  auto levels = levels_of(test_sound(TestSound::kTalk, 8s, 7), 50);
  std::erase_if(levels, [](const OutputValue& l) {
    return (l.at >= 52 && l.at < 52.1) || (l.at >= 54 && l.at < 54.05);
  });
  const auto gaps = gaps_in(levels, {51, 57}, 60);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_NEAR(gaps[0].at, 52, 0.021);
  EXPECT_NEAR(gaps[0].ms, 100, 21);
  EXPECT_TRUE(gaps_in(levels, {52.5, 53.5}, 60).empty());
  ASSERT_EQ(gaps_in(levels, {55, 60}, 60).size(), 1u) << "it ended";
  ASSERT_EQ(gaps_in({}, {55, 60}, 60).size(), 1u);
  EXPECT_NEAR(gaps_in({}, {55, 60}, 60)[0].ms, 5000, 0.1);
}

TEST(SoundMeasure, ClicksArePairedWithWhatWasHeardNext) {
  OutputTable spoken{.spoken = levels_of(test_sound(TestSound::kClicks, 6s, 1), 50)};
  OutputTable heard{.heard = levels_of(test_sound(TestSound::kClicks, 6s, 1), 50.09)};
  std::erase_if(heard.heard, [](const OutputValue& l) { return l.at > 52 && l.at < 53; });
  const ClickDelays clicks = click_delays(spoken, heard, {50, 56});
  EXPECT_EQ(clicks.missing, 1u);
  ASSERT_EQ(clicks.delays.size(), 5u);
  for (const OutputValue& click : clicks.delays) EXPECT_NEAR(click.value, 90, 0.1);
}

}  // namespace
}  // namespace qvid::lab
