// Shows what of an input is heard at another device's pace: in order, once, not far from its time.
#include "media/sound/followed_input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace qvid::media {
namespace {

constexpr Timestamp kFollowBegins{700s};

// Frames that count up, in lumps, by a clock that may be off.
class CountingInput : public SoundInput {
 public:
  CountingInput(int channels, Duration lump, double rate)
      : channels_(channels), lump_(lump), rate_(rate) {}
  bool read(Timestamp now, SoundBlock& block) override {
    if (stopped) return false;
    const Timestamp end = kFollowBegins + from_seconds(to_seconds(sound_time(frames)) / rate_);
    if (now < end + lump_) return false;
    block = {.captured = end, .channels = channels_, .samples = {}};
    for (std::int64_t i = 0; i < sound_frames(lump_); ++i, ++frames) {
      for (int c = 0; c < channels_; ++c) block.samples.push_back(static_cast<float>(frames + 1));
    }
    return true;
  }
  bool is_microphone() const override { return false; }
  int channels() const override { return channels_; }
  std::string description() const override { return "counting"; }

  std::int64_t frames = 0;
  bool stopped = false;

 private:
  int channels_;
  Duration lump_;
  double rate_;
};

struct Following {
  CountingInput* input;
  FollowedInput followed;
  Timestamp now = kFollowBegins;
  std::vector<float> heard;  // the left samples
  Duration most_held{};

  explicit Following(int channels = 2, Duration lump = 20ms, double rate = 1.0)
      : Following(std::make_unique<CountingInput>(channels, lump, rate)) {}
  explicit Following(std::unique_ptr<CountingInput> in)
      : input(in.get()), followed(std::move(in)) {}

  // A turn each 10 ms, captured 15 ms before.
  void run(Duration time) {
    std::vector<float> turn(kSoundTurn * 2);
    for (const Timestamp end = now + time; now < end; now += 10ms) {
      const bool any = followed.pull(now - 15ms, now, turn);
      EXPECT_EQ(any, std::ranges::any_of(turn, [](float s) { return s != 0.0f; }));
      for (std::size_t i = 0; i < turn.size(); i += 2) {
        EXPECT_EQ(turn[i], turn[i + 1]);
        heard.push_back(turn[i]);
      }
      most_held = std::max(most_held, followed.held());
    }
  }
  // Steps from one sample to the next that are none of one, beyond the first so many; silence is one.
  int jumps(std::size_t from) const {
    int count = 0;
    for (std::size_t i = from + 1; i < heard.size(); ++i)
      count += heard[i] != heard[i - 1] + 1 && (heard[i] != 0 || heard[i - 1] != 0);
    return count;
  }
  // When the last frame was captured, before the turn that it went with.
  Duration behind() const {
    const Timestamp captured =
        kFollowBegins + sound_time(static_cast<std::int64_t>(heard.back()) - 1);
    return now - 10ms - 15ms + sound_time(kSoundTurn - 1) - captured;
  }
};

TEST(FollowedInput, GivesEverythingOnceAndSoMuchLater) {
  for (const int channels : {1, 2}) {
    Following f(channels);
    f.run(10s);
    EXPECT_EQ(f.jumps(kSoundRate / 2), 0);
    EXPECT_NEAR(to_ms(f.behind()), to_ms(FollowedInput::kBehind), to_ms(FollowedInput::kAstray));
  }
}

TEST(FollowedInput, LumpsOfALazyServerAreBridged) {
  Following f(2, 50ms);
  f.run(10s);
  EXPECT_EQ(f.jumps(kSoundRate / 2), 0);
}

TEST(FollowedInput, AClockThatIsOffIsFollowedByFewJumps) {
  for (const double rate : {0.998, 1.002}) {  // four times as far as quartz is ever off
    Following f(2, 20ms, rate);
    f.run(50s);
    // 100 ms in all, by steps of no less than 10.
    EXPECT_LE(f.jumps(kSoundRate / 2), 22) << rate;
    EXPECT_LT(f.most_held, 200ms);
  }
}

TEST(FollowedInput, WhatStopsIsSilentAndGoesOnInItsTime) {
  Following f;
  f.run(1s);
  f.input->stopped = true;
  f.run(1s);
  EXPECT_EQ(f.heard.back(), 0.0f);
  f.input->stopped = false;  // with all that came meanwhile, in order
  f.run(1s);
  EXPECT_NEAR(to_ms(f.behind()), to_ms(FollowedInput::kBehind), to_ms(FollowedInput::kAstray));
  EXPECT_LE(f.most_held, FollowedInput::kMostHeld);
}

TEST(FollowedInput, WhoSleptHearsWhatIsNow) {
  Following f;
  f.run(1s);
  f.now += 10s;
  f.run(3s);
  EXPECT_NEAR(to_ms(f.behind()), to_ms(FollowedInput::kBehind), to_ms(FollowedInput::kAstray));
  EXPECT_LE(f.most_held, FollowedInput::kMostHeld);
}

}  // namespace
}  // namespace qvid::media
