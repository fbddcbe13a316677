#include "media/sound/stored_sound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <vector>

#include "media/sound/sound_codec.h"

namespace qvid::media {
namespace {

constexpr Timestamp kStart{Duration(1000s)};
constexpr Duration kTurnTime = 10ms;
constexpr Duration kPacketTime = 20ms;
constexpr float kFramePart = 1.0F / (1 << 23);
constexpr float kMadeUp = 3;

// Each sample tells the frame of the video that it is.
class PlaceDecoder : public SoundDecoder {
 public:
  std::vector<float> decode(const SoundPacket& packet) override {
    const std::int64_t first = sound_frames(packet.captured.time_since_epoch());
    std::vector<float> out;
    for (std::int64_t i = 0; i < sound_frames(packet.duration); ++i) {
      const float value = static_cast<float>(first + i) * kFramePart;
      out.insert(out.end(), {value, value});
    }
    return out;
  }
  std::vector<float> conceal(std::size_t frames) override {
    return std::vector<float>(frames * 2, kMadeUp);
  }
};

Payload message_at(Duration place, bool last = false) {
  const std::array opus = {std::byte{0xfc}};  // 20 ms of stereo in which nothing is
  SoundPacket packet;
  packet.captured = Timestamp(place);
  packet.duration = kPacketTime;
  packet.last = last;
  packet.opus = Payload::copy_of(opus);
  return serialise(packet);
}

class StoredSoundTest : public ::testing::Test {
 protected:
  // Packets `from` up to `to`, numbered as they are placed.
  void packets(std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      sound_.on_message(static_cast<std::uint64_t>(i), message_at(i * kPacketTime));
    }
  }
  struct Turn {
    bool sounds = false;
    std::array<float, kSoundTurn * 2> frames{};
    // The place of its first frame, if it is not faded or made up.
    Duration place() const { return sound_time(std::llround(frames[0] / kFramePart)); }
    // Each frame follows the one before; a minute is known to a quarter of a frame.
    bool even() const {
      for (std::size_t i = 1; i < kSoundTurn; ++i) {
        const float step = (frames[i * 2] - frames[(i - 1) * 2]) / kFramePart;
        if (step < 0.7F || step > 1.3F || frames[i * 2] != frames[i * 2 + 1]) return false;
      }
      return true;
    }
    bool all(float value) const {
      return std::ranges::all_of(frames, [&](float f) { return f == value; });
    }
  };
  Turn pull() {
    Turn turn;
    turn.sounds = sound_.pull(heard_, turn.frames);
    heard_ += step_;
    return turn;
  }
  void pull_until(Timestamp end) {
    while (heard_ < end) pull();
  }

