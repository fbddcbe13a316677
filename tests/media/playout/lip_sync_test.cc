// Shows in virtual time that the picture of an instant is shown when the sound of that instant is
// heard: of what comes out at the two ends, whatever path, jitter, window and clocks do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "media/playout/playback_engine.h"
#include "tests/media/sound/playout_course.h"

namespace qvid::media {
namespace {

constexpr FrameRate kPictureRate{25, 1};
constexpr Duration kPictureTime = 40ms;
constexpr Duration kOutputLatency = 30ms;
const Timestamp kHere = kFirstSample + kPlayerAhead;  // on our clock

class LipSync : public ::testing::Test {
 protected:
  struct Course {
    Duration length = 60s;
    int window = 3;
    PlayoutMode mode = PlayoutMode::kEarly;
    // What leaves then arrives so much later; in order, each on its channel.
    std::function<Duration(Duration)> sound = [](Duration) { return 20ms; };
    std::function<Duration(Duration)> picture = [](Duration) { return 20ms; };
    std::function<bool(Duration)> sent = [](Duration) { return true; };  // sound
  };
  struct Shown {
    Duration at{};
    Duration captured{};
    // Later than what was heard of its instant; empty: nothing was.
    std::optional<Duration> error{};
  };

  void run(const Course& course) {
    clock_ = std::make_shared<PresentationClock>();
    sound_ =
        std::make_unique<SoundPlayoutEngine>(std::make_unique<FakeSoundDecoder>(false), clock_);
    picture_ = PlaybackEngine(kPictureRate, course.window, course.mode);
    picture_.present_with(clock_);
    shown_.clear();
    send_sound(course);
    send_pictures(course);
    std::vector<float> out(2 * kSoundTurn);
    for (Duration now{}; now < course.length; now += 1ms) {
      deliver(now);
      if (now % 10ms == 3ms) {
        const auto concealed = sound_->stats().concealed;
        const bool any = sound_->pull(kHere + now + kOutputLatency, out) &&
                         concealed == sound_->stats().concealed;
        // From the middle: at its beginning a turn may fade from what was before.
        heard_[now + kOutputLatency + sound_time(kSoundTurn / 2)] =
            any ? std::optional(out[kSoundTurn]) : std::nullopt;
        if (heard_.size() > 20) heard_.erase(heard_.begin());
      }
      while (picture_.next_event() <= kHere + now) turn(now);
    }
  }
  void turn(Duration now) {
    while (const auto shown = picture_.poll_shown(kHere + now)) {
      const Duration captured = captured_.at(shown->decoded.number.value());
      shown_.push_back({.at = now, .captured = captured, .error = error(now, captured)});
    }
    const auto task = picture_.poll_decode(kHere + now);
    if (!task) return;
    std::vector<PlaybackEngine::Decoded> results;
    for (const ReceivedFrame& frame : task->frames) {
      results.push_back(std::optional(
          DecodedFrame{.number = frame.number, .picture = {}, .nominal = {}, .layers = 1}));
    }
    picture_.on_decoded(*task, std::move(results), kHere + now);
  }
  // The samples themselves are the instant, within a second.
  std::optional<Duration> error(Duration now, Duration captured) const {
    auto it = heard_.upper_bound(now);
    if (it == heard_.begin()) return std::nullopt;
    --it;
    if (!it->second || std::abs(*it->second) > 0.9F) return std::nullopt;
    const double instant = (*it->second + 1) / 2 + to_seconds(now - it->first);
    double late = instant - to_seconds(captured % Duration(1s));
    late -= std::round(late);
    return from_seconds(late);
  }
  void send_sound(const Course& course) {
    const Payload speech = Payload::copy_of(std::string_view("speech"));
    std::uint64_t number = 0;
    Duration before{};
    for (Duration t{}; t < course.length; t += 20ms) {
      if (!course.sent(t)) continue;
      const SoundPacket packet{.captured = kFirstSample + t,
                               .duration = 20ms,
                               .last = !course.sent(t + 20ms),
                               .opus = speech};
      before = std::max(before, t + 20ms + course.sound(t + 20ms));
      network_.insert({before, [this, packet, its = number++](Timestamp arrival) {
                         sound_->on_packet(its, packet, arrival);
                       }});
    }
  }
  void send_pictures(const Course& course) {
    std::mt19937 random(1);
    captured_.clear();
    Duration before{};
    for (std::int64_t n = 0; n * kPictureTime < course.length; ++n) {
      // Encoded within 40 to 55 ms.
      const Duration due = n * kPictureTime + 15ms;
      captured_[n] = due - static_cast<int>(random() % 15) * 1ms;
      CodedFrame coded;
      coded.captured = kFirstSample + captured_[n];
      coded.due = kFirstSample + due;
      coded.units.resize(1);
      coded.units[0].data = Payload::copy_of(std::string_view("data"));
      const WireFrame wire = serialise(coded);
      const Duration out = due + kPictureTime;
      before = std::max(before, out + course.picture(out));
      network_.insert({before, [this, wire, number = FrameNumber(n)](Timestamp arrival) {
                         picture_.on_message(header_position(number), wire.header, arrival);
                         picture_.on_message(unit_position(number, 0), wire.units[0], arrival);
                       }});
    }
  }
  void deliver(Duration now) {
    while (!network_.empty() && network_.begin()->first <= now) {
      network_.begin()->second(kHere + network_.begin()->first);
      network_.erase(network_.begin());
    }
  }
  // Of pictures that are shown while sound is heard; at least `share` of those that there were.
  void expect_in_sync(Duration from, Duration to, double share = 0.8) const {
    int measured = 0;
    int out_of_sync = 0;
    Duration worst{};
    for (const Shown& s : shown_) {
      if (s.at < from || s.at >= to || !s.error) continue;
      ++measured;
      if (std::chrono::abs(*s.error) > std::chrono::abs(worst)) worst = *s.error;
      if (std::chrono::abs(*s.error) > 40ms) ++out_of_sync;
    }
    EXPECT_EQ(out_of_sync, 0) << "worst " << to_ms(worst) << " ms, of " << measured;
    EXPECT_GE(measured, share * static_cast<double>((to - from) / kPictureTime));
  }
  Duration delay_at(Duration at) const {
    const auto it = std::find_if(shown_.begin(), shown_.end(), [&](auto& s) { return s.at >= at; });
    return it->at - it->captured;
  }
  PlaybackStats stats(Duration now) const { return picture_.stats(kHere + now); }

