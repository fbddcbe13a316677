// Shows in virtual time that sound is played without gaps at the smallest delay that its path
// allows, that delay grows and shrinks without a click, what loss, lateness and silence do, and
// that the clock is told the instant of what is heard.
#include "media/sound/sound_playout.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string_view>

#include "tests/media/sound/playout_course.h"

namespace qvid::media {
namespace {

class SoundPlaying : public ::testing::Test {
 protected:
  void play(const SoundCourse& course) {
    clock_ = std::make_shared<PresentationClock>();
    engine_ = std::make_unique<SoundPlayoutEngine>(std::make_unique<FakeSoundDecoder>(course.tone),
                                                   clock_);
    turns_ = play_sound(course, *engine_, *clock_);
  }
  const PlayedTurn& turn_at(Duration at) const {
    return *std::find_if(turns_.begin(), turns_.end(), [&](auto& t) { return t.at >= at; });
  }
  SoundPlayoutStats stats() const { return engine_->stats(); }
  // The longest time without real sound; stats' is since the beginning.
  Duration gap_after(Duration from) const {
    Duration gap{};
    Duration longest{};
    std::int64_t concealed = 0;
    for (const PlayedTurn& t : turns_) {
      const bool real = t.sound && t.stats.concealed == concealed;
      concealed = t.stats.concealed;
      if (t.at < from) continue;
      gap = real ? Duration() : gap + 10ms;
      longest = std::max(longest, gap);
    }
    return longest;
  }