  std::shared_ptr<PlayClock> clock_ = std::make_shared<PlayClock>();
  StoredSound sound_{std::make_unique<PlaceDecoder>(), clock_};
  Timestamp heard_ = kStart;
  Duration step_ = kTurnTime;
};

TEST_F(StoredSoundTest, IsSilentUntilTimeRunsAndThenAtThePlaceOfThePicture) {
  packets(0, 200);
  EXPECT_FALSE(pull().sounds);
  clock_->run(500ms, heard_ - 40ms);
  Turn turn = pull();  // fades in
  EXPECT_TRUE(turn.sounds);
  EXPECT_LT(turn.frames.front(), sound_frames(540ms) * kFramePart / 100);
  EXPECT_NEAR(turn.frames.back(), sound_frames(550ms) * kFramePart, 1e-4);
  for (int i = 0; i < 200; ++i) {
    const Duration place = clock_->at(heard_)->place;
    turn = pull();
    ASSERT_EQ(turn.place(), place);
    ASSERT_TRUE(turn.even());
  }
  const auto stats = sound_.stats();
  EXPECT_EQ(stats.stretched + stats.shrunk + stats.lost + stats.underruns + stats.late, 0);
  EXPECT_GE(stats.packets, 100);
  clock_->on_shown(
      1s, clock_->at(kStart)->place < 1s ? kStart + (1s - clock_->at(kStart)->place) : kStart);
  EXPECT_NEAR(to_ms(*clock_->sync_error()), 0, 0.1);
}

TEST_F(StoredSoundTest, APauseFadesOutAndGoesOnWhereThePictureGoesOn) {
  packets(0, 200);
  clock_->run(0s, heard_);
  pull_until(kStart + 1s);
  clock_->stand();
  Turn turn = pull();
  EXPECT_TRUE(turn.sounds);
  EXPECT_GT(turn.frames.front(), 0);
  EXPECT_LT(turn.frames.back(), turn.frames.front() / 100);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(pull().all(0));
  // What an output had taken ahead was heard, but not seen: it comes again.
  clock_->run(950ms, heard_);
  pull();
  EXPECT_EQ(pull().place(), 960ms);
  EXPECT_EQ(sound_.jumps(), 0);
  EXPECT_EQ(sound_.stats().lost, 0);
}

TEST_F(StoredSoundTest, KeepsToThePictureAtAnySpeed) {
  packets(0, 1000);
  clock_->run(1s, heard_);
  pull_until(kStart + 100ms);
  for (const double speed : {0.5, 1.5, 2.0, 0.75}) {
    clock_->run(clock_->at(heard_)->place, heard_, speed);
    pull();  // from one to the other
    for (int i = 0; i < 300; ++i) {
      const Duration place = clock_->at(heard_)->place;
      const Turn turn = pull();
      ASSERT_TRUE(turn.sounds);
      // A stretcher takes what is most alike, not what is next.
      ASSERT_NEAR(to_ms(turn.place()), to_ms(place), 60) << speed;
    }
  }
  clock_->run(clock_->at(heard_)->place, heard_);
  pull();
  const Duration place = clock_->at(heard_)->place;
  EXPECT_EQ(pull().place(), place) << "to the frame, as before";
  EXPECT_EQ(sound_.jumps(), 0);
  EXPECT_EQ(sound_.stats().lost + sound_.stats().underruns, 0);
}

TEST_F(StoredSoundTest, AStretchedVoiceFollowsADeviceOfAnotherSpeedToo) {
  packets(0, 4000);
  step_ = 10'002'000ns;
  clock_->run(0s, heard_, 1.5);
  const Timestamp end = heard_ + 50s;
  pull();
  Duration most{};
  while (heard_ < end) {
    pull();
    most = std::max(most, std::chrono::abs(clock_->sync_error().value_or(0s)));
    clock_->on_shown(clock_->at(heard_)->place, heard_);
  }
  EXPECT_EQ(sound_.jumps(), 0);
  EXPECT_LT(most, 10ms) << "of its place on average";
}

TEST_F(StoredSoundTest, FollowsADeviceOfAnotherSpeed) {
  for (const Duration step : {Duration(10'002'000ns), Duration(9'998'000ns)}) {
    packets(0, 4000);
    clock_->run(0s, heard_);
    const Timestamp begin = heard_;
    step_ = step;
    pull();
    Duration most{};
    while (heard_ < begin + 70s) {
      const Duration place = clock_->at(heard_)->place;
      const Turn turn = pull();
      ASSERT_TRUE(turn.even());
      most = std::max(most, std::chrono::abs(turn.place() - place));
    }
    EXPECT_LT(most, 7ms);
    EXPECT_GT(most, 4ms);
    EXPECT_EQ(sound_.jumps(), 0);
    clock_->stand();
    pull();
    sound_.begin();
  }
  // 200 millionths of 70 s each way.
  constexpr double kExpected = 0.014 * kSoundRate;
  EXPECT_NEAR(static_cast<double>(sound_.stats().stretched), kExpected, kExpected / 3);
  EXPECT_NEAR(static_cast<double>(sound_.stats().shrunk), kExpected, kExpected / 3);
}

TEST_F(StoredSoundTest, MendsSmallErrorsBySpeedAndLargeOnesAtOnce) {
  packets(0, 2000);
  clock_->run(0s, heard_);
  pull_until(kStart + 1s);
  for (const Duration shift : {20ms, -20ms}) {
    clock_->run(clock_->at(heard_)->place + shift, heard_);
    const Timestamp end = heard_ + 6s;
    while (heard_ < end) ASSERT_TRUE(pull().even());
    const Duration place = clock_->at(heard_)->place;
    EXPECT_NEAR(to_ms(pull().place() - place), 0, 1.5);
  }
  EXPECT_EQ(sound_.jumps(), 0);
  for (const Duration shift : {60ms, 700ms, -400ms}) {
    clock_->run(clock_->at(heard_)->place + shift, heard_);
    pull_until(heard_ + 150ms);
    const Duration place = clock_->at(heard_)->place;
    EXPECT_NEAR(to_ms(pull().place() - place), 0, 0.1);
  }
  EXPECT_EQ(sound_.jumps(), 3);
}

TEST_F(StoredSoundTest, ConcealsWhatIsMissingForAWhileAndGoesOnInTime) {
  packets(0, 20);
  packets(22, 40);
  packets(60, 80);
  clock_->run(0s, heard_);
  int made_up = 0;
  int silent = 0;
  while (heard_ < kStart + 1500ms) {
    const Duration place = clock_->at(heard_)->place;
    const Turn turn = pull();
    if (place == 0s) continue;
    made_up += turn.all(kMadeUp);
    silent += turn.all(0);
    if (turn.all(kMadeUp) || turn.all(0)) continue;
    ASSERT_EQ(turn.place(), place);
  }
  EXPECT_EQ(made_up, 4 + 6);
  EXPECT_EQ(silent, 40 - 6);
  const auto stats = sound_.stats();
  EXPECT_EQ(stats.lost, 22);
  EXPECT_EQ(stats.concealed, sound_frames(100ms));
  EXPECT_EQ(stats.longest_gap, 400ms);
  EXPECT_EQ(stats.underruns, 0);
}

TEST_F(StoredSoundTest, PlacesWithoutSoundAreSilentAndNothingIsMissing) {
  packets(0, 10);
  sound_.on_message(10, message_at(1s));
  clock_->run(0s, heard_);
  pull_until(kStart + 200ms);
  for (int i = 0; i < 80; ++i) EXPECT_TRUE(pull().all(0));
  EXPECT_EQ(pull().place(), 1s);
  const auto stats = sound_.stats();
  EXPECT_EQ(stats.lost + stats.concealed + stats.underruns, 0);
}

TEST_F(StoredSoundTest, AnEndIsNoUnderrunAndNothingToComeIsOne) {
  packets(0, 10);
  clock_->run(0s, heard_);
  sound_.end();
  pull_until(kStart + 1s);
  EXPECT_EQ(sound_.stats().underruns, 0);
  clock_->stand();
  pull();
  sound_.begin();
  packets(0, 10);
  clock_->run(0s, heard_);
  pull_until(heard_ + 400ms);
  EXPECT_EQ(sound_.stats().underruns, 1);
  EXPECT_EQ(sound_.stats().concealed, sound_frames(60ms));
  packets(10, 12);  // their time is over
  EXPECT_EQ(sound_.stats().late, 2);
  packets(12, 40);
  pull_until(heard_ + 60ms);
  const Duration place = clock_->at(heard_)->place;
  EXPECT_EQ(pull().place(), place);
}

TEST_F(StoredSoundTest, ASoundThatSaysThatItEndsIsNotMissed) {
  sound_.on_message(0, message_at(0s));
  sound_.on_message(1, message_at(20ms, true));
  clock_->run(0s, heard_);
  pull_until(kStart + 1s);
  EXPECT_EQ(sound_.stats().underruns + sound_.stats().concealed, 0);
}

TEST_F(StoredSoundTest, AnotherStretchHasItsOwnNumbers) {
  packets(0, 100);
  clock_->run(0s, heard_);
  pull_until(kStart + 500ms);
  // Without a pause between: the old fades out, the new fades in.
  sound_.begin();
  for (int i = 0; i < 50; ++i) {
    sound_.on_message(static_cast<std::uint64_t>(i), message_at(30s + i * kPacketTime));
  }
  clock_->run(30s, heard_);
  Turn turn = pull();
  EXPECT_LT(turn.frames.back(), turn.frames.front());
  pull();
  turn = pull();
  EXPECT_EQ(turn.place(), 30s + 20ms);
  EXPECT_EQ(sound_.stats().lost, 0);
  EXPECT_EQ(sound_.jumps(), 0);
}

TEST_F(StoredSoundTest, TakesPacketsInAnyOrder) {
  for (std::int64_t i = 99; i >= 0; --i) packets(i, i + 1);
  clock_->run(0s, heard_);
  pull();
  while (heard_ < kStart + 1900ms) {
    const Duration place = clock_->at(heard_)->place;
    ASSERT_EQ(pull().place(), place);
  }
  EXPECT_EQ(sound_.stats().malformed, 0);
}

TEST_F(StoredSoundTest, LeavesWhatIsMalformedAndWhatIsTwiceThere) {
  sound_.on_message(0, Payload::copy_of("nonsense"));
  packets(0, 10);
  packets(3, 4);
  for (int i = 0; i < 1000; ++i) {
    sound_.on_message(100, message_at(50ms + i * 1us));  // a place for each, almost the same
  }
  EXPECT_EQ(sound_.stats().malformed, 2 + 999);  // one fits, by half into each neighbour
}

TEST(StoredSoundLine, HoldsNoMoreThanItMay) {
  StoredSoundLine line(std::make_unique<PlaceDecoder>());
  const auto add = [&](std::int64_t i) {
    line.add(static_cast<std::uint64_t>(i), *parse_sound_packet(message_at(i * kPacketTime)));
  };
  for (std::int64_t i = 0; i < 5000; ++i) add(i);
  EXPECT_EQ(line.packets(), StoredSoundLine::kMaxPackets);
  // What was played makes room.
  line.go(70s);
  add(5000);
  EXPECT_LT(line.packets(), 700u);
}

// Real Opus, entered in its middle: all there from the first turn after the fade on.
TEST(StoredSoundOpus, IsInTimeAndWholeAfterAnEntry) {
  auto encoder = SoundEncoder::make({.channels = 2,
                                     .coding = {.rate = DataRate::from_kbps(64)},
                                     .voice = false,
                                     .discontinuous = false});
  ASSERT_TRUE(encoder);
  // A tone that begins anew, at full volume, every 200 ms for 100 ms.
  SoundBlock block;
  block.channels = 2;
  for (int i = 0; i < 5 * kSoundRate; ++i) {
    const bool on = i / (kSoundRate / 10) % 2 == 0;
    const float sample =
        on ? 0.5F * static_cast<float>(std::sin(2 * std::numbers::pi * 440 * i / kSoundRate)) : 0;
    block.samples.insert(block.samples.end(), {sample, sample});
  }
  std::vector<SoundPacket> packets;
  (*encoder)->encode(block, packets);
  auto clock = std::make_shared<PlayClock>();
  auto decoder = SoundDecoder::make();
  ASSERT_TRUE(decoder);
  StoredSound sound(*std::move(decoder), clock);
  for (std::size_t i = 0; i < packets.size(); ++i) sound.on_message(i, serialise(packets[i]));
  clock->run(2s, kStart);
  double in_tone = 0;
  double in_silence = 0;
  for (int turn = 0; turn < 200; ++turn) {
    std::array<float, kSoundTurn * 2> frames{};
    sound.pull(kStart + turn * kTurnTime, frames);
    double power = 0;
    for (const float f : frames) power += f * f;
    power /= static_cast<double>(frames.size());
    const int in_period = turn % 20;
    if (turn > 0 && in_period > 0 && in_period < 9) {
      EXPECT_NEAR(power, 0.125, 0.03) << turn;
      in_tone += power;
    }
    if (in_period > 10 && in_period < 19) in_silence += power;
  }
  EXPECT_LT(in_silence, in_tone / 1000);
  EXPECT_EQ(sound.stats().concealed, 0);
}

}  // namespace
}  // namespace qvid::media
