// Shows what a turn of sound does, in virtual time, with devices and an encoder made up.
#include "media/sound/sound_machine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "media/sound/clock_output.h"
#include "media/sound/tone_input.h"

namespace qvid::media {
namespace {

constexpr Timestamp kMachineBegins{9000s};

// A loud voice or silence, as the test says.
class TestInput : public SoundInput {
 public:
  explicit TestInput(int channels = 1, bool microphone = true)
      : channels_(channels), microphone_(microphone) {}
  bool read(Timestamp now, SoundBlock& block) override {
    const std::size_t due = pace.due(now);
    if (due == 0) return false;
    block = {.captured = pace.next(), .channels = channels_, .samples = {}};
    for (std::size_t i = 0; i < due; ++i) {
      const Timestamp t = block.captured + sound_time(static_cast<std::int64_t>(i));
      const float s =
          talks ? ToneInput::sample(Tone::kSpeech, Timestamp((t - kMachineBegins) % 2s)) : 0.0f;
      for (int c = 0; c < channels_; ++c) block.samples.push_back(s);
    }
    pace.take(due);
    return true;
  }
  bool is_microphone() const override { return microphone_; }
  int channels() const override { return channels_; }
  std::string description() const override { return "test"; }

  bool talks = true;
  SoundPace pace;

 private:
  int channels_;
  bool microphone_;
};

// A packet of each 20 ms, of so many bytes as frames are not silent.
class TestEncoder : public SoundEncoder {
 public:
  void encode(const SoundBlock& block, std::vector<SoundPacket>& packets) override {
    blocks.push_back(block);
    frames_ += block.frames();
    if (frames_ < 960) return;
    frames_ = 0;
    packets.push_back({.captured = block.captured - 10ms, .duration = 20ms, .opus = {}});
  }
  void set_coding(const SoundCoding& c) override { coding = c; }

  std::vector<SoundBlock> blocks;
  SoundCoding coding;

 private:
  std::size_t frames_ = 0;
};

class TestProcessor : public VoiceProcessor {
 public:
  void on_played(std::span<const float> stereo) override {
    EXPECT_EQ(stereo.size(), kSoundTurn * 2);
    ++played;
  }
  void process(std::span<float> mono, Duration delay) override {
    EXPECT_EQ(mono.size(), kSoundTurn);
    EXPECT_GE(played, processed);  // it knows what is played before what is captured
    ++processed;
    longest = std::max(longest, delay);
    shortest = std::min(shortest, delay);
    for (float& s : mono) s *= 0.5f;
  }
  Duration latency() const override { return 3ms; }
  int played = 0;
  int processed = 0;
  Duration longest{};
  Duration shortest = 1h;
};

// Heard 40 ms after it is written; keeps all.
class TestOutput : public ClockOutput {
 public:
  Timestamp heard(Timestamp now) override { return ClockOutput::heard(now) + 40ms; }
  void write(std::span<const float> stereo) override {
    ClockOutput::write(stereo);
    samples.insert(samples.end(), stereo.begin(), stereo.end());
  }
  std::vector<float> samples;
};

class ConstantVoice : public SoundVoice {
 public:
  explicit ConstantVoice(float value) : value_(value) {}
  bool pull(Timestamp heard, std::span<float> frames) override {
    EXPECT_TRUE(last == Timestamp{} || heard - last == 10ms);
    last = heard;
    std::ranges::fill(frames, value_);
    return value_ != 0.0f;
  }
  Timestamp last{};

 private:
  float value_;
};

// A steady value, of what goes beside the microphone.
class TestShared : public SharedSound {
 public:
  bool available() const override { return true; }
  void set_on(bool) override {}
  bool pull(Timestamp captured, Timestamp now, std::span<float> stereo) override {
    EXPECT_LE(captured, now);
    last = captured;
    std::ranges::fill(stereo, value);
    return value != 0.0f;
  }
  float value = 0.25f;
  Timestamp last{};
};

struct MachineRun {
  TestInput* input = nullptr;
  TestShared* shared = nullptr;
  TestEncoder* encoder = nullptr;
  TestEncoder* shared_encoder = nullptr;
  TestProcessor* processor = nullptr;
  TestOutput* output = nullptr;
  std::vector<SoundPacket> packets;
  std::vector<std::pair<Timestamp, VoiceState>> voices;
  Timestamp now = kMachineBegins;
  std::unique_ptr<SoundMachine> machine;