  std::shared_ptr<PresentationClock> clock_;
  std::unique_ptr<SoundPlayoutEngine> sound_;
  PlaybackEngine picture_{kPictureRate, 3};
  std::multimap<Duration, std::function<void(Timestamp)>> network_;
  std::map<std::int64_t, Duration> captured_;
  std::map<Duration, std::optional<float>> heard_;
  std::vector<Shown> shown_;
};

TEST_F(LipSync, SoundWaitsForThePicture) {
  run({.mode = PlayoutMode::kFixed});
  expect_in_sync(3s, 60s);
  // 1 + 3 + 2 frames and the path; and no more.
  EXPECT_NEAR(to_ms(delay_at(30s)), 240 + 20, 5);
  EXPECT_EQ(stats(60s).frames_lost, 0);
  ASSERT_TRUE(stats(60s).sync_error);
  EXPECT_LT(to_ms(stats(60s).sync_errors.most()), 30);
  EXPECT_GT(stats(60s).sync_errors.count(), 1300);
  EXPECT_EQ(sound_->stats().underruns, 0);
}

// Neither waits for the other beyond what is seen as one.
TEST_F(LipSync, BothAreEarly) {
  run({});
  expect_in_sync(3s, 60s);
  // 55 ms of encoding and 20 of the path; sound: a packet of 20, the path, 30 of the output.
  EXPECT_NEAR(to_ms(delay_at(30s)), 78, 8);
  EXPECT_LE(to_ms(sound_->stats().delay), 80);
  EXPECT_EQ(stats(60s).frames_lost, 0);
}

TEST_F(LipSync, ThePictureFollowsSoundThatJitterHasMadeLateAndBack) {
  Course course;
  // Sound alone is held up, by up to 700 ms.
  course.sound = [](Duration t) { return t >= 10s && t < 10700ms ? 10720ms - t : Duration(20ms); };
  run(course);
  expect_in_sync(3s, 60s, 0.7);
  EXPECT_GT(to_ms(delay_at(18s)), 680);
  EXPECT_NEAR(to_ms(delay_at(58s)), 78, 15);
  EXPECT_LE(stats(60s).frames_lost, 25);  // those of the half second that playing went on
}

TEST_F(LipSync, APathThatHoldsUpBothInBursts) {
  Course course;
  std::mt19937 random(3);
  std::vector<std::pair<Duration, Duration>> bursts;
  for (Duration at = 5s; at < 55s; at += static_cast<int>(2000 + random() % 5000) * 1ms) {
    bursts.emplace_back(at, static_cast<int>(100 + random() % 500) * 1ms);
  }
  course.sound = course.picture = [bursts](Duration t) {
    for (const auto& [at, length] : bursts) {
      if (t >= at && t < at + length) return at + length - t + 20ms;
    }
    return Duration(20ms);
  };
  run(course);
  expect_in_sync(3s, 60s, 0.7);
}

TEST_F(LipSync, PausesInSpeechMoveNothing) {
  Course course;
  course.sent = [](Duration t) { return t % 3s < 1700ms; };
  run(course);
  expect_in_sync(3s, 60s, 0.4);
  for (std::size_t i = 1; i < shown_.size(); ++i) {
    if (shown_[i].at < 3s) continue;
    EXPECT_NEAR(to_ms(shown_[i].at - shown_[i - 1].at), to_ms(kPictureTime), 20) << i;
  }
}

// Sound that ends, and sound that never was: the picture's own timeline, evenly reached.
TEST_F(LipSync, WithoutSoundThePictureHasItsOwnTimeline) {
  Course course;
  course.sound = [](Duration) { return 600ms; };
  course.sent = [](Duration t) { return t < 15s; };
  run(course);
  expect_in_sync(3s, 15s);
  EXPECT_GT(to_ms(delay_at(14s)), 600);
  EXPECT_NEAR(to_ms(delay_at(59s)), 78, 8);
  EXPECT_EQ(stats(60s).frames_lost, 0);
  EXPECT_FALSE(stats(60s).sync_error);
  for (std::size_t i = 1; i < shown_.size(); ++i) {
    EXPECT_GE(shown_[i].at, shown_[i - 1].at);
    if (shown_[i].at > 3s) {
      EXPECT_GT(shown_[i].at - shown_[i - 1].at, 20ms);
    }
  }
}

}  // namespace
}  // namespace qvid::media
