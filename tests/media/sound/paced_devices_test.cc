// Shows what goes at the clock's pace: the output nowhere, into a file, samples and tones.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "media/sound/clock_output.h"
#include "media/sound/sample_input.h"
#include "media/sound/sound_file.h"
#include "media/sound/tone_input.h"
#include "tests/temporary_folder.h"

namespace qvid::media {
namespace {

constexpr Timestamp kPaceBegins{77s + 123ms};

// Writes turns of a value that grows, as the sound thread does.
struct TurnWriter {
  float value = 0;
  Timestamp last{};
  int write(SoundOutput& output, Timestamp now) {
    int turns = 0;
    while (output.wanted(now) >= kSoundTurn) {
      last = output.heard(now);
      output.write(std::vector<float>(kSoundTurn * 2, value));
      value += 0.001f;
      ++turns;
    }
    return turns;
  }
};

TEST(ClockOutput, TakesATurnEachTenMillisecondsBeforeItsTime) {
  ClockOutput output;
  TurnWriter writer;
  Timestamp before = kPaceBegins + ClockOutput::kAhead;
  int turns = 0;
  for (Duration t{}; t < 1s; t += 5ms) {
    const int now = writer.write(output, kPaceBegins + t);
    turns += now;
    if (now == 0) continue;
    EXPECT_EQ(now, 1);
    EXPECT_GE(writer.last, kPaceBegins + t);  // not in the past
    EXPECT_EQ(writer.last, before);
    before += 10ms;
  }
  EXPECT_NEAR(turns, 100, 2);
}

TEST(ClockOutput, WhoSleptSkips) {
  ClockOutput output;
  TurnWriter writer;
  for (Duration t{}; t < 100ms; t += 5ms) writer.write(output, kPaceBegins + t);
  const Timestamp after = kPaceBegins + 1h;
  EXPECT_LE(writer.write(output, after), 1);
  writer.write(output, after + 10ms);
  EXPECT_GE(writer.last, after);
  EXPECT_LE(writer.last, after + 30ms);
}

std::vector<unsigned char> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::int64_t field(const std::vector<unsigned char>& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}
double left_sample(const std::vector<unsigned char>& bytes, std::int64_t frame) {
  std::int16_t value = 0;
  std::memcpy(&value, bytes.data() + 44 + frame * 4, 2);
  return value / 32767.0;
}

TEST(WavOutput, MapsFramesToTimesAlsoOverWhatWasSkipped) {
  const TemporaryFolder folder;
  const std::string path = (folder / "heard.wav").string();
  Timestamp first{};
  auto output = WavOutput::make(path, [&](Timestamp t) { first = t; });
  ASSERT_TRUE(output) << output.error().message;
  TurnWriter writer;
  for (Duration t{}; t < 300ms; t += 5ms) writer.write(**output, kPaceBegins + t);
  for (Duration t = 2s; t < 3s; t += 5ms) writer.write(**output, kPaceBegins + t);
  const double last_value = writer.value - 0.001f;
  // A program that is killed here leaves a file of which no more than half a second is missing.
  const auto killed = bytes_of(path);
  ASSERT_GE(killed.size(), 44u);
  EXPECT_EQ(std::memcmp(killed.data(), "RIFF", 4), 0);
  EXPECT_GE(field(killed, 40) / 4, 2.4 * kSoundRate);
  EXPECT_LE(field(killed, 40) + 44, static_cast<std::int64_t>(killed.size()));
  output->reset();

  const auto bytes = bytes_of(path);
  EXPECT_EQ(field(bytes, 4) + 8, static_cast<std::int64_t>(bytes.size()));
  EXPECT_EQ(field(bytes, 40) + 44, static_cast<std::int64_t>(bytes.size()));
  EXPECT_EQ(first, kPaceBegins + ClockOutput::kAhead);
  const auto frame_of = [&](Timestamp t) { return sound_frames(t - first); };
  EXPECT_NEAR(left_sample(bytes, frame_of(writer.last) + 10), last_value, 1e-4);
  EXPECT_NEAR(left_sample(bytes, frame_of(first + 100ms)), 0.010, 1e-4);
  EXPECT_EQ(left_sample(bytes, frame_of(first + 1s)), 0.0);  // skipped
}

TEST(WavOutput, SaysWhyItCannotWrite) {
  const auto output = WavOutput::make("/no/such/folder/a.wav");
  ASSERT_FALSE(output);
  EXPECT_NE(output.error().message.find("/no/such/folder/a.wav"), std::string::npos);
}

TEST(WavOutput, TakesAnySamples) {
  const TemporaryFolder folder;
  auto output = WavOutput::make((folder / "a.wav").string());
  ASSERT_TRUE(output);
  (*output)->wanted(kPaceBegins);
  (*output)->write(std::vector<float>{NAN, INFINITY, -1e30f, 1e30f});
  output->reset();
  EXPECT_EQ(left_sample(bytes_of((folder / "a.wav").string()), 1), -1.0);
}

TEST(SampleInput, PlaysOnceOrForEver) {
  for (const bool loop : {false, true}) {
    SoundSamples samples{.channels = 2, .values = {}};
    for (int i = 0; i < 1000; ++i) {
      samples.values.push_back(static_cast<float>(i));
      samples.values.push_back(static_cast<float>(-i));
    }
    SampleInput input(samples, loop, "file");
    EXPECT_FALSE(input.is_microphone());
    SoundBlock block;
    std::int64_t frame = 0;
    for (Duration t{}; t < 100ms; t += 5ms) {
      if (!input.read(kPaceBegins + t, block)) continue;
      EXPECT_EQ(block.channels, 2);
      EXPECT_EQ(block.captured, kPaceBegins + sound_time(frame));
      for (std::size_t i = 0; i < block.frames(); ++i, ++frame) {
        const float expected = frame < 1000 || loop ? static_cast<float>(frame % 1000) : 0.0f;
        ASSERT_EQ(block.samples[2 * i], expected);
        ASSERT_EQ(block.samples[2 * i + 1], -expected);
      }
    }
    EXPECT_EQ(frame, 95 * 48);
    // A machine that slept: no burst.
    EXPECT_FALSE(input.read(kPaceBegins + 1min, block));
    EXPECT_TRUE(input.read(kPaceBegins + 1min + 5ms, block));
    EXPECT_EQ(block.frames(), 240u);
    EXPECT_GE(block.captured, kPaceBegins + 1min - 1ms);
  }
  SampleInput empty({}, true, "nothing");
  SoundBlock block;
  empty.read(kPaceBegins, block);
  EXPECT_TRUE(empty.read(kPaceBegins + 10ms, block));
}

TEST(ToneInput, BeepsAtEachFullSecond) {
  ToneInput input(Tone::kBeeps);
  SoundBlock block;
  double loud = 0;
  double quiet = 0;
  for (Duration t{}; t < 3s; t += 10ms) {
    if (!input.read(kPaceBegins + t, block)) continue;
    for (std::size_t i = 0; i < block.frames(); ++i) {
      const Timestamp at = block.captured + sound_time(static_cast<std::int64_t>(i));
      double& sum = at.time_since_epoch() % 1s < ToneInput::kBeep ? loud : quiet;
      sum += static_cast<double>(block.samples[i]) * static_cast<double>(block.samples[i]);
    }
  }
  EXPECT_EQ(quiet, 0);
  EXPECT_GT(loud, 3 * 0.06 * kSoundRate * 0.05);
}

TEST(ToneInput, SpeechComesAndGoesWithoutClipping) {
  double talk = 0;
  for (Duration t{}; t < 3s; t += 100us) {
    const auto s = static_cast<double>(ToneInput::sample(Tone::kSpeech, Timestamp(t)));
    ASSERT_LE(std::abs(s), 1.0);
    if (t >= ToneInput::kTalk) {
      ASSERT_EQ(s, 0);
    }
    talk += s * s;
  }
  EXPECT_GT(std::sqrt(talk / 20'000), 0.05);
  EXPECT_EQ(ToneInput::sample(Tone::kSilence, Timestamp(10ms)), 0.0f);
}

}  // namespace
}  // namespace qvid::media