  explicit MachineRun(int channels = 1) {
    auto in = std::make_unique<TestInput>(channels);
    auto enc = std::make_unique<TestEncoder>();
    auto other = std::make_unique<TestShared>();
    auto enc2 = std::make_unique<TestEncoder>();
    shared = other.get();
    shared_encoder = enc2.get();
    auto proc = std::make_unique<TestProcessor>();
    auto out = std::make_unique<TestOutput>();
    input = in.get();
    encoder = enc.get();
    processor = proc.get();
    output = out.get();
    machine = std::make_unique<SoundMachine>(
        SoundMachineParts{.input = std::move(in),
                          .output = std::move(out),
                          .encoder = std::move(enc),
                          .voices = std::move(proc),
                          .shared = std::move(other),
                          .shared_encoder = std::move(enc2)},
        SoundMachine::Callbacks{
            .packet = [this](SoundPacket&& p) { packets.push_back(std::move(p)); },
            .voice = [this](const VoiceState& v) { voices.emplace_back(now, v); }});
  }
  void run(Duration time) {
    for (const Timestamp end = now + time; now < end; now += 5ms) machine->turn(now);
  }
};

TEST(SoundMachine, EncodesWhatIsCapturedWithoutGaps) {
  MachineRun r;
  r.run(2s);
  EXPECT_NEAR(static_cast<double>(r.packets.size()), 100, 2);
  EXPECT_EQ(r.machine->packets_made(), static_cast<std::int64_t>(r.packets.size()));
  for (std::size_t i = 0; i < r.packets.size(); ++i) {
    // What comes out of the processor has gone in before.
    EXPECT_NEAR(to_ms(r.packets[i].captured - (kMachineBegins - 3ms)),
                20.0 * static_cast<double>(i), 0.01);
    EXPECT_FALSE(r.packets[i].last);
  }
  // By turns, processed.
  for (const auto& block : r.encoder->blocks) EXPECT_EQ(block.frames(), kSoundTurn);
  EXPECT_EQ(r.processor->processed, static_cast<int>(r.encoder->blocks.size()));
  const auto& block = r.encoder->blocks[50];
  EXPECT_NEAR(block.samples[100],
              0.5f * ToneInput::sample(Tone::kSpeech, Timestamp(block.captured + 3ms +
                                                                sound_time(100) - kMachineBegins)),
              0.01);
  // The echo's way: 40 ms and what the clock's output is ahead, and until it is read.
  EXPECT_GE(r.processor->shortest, 40ms);
  EXPECT_LE(r.processor->longest, 40ms + ClockOutput::kAhead + 20ms);
  const SoundCoding coding{.rate = DataRate::from_kbps(24), .packet = 10ms};
  r.machine->set_coding(coding);
  EXPECT_EQ(r.encoder->coding, coding);
}

TEST(SoundMachine, TellsWhoSpeaksAtOnceAndLoudnessNowAndThen) {
  MachineRun r;
  r.input->talks = false;
  r.run(1s);
  r.voices.clear();
  r.input->talks = true;
  r.run(3s);
  r.input->talks = false;
  r.run(3s);
  int changes = 0;
  bool speaking = false;
  Timestamp before{};
  for (const auto& [at, voice] : r.voices) {
    const bool changed = voice.speaking != speaking;
    changes += changed ? 1 : 0;
    speaking = voice.speaking;
    EXPECT_TRUE(changed || at - before >= SoundMachine::kVoiceEvery);
    before = at;
  }
  EXPECT_EQ(changes, 2);
  EXPECT_FALSE(speaking);
  EXPECT_GT(r.voices.size(), 5u);
  EXPECT_LT(r.voices.size(), 40u);
}

TEST(SoundMachine, MutedNothingIsSentAndNobodyHearsThatOneSpeaks) {
  MachineRun r;
  r.run(1s);
  EXPECT_TRUE(r.machine->voice().speaking);
  EXPECT_FALSE(r.machine->unheard());
  const auto before = r.packets.size();
  r.machine->set_muted(true);
  r.run(1s);
  // One packet more, of silence, which says that none follow.
  ASSERT_EQ(r.packets.size(), before + 1);
  EXPECT_TRUE(r.packets.back().last);
  EXPECT_EQ(std::ranges::count(r.encoder->blocks.back().samples, 0.0f),
            static_cast<std::int64_t>(kSoundTurn));
  EXPECT_EQ(r.machine->voice(), VoiceState{});
  EXPECT_EQ(r.voices.back().second, VoiceState{});
  EXPECT_TRUE(r.machine->unheard());
  r.machine->set_muted(false);
  r.run(1s);
  EXPECT_NEAR(static_cast<double>(r.packets.size() - before), 51, 2);
  EXPECT_FALSE(r.machine->unheard());
  EXPECT_TRUE(r.machine->voice().speaking);
}

TEST(SoundMachine, WhereNobodyListensOnlyTheMeterGoesOn) {
  MachineRun r;
  r.machine->set_sending(false);
  r.run(1s);
  EXPECT_TRUE(r.packets.empty());
  EXPECT_TRUE(r.encoder->blocks.empty());
  EXPECT_TRUE(r.machine->voice().speaking);
  EXPECT_FALSE(r.machine->unheard());
}

TEST(SoundMachine, PlaysTheSumOfVoicesWhenItIsHeard) {
  MachineRun r;
  const auto one = std::make_shared<ConstantVoice>(0.25f);
  const auto two = std::make_shared<ConstantVoice>(0.1f);
  const auto silent = std::make_shared<ConstantVoice>(0.0f);
  r.machine->set_voices({{one, 1.0f}, {two, 2.0f}, {silent, 1.0f}});
  r.run(1s);
  EXPECT_NEAR(r.output->samples.back(), 0.45f, 1e-3f);
  EXPECT_NEAR(r.machine->peak(r.now), 0.45, 1e-3);
  EXPECT_NEAR(static_cast<double>(r.output->samples.size()), 2.0 * kSoundRate, 3000);
  // The last turn is heard when it will be, and the mixer's delay later.
  EXPECT_GE(one->last, r.now + 40ms - 5ms + SoundMixer::kDelay);
  EXPECT_LE(one->last, r.now + 40ms + ClockOutput::kAhead + SoundMixer::kDelay);
  EXPECT_EQ(one->last, silent->last);
  r.machine->set_voices({});
  r.run(2s);
  EXPECT_EQ(r.output->samples.back(), 0.0f);
  EXPECT_EQ(r.machine->peak(r.now), 0.0);
}

TEST(SoundMachine, WhoSleptSkipsRatherThanBursts) {
  MachineRun r;
  r.run(1s);
  const auto packets = r.packets.size();
  const auto played = r.output->samples.size();
  r.now += 1h;
  r.run(100ms);
  EXPECT_LE(r.packets.size() - packets, 7u);
  EXPECT_LE(r.output->samples.size() - played, 2u * 7200u);
  EXPECT_GE(r.packets.back().captured, kMachineBegins + 1h + 1s);
  for (const auto& p : r.packets) EXPECT_LE(p.captured, r.now);
}

TEST(SoundMachine, TakesStereoWithoutProcessing) {
  MachineRun r(2);
  r.run(1s);
  EXPECT_EQ(r.processor->processed, 0);
  EXPECT_EQ(r.encoder->blocks.back().channels, 2);
  EXPECT_EQ(r.encoder->blocks.back().samples.size(), 2 * kSoundTurn);
  EXPECT_TRUE(r.machine->voice().speaking);
}

TEST(SoundMachine, WhatIsSharedGoesBesideTheMicrophoneAsItIs) {
  for (const int channels : {1, 2}) {
    MachineRun r(channels);
    r.input->talks = false;
    r.run(1s);
    EXPECT_EQ(r.shared->last, Timestamp{}) << "nobody asked";
    r.machine->set_sharing(true);
    r.run(1s);
    const auto& block = r.shared_encoder->blocks.back();
    EXPECT_EQ(block.channels, 2);
    ASSERT_EQ(block.samples.size(), 2 * kSoundTurn);
    EXPECT_EQ(block.samples[100], 0.25f) << "no processing";
    EXPECT_EQ(block.captured, r.shared->last - SoundMixer::kDelay);
    EXPECT_FALSE(r.machine->voice().speaking);
    EXPECT_GT(r.machine->voice().loudness, -30);
    const auto before = r.encoder->blocks.size();
    r.input->talks = true;
    r.run(1s);
    EXPECT_TRUE(r.machine->voice().speaking);
    EXPECT_EQ(r.encoder->blocks.size(), before) << "one encoder at a time";
    r.machine->set_sharing(false);
    r.run(1s);
    EXPECT_GT(r.encoder->blocks.size(), before + 95);
    EXPECT_EQ(r.encoder->blocks.back().channels, channels);
    // A packet each 20 ms all the while.
    EXPECT_NEAR(static_cast<double>(r.packets.size()), 200, 4);
  }
}

TEST(SoundMachine, MutedIsTheMicrophoneAlone) {
  MachineRun r;
  r.machine->set_sharing(true);
  r.machine->set_muted(true);
  r.run(1s);
  EXPECT_NEAR(static_cast<double>(r.packets.size()), 50, 2);
  EXPECT_FALSE(r.packets.back().last);
  for (const float s : r.shared_encoder->blocks.back().samples) EXPECT_EQ(s, 0.25f);
  EXPECT_FALSE(r.machine->voice().speaking);
  EXPECT_TRUE(r.machine->unheard());
  // With what is shared, what is sent ends, too.
  r.machine->set_sharing(false);
  r.run(1s);
  EXPECT_NEAR(static_cast<double>(r.packets.size()), 51, 2);
  EXPECT_TRUE(r.packets.back().last);
  EXPECT_EQ(r.machine->voice(), VoiceState{});
}

TEST(SoundMachine, WithoutInputItPlays) {
  SoundMachine machine(
      {.input = nullptr,
       .output = std::make_unique<ClockOutput>(),
       .encoder = nullptr,
       .voices = nullptr},
      {.packet = [](SoundPacket&&) { FAIL(); }, .voice = [](const VoiceState&) {}});
  const auto voice = std::make_shared<ConstantVoice>(0.5f);
  machine.set_voices({{voice, 1.0f}});
  for (Timestamp t = kMachineBegins; t < kMachineBegins + 1s; t += 5ms) machine.turn(t);
  EXPECT_GE(voice->last, kMachineBegins + 990ms);
  EXPECT_EQ(machine.voice(), VoiceState{});
  EXPECT_THROW(SoundMachine({}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace qvid::media
