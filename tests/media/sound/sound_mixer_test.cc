#include "media/sound/sound_mixer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "tests/media/sound/speech_like.h"

namespace qvid::media {
namespace {

constexpr std::size_t kDelayed = SoundLimiter::kLookAhead * 2;  // samples

std::vector<float> doubled(const std::vector<float>& mono) {
  std::vector<float> out;
  for (const float s : mono) out.insert(out.end(), {s, s});
  return out;
}

struct Party {
  int key = 0;
  std::vector<float> stereo{};
  float volume = 1;
};

// All that comes out, turn by turn, and the gain after each.
struct Mixed {
  std::vector<float> out{};
  std::vector<double> reductions{};
};
Mixed mix(SoundMixer& mixer, const std::vector<Party>& parties) {
  Mixed mixed;
  for (std::size_t at = 0; at < parties.front().stereo.size(); at += kSoundTurn * 2) {
    mixer.begin();
    for (const Party& p : parties) {
      mixer.add(&p, std::span(p.stereo).subspan(at, kSoundTurn * 2), p.volume);
    }
    const auto turn = mixer.end();
    mixed.out.insert(mixed.out.end(), turn.begin(), turn.end());
    mixed.reductions.push_back(mixer.reduction());
  }
  return mixed;
}

float loudest(std::span<const float> samples) {
  float most = 0;
  for (const float s : samples) most = std::max(most, std::abs(s));
  return most;
}

TEST(SoundMixer, BelowTheCeilingNothingIsChanged) {
  SoundMixer mixer;
  const std::vector<Party> party{{.stereo = doubled(speech_like(48'000, 1, 120, 0.89F))}};
  const Mixed mixed = mix(mixer, party);
  EXPECT_GT(loudest(mixed.out), 0.88F);
  for (std::size_t i = kDelayed; i < mixed.out.size(); ++i) {
    ASSERT_EQ(mixed.out[i], party[0].stereo[i - kDelayed]) << i;
  }
  EXPECT_EQ(*std::ranges::max_element(mixed.reductions), 0.0);
}

TEST(SoundMixer, ThreeLoudPartiesNeitherClipNorPump) {
  SoundMixer mixer;
  std::vector<Party> parties;
  for (const unsigned i : {0U, 1U, 2U}) {
    parties.push_back({.stereo = doubled(speech_like(48'000 * 4, i + 1, 100 + 45 * i, 1.0F))});
  }
  std::vector<float> sum(parties[0].stereo.size());
  for (const Party& p : parties) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += p.stereo[i];
  }
  ASSERT_GT(loudest(sum), 1.3F) << "there is nothing to limit";
  const Mixed mixed = mix(mixer, parties);
  EXPECT_LE(loudest(mixed.out), SoundLimiter::kCeiling + 1e-6F);
  EXPECT_GT(loudest(mixed.out), 0.8F);
  // What each sample was multiplied by, where that can be told.
  double before = 1;
  std::size_t seen = 0;
  std::size_t pinned = 0;
  for (std::size_t i = kDelayed; i < mixed.out.size(); ++i) {
    pinned = std::abs(mixed.out[i]) >= 1 ? pinned + 1 : 0;
    ASSERT_LT(pinned, 2U);
    if (std::abs(sum[i - kDelayed]) < 0.05F) continue;
    const double gain = double{mixed.out[i]} / double{sum[i - kDelayed]};
    ASSERT_LE(gain, 1.0 + 1e-5);
    // Of samples that follow each other closely: no step that would be heard as a click.
    if (i - seen <= 2) {
      ASSERT_NEAR(gain, before, 0.01) << i;
    }
    before = gain;
    seen = i;
  }
  // Up no faster than syllables come: at most 1.5 dB in 10 ms, as seen at the turns' ends.
  for (std::size_t i = 1; i < mixed.reductions.size(); ++i) {
    EXPECT_GT(mixed.reductions[i] - mixed.reductions[i - 1], -1.5) << i;
  }
}

TEST(SoundMixer, ALoudMomentIsForgotten) {
  SoundMixer mixer;
  const Mixed loud = mix(mixer, {{.stereo = std::vector<float>(kSoundTurn * 2, 1.9F)}});
  EXPECT_GT(loud.reductions.back(), 3.0);
  const std::vector<Party> soft{{.stereo = std::vector<float>(48'000 * 2 * 4, 0.5F)}};
  const Mixed after = mix(mixer, soft);
  EXPECT_EQ(after.reductions.back(), 0.0);
  EXPECT_EQ(after.out.back(), 0.5F);
}

TEST(SoundMixer, NothingThatIsAddedGoesBeyondFullScale) {
  SoundMixer mixer;
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float wild[] = {
      std::numeric_limits<float>::quiet_NaN(),  kInf,  -kInf, std::numeric_limits<float>::max(),
      std::numeric_limits<float>::denorm_min(), -1.0F, 5.0F};
  std::mt19937 random(3);
  std::vector<Party> parties;
  for (int p = 0; p < 20; ++p) {
    std::vector<float> stereo(kSoundTurn * 2 * 20);
    for (float& s : stereo) s = wild[random() % std::size(wild)];
    parties.push_back({.stereo = stereo, .volume = wild[random() % std::size(wild)]});
  }
  for (const float s : mix(mixer, parties).out) ASSERT_LE(std::abs(s), 1.0F);
  // And what comes next is heard again.
  const std::vector<Party> after{{.stereo = std::vector<float>(48'000 * 2 * 5, 0.25F)}};
  EXPECT_EQ(mix(mixer, after).out.back(), 0.25F);
}

TEST(SoundMixer, VolumeMovesWithoutAClick) {
  SoundMixer mixer;
  std::vector<Party> party{{.stereo = std::vector<float>(kSoundTurn * 2 * 2, 0.2F)}};
  mix(mixer, party);
  party[0].volume = 3;
  const Mixed louder = mix(mixer, party);
  EXPECT_FLOAT_EQ(louder.out.back(), 0.6F);
  float before = 0.2F;
  for (std::size_t i = 0; i < louder.out.size(); i += 2) {
    ASSERT_NEAR(louder.out[i], before, 0.002F) << i;
    before = louder.out[i];
  }
}

TEST(SoundMixer, VolumesAreEachPartysOwn) {
  SoundMixer mixer;
  const std::vector<float> some(kSoundTurn * 2 * 2, 0.1F);
  const Mixed mixed = mix(mixer, {{.stereo = some, .volume = 4},
                                  {.stereo = some, .volume = 0},
                                  {.stereo = some, .volume = 1}});
  EXPECT_FLOAT_EQ(mixed.out.back(), 0.5F);
}

TEST(SoundMixer, ATurnOfNobodyIsSilence) {
  SoundMixer mixer;
  mixer.begin();
  const auto turn = mixer.end();
  EXPECT_EQ(turn.size(), kSoundTurn * 2);
  EXPECT_EQ(loudest(turn), 0.0F);
}

}  // namespace
}  // namespace qvid::media