  std::shared_ptr<PresentationClock> clock_;
  std::unique_ptr<SoundPlayoutEngine> engine_;
  std::vector<PlayedTurn> turns_;
};

TEST_F(SoundPlaying, ASteadyPathHasTheLeastDelayAndNoGap) {
  play({.tone = true});
  EXPECT_EQ(stats().underruns, 0);
  EXPECT_EQ(stats().lost + stats().late + stats().restarts + stats().concealed, 0);
  EXPECT_EQ(stats().stretched + stats().shrunk, 0);
  // A packet, the output, a turn of waiting and the margin.
  EXPECT_LE(to_ms(stats().delay), 20 + 30 + 10 + 10);
  EXPECT_GE(to_ms(stats().delay), 20 + 30);
  EXPECT_LT(to_ms(turn_at(0ms).at), 200);
  EXPECT_EQ(gap_after(200ms), 0ms);
  // 440 Hz at half: 0.029 from one sample to the next.
  EXPECT_LT(largest_step(turns_, 0s, 30s), 0.03);
}

TEST_F(SoundPlaying, TheClockIsToldTheInstantOfWhatIsHeard) {
  play({.tone = false, .transit = [](Duration t) { return 20ms + t / 20ms % 3 * 1ms; }});
  int checked = 0;
  for (const PlayedTurn& t : turns_) {
    if (!t.sound || t.at < 1s) continue;
    const Timestamp captured = kFirstSample + t.at - t.lag;
    EXPECT_NEAR(t.samples[0], FakeSoundDecoder::ramp(captured), 1e-3);
    ++checked;
  }
  EXPECT_GT(checked, 2800);
}

// Faster and slower too, as far as the stretcher lets one know.
TEST_F(SoundPlaying, TheClockIsRightWhileTheSpeedChanges) {
  SoundCourse course;
  course.tone = false;
  course.at_turn = [this](Duration now) {
    const Duration needs = now / 3s % 2 == 0 ? 250ms : 450ms;
    clock_->on_picture_needs(kPlayerAhead + needs, kFirstSample + kPlayerAhead + now);
  };
  play(course);
  EXPECT_GT(stats().stretched, sound_frames(800ms));
  EXPECT_GT(stats().shrunk, sound_frames(600ms));
  int checked = 0;
  for (const PlayedTurn& t : turns_) {
    const float expected = FakeSoundDecoder::ramp(kFirstSample + t.at - t.lag);
    // Within 25 ms, but where the ramp begins again.
    if (!t.sound || t.at < 1s || std::abs(expected) > 0.9F) continue;
    EXPECT_NEAR(t.samples[0], expected, 2 * 0.025) << to_ms(t.at);
    ++checked;
  }
  EXPECT_GT(checked, 2300);
}

// A repair of TCP takes a round trip: who knows that there will be some has time for the first one.
TEST_F(SoundPlaying, WhatIsExpectedToBeLateMakesNoGapTheFirstTime) {
  for (const bool expected : {false, true}) {
    SoundCourse course;
    course.transit = [](Duration t) {
      const Duration in = t - 15s;
      return 20ms + (in >= 0s && in < 300ms ? 300ms - in : Duration());
    };
    course.at_turn = [&, expected](Duration now) {
      if (expected && now > 3s) engine_->expect_late(now < 20s ? 300ms : 0ms);
    };
    play(course);
    EXPECT_NEAR(to_ms(turn_at(14s).stats.delay), expected ? 60 + 300 : 60, 20);
    EXPECT_EQ(gap_after(10s) > 100ms, !expected);
  }
}

// As over TCP beside a greedy flow: 0.3..1.5 s during which nothing comes, then all of it.
TEST_F(SoundPlaying, ABurstIsPlayedWholeAndTheNextOneMakesNoGap) {
  for (const Duration burst : {300ms, 700ms, 1500ms}) {
    SCOPED_TRACE(to_ms(burst));
    SoundCourse course;
    course.transit = [=](Duration t) {
      const Duration in = t % Duration(6s);
      return 20ms + (t > 5s && in < burst ? burst - in : Duration());
    };
    play(course);
    EXPECT_EQ(stats().underruns, 1);
    EXPECT_LE(to_ms(stats().longest_gap), to_ms(burst) + 20);
    EXPECT_GE(to_ms(stats().longest_gap), to_ms(burst) - 80);
    EXPECT_EQ(gap_after(6s + burst + 100ms), 0ms);
    EXPECT_EQ(stats().lost, 0);
    EXPECT_EQ(stats().late, 0);
    EXPECT_EQ(stats().skipped, 0);
    EXPECT_GE(to_ms(stats().delay), to_ms(burst));
    EXPECT_LT(largest_step(turns_, 0s, 30s), 0.25);
  }
}

TEST_F(SoundPlaying, ShrinksSlowlyWithoutAGapOrAClick) {
  SoundCourse course;
  course.length = 60s;
  course.transit = [](Duration t) {
    return 20ms + (t >= 5s && t < 5500ms ? 5500ms - t : Duration());
  };
  play(course);
  EXPECT_GE(to_ms(turn_at(14s).lag), 500);
  EXPECT_LE(to_ms(turns_.back().lag), 120);
  EXPECT_GT(stats().shrunk, sound_frames(350ms));
  EXPECT_EQ(gap_after(6200ms), 0ms);
  EXPECT_LT(largest_step(turns_, 7s, 60s), 0.12);
  // Never faster than 25 %, and never at once.
  for (std::size_t i = 1; i < turns_.size(); ++i) {
    if (turns_[i].at < 7s) continue;
    EXPECT_LT(std::abs(to_ms(turns_[i].lag - turns_[i - 1].lag)), 12.0);
  }
}

TEST_F(SoundPlaying, WaitsForThePicture) {
  SoundCourse course;
  course.transit = [](Duration) { return 20ms; };
  course.at_turn = [this](Duration now) {
    const Duration needs = now < 10s ? 250ms : 400ms;
    const Timestamp here = kFirstSample + kPlayerAhead + now;
    if (now < 20s) clock_->on_picture_needs(kPlayerAhead + needs, here);
  };
  play(course);
  EXPECT_NEAR(to_ms(turn_at(9s).lag), 250, 16);
  EXPECT_NEAR(to_ms(turn_at(13s).lag), 400, 16);
  EXPECT_LT(to_ms(turn_at(28s).lag), 120);
  EXPECT_EQ(stats().underruns, 0);
  EXPECT_EQ(gap_after(500ms), 0ms);
  EXPECT_LT(largest_step(turns_, 1s, 30s), 0.12);
}

TEST_F(SoundPlaying, SilenceIsNoGapAndTakesUpEveryChangeOfDelay) {
  SoundCourse course;
  course.voice = [](Duration t) {
    return t % 2s < 1200ms ? SoundCourse::Voice::kSpeech : SoundCourse::Voice::kUnsent;
  };
  // 200 ms more for five seconds.
  course.transit = [](Duration t) { return t >= 10s && t < 15s ? 220ms : 20ms; };
  play(course);
  EXPECT_EQ(stats().underruns, 0);
  EXPECT_EQ(stats().longest_gap, 0ms);
  EXPECT_EQ(stats().late + stats().lost, 0);
  EXPECT_EQ(stats().packets, 30 / 2 * 60);
  EXPECT_GE(to_ms(turn_at(14s).lag), 220);
  // The clock goes on all the while.
  for (const PlayedTurn& t : turns_) {
    if (t.at > 200ms) {
      EXPECT_GT(t.lag, 0ms) << to_ms(t.at);
    }
  }
}

TEST_F(SoundPlaying, APauseThatIsSentShrinksTheDelayUnheard) {
  SoundCourse course;
  course.length = 60s;
  course.voice = [](Duration t) {
    return t % 2s < 1500ms ? SoundCourse::Voice::kSpeech : SoundCourse::Voice::kPause;
  };
  course.transit = [](Duration t) {
    return 20ms + (t >= 4s && t < 4800ms ? 4800ms - t : Duration());
  };
  play(course);
  EXPECT_EQ(stats().skipped, 0);
  EXPECT_GT(stats().shrunk, sound_frames(600ms));
  EXPECT_LE(to_ms(turns_.back().lag), 120);
}

TEST_F(SoundPlaying, LostPacketsAreConcealedAndCounted) {
  SoundCourse course;
  course.transit = [](Duration t) { return t > 1s && t / 20ms % 50 == 7 ? -1ms : 20ms; };
  play(course);
  EXPECT_EQ(stats().lost, 29);
  EXPECT_GE(stats().concealed, 28 * 960);
  EXPECT_LE(to_ms(stats().longest_gap), 40);
  EXPECT_EQ(stats().late, 0);
  EXPECT_LT(largest_step(turns_, 0s, 30s), 0.2);
}

// A sender that gives up what is late: from what is missing it is learned what would have helped.
TEST_F(SoundPlaying, WhatASenderGaveUpMakesTheWindowGrow) {
  SoundCourse course;
  course.transit = [](Duration t) { return t >= 5s && t < 5800ms ? -1ms : 20ms; };
  play(course);
  EXPECT_EQ(stats().lost, 40);
  EXPECT_LT(turn_at(4s).window, 500ms);
  EXPECT_GE(turn_at(7s).window, 800ms);
  EXPECT_EQ(turn_at(7s).window % 20ms, 0ms);
}

TEST_F(SoundPlaying, WhatComesAfterItsTurnIsLateAndDropped) {
  SoundCourse course;
  course.in_order = false;
  course.transit = [](Duration t) { return t == 5s ? 300ms : 20ms; };
  play(course);
  EXPECT_EQ(stats().late, 1);
  EXPECT_EQ(stats().lost, 1);
  EXPECT_LE(to_ms(stats().longest_gap), 40);
}

TEST_F(SoundPlaying, ALongOutageIsNotPlayedAfterwards) {
  SoundCourse course;
  course.transit = [](Duration t) { return t >= 5s && t < 15s ? 15s - t : Duration(20ms); };
  play(course);
  EXPECT_EQ(stats().underruns, 1);
  EXPECT_GE(to_seconds(stats().longest_gap), 9.5);
  EXPECT_EQ(gap_after(16500ms), 0ms);
  // Not reason for a delay.
  EXPECT_LT(to_ms(turn_at(20s).lag), 500);
}

TEST_F(SoundPlaying, AStepOfTheSendersClockBeginsAnew) {
  for (const Duration step : {Duration(5h), Duration(-5h), Duration(3s), Duration(-3s)}) {
    SCOPED_TRACE(to_seconds(step));
    clock_ = std::make_shared<PresentationClock>();
    engine_ =
        std::make_unique<SoundPlayoutEngine>(std::make_unique<FakeSoundDecoder>(true), clock_);
    std::vector<float> out(2 * kSoundTurn);
    const Payload speech = Payload::copy_of(std::string_view("speech"));
    int silent = 0;
    for (int i = 0; i < 1000; ++i) {
      const Timestamp now = kFirstSample + i * 20ms;
      const Timestamp captured = now - 20ms + (i >= 500 ? step : Duration());
      engine_->on_packet(static_cast<std::uint64_t>(i),
                         {.captured = captured, .duration = 20ms, .opus = speech}, now);
      for (int turn = 0; turn < 2; ++turn) {
        const bool sound = engine_->pull(now + 5ms + turn * 10ms, out);
        if (i > 20 && !sound) ++silent;
      }
    }
    EXPECT_EQ(stats().restarts, 1);
    EXPECT_LT(silent, 20);
    EXPECT_LT(to_ms(stats().delay), 100);
  }
}

TEST_F(SoundPlaying, AnOutputThatStoodIsNoReasonForADelay) {
  SoundCourse course;
  play(course);
  const Timestamp end = kFirstSample + kPlayerAhead + 30s;
  std::vector<float> out(2 * kSoundTurn);
  const Payload speech = Payload::copy_of(std::string_view("speech"));
  // 700 ms of packets while nobody takes anything, then as before.
  for (int i = 0; i < 500; ++i) {
    const Timestamp now = end + 150ms + i * 20ms;
    engine_->on_packet(
        1500 + static_cast<std::uint64_t>(i),
        {.captured = kFirstSample + 30s + i * 20ms, .duration = 20ms, .opus = speech}, now);
    for (int turn = 0; i >= 35 && turn < 2; ++turn) engine_->pull(now + 33ms + turn * 10ms, out);
  }
  EXPECT_LT(to_ms(stats().target), 250);
  EXPECT_LT(to_ms(stats().delay), 300);
}

// A page whose process was stopped: what came meanwhile is read and decoded behind the first turns.
TEST_F(SoundPlaying, AMachineThatStoodIsNoReasonForADelay) {
  SoundCourse course;
  play(course);
  const Timestamp end = kFirstSample + kPlayerAhead + 30s;
  std::vector<float> out(2 * kSoundTurn);
  const Payload speech = Payload::copy_of(std::string_view("speech"));
  std::uint64_t number = 1500;
  const auto packet = [&](Timestamp now) {
    const Timestamp captured = kFirstSample + 30s + (number - 1500) * 20ms;
    engine_->on_packet(number++, {.captured = captured, .duration = 20ms, .opus = speech}, now);
  };
  const Timestamp on = end + 1500ms;
  engine_->pull(on + 33ms, out);
  for (int i = 0; i < 75; ++i) packet(on + 5ms + i * 1ms);
  for (int turn = 1; turn < 800; ++turn) {
    if (turn % 2 == 0) packet(on + turn * 10ms);
    engine_->pull(on + 33ms + turn * 10ms, out);
  }
  EXPECT_LT(to_ms(stats().target), 250);
  EXPECT_LT(to_ms(stats().delay), 300);
}

TEST_F(SoundPlaying, AnyPacketsAreHarmless) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    clock_ = std::make_shared<PresentationClock>();
    engine_ =
        std::make_unique<SoundPlayoutEngine>(std::make_unique<FakeSoundDecoder>(true), clock_);
    std::mt19937_64 random(seed);
    std::vector<float> out(2 * kSoundTurn);
    Timestamp now(1h);
    std::uint64_t number = 0;
    Timestamp captured(5h);
    const Payload speech = Payload::copy_of(std::string_view("speech"));
    for (int i = 0; i < 2000; ++i) {
      now += static_cast<int>(random() % 20) * 1ms;
      number += random() % 3;
      captured += static_cast<int>(random() % 40) * 1ms;
      if (random() % 100 == 0) number = random();
      if (random() % 100 == 0) captured = Timestamp(Duration(static_cast<std::int64_t>(random())));
      if (random() % 200 == 0) number = ~std::uint64_t{0} - random() % 2;
      if (random() % 200 == 1) number = 0;
      engine_->on_packet(number - random() % 3,
                         {.captured = captured,
                          .duration = static_cast<int>(random() % 30) * 2500us,
                          .last = random() % 10 == 0,
                          .opus = speech},
                         now);
      if (random() % 3 != 0) engine_->pull(now + static_cast<int>(random() % 50) * 1ms, out);
      (void)engine_->window();
      (void)engine_->stats();
    }
    // And plays whatever is well from there.
    int sound = 0;
    for (int i = 0; i < 500; ++i) {
      now += 20ms;
      engine_->on_packet(1000 + static_cast<std::uint64_t>(i),
                         {.captured = Timestamp(50h) + i * 20ms, .duration = 20ms, .opus = speech},
                         now);
      for (int turn = 0; turn < 2; ++turn) {
        if (engine_->pull(now + 5ms + turn * 10ms, out) && i >= 250) ++sound;
      }
    }
    EXPECT_GE(sound, 490) << seed;
  }
}

TEST(SoundPlayout, CountsWhatIsMalformedAndEndsWithItsClock) {
  const auto clock = std::make_shared<PresentationClock>();
  std::vector<float> out(2 * kSoundTurn);
  const Timestamp now(1h);
  {
    SoundPlayout playout(std::make_unique<FakeSoundDecoder>(true), clock);
    playout.on_message(0, Payload(), now);
    playout.on_message(0, Payload::copy_of(std::string_view("\x07garbage")), now);
    EXPECT_EQ(playout.stats().malformed, 2);
    EXPECT_FALSE(playout.pull(now, out));
    EXPECT_FALSE(clock->sound_lag(now));
    EXPECT_GT(playout.window(), 0ms);
    clock->on_sound(now - 1s, now);
    EXPECT_EQ(clock->sound_lag(now), 1s);
  }
  EXPECT_FALSE(clock->sound_lag(now));
}

}  // namespace
}  // namespace qvid::media
