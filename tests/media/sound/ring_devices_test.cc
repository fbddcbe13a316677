// Shows what the sound thread sees of devices through their rings, in virtual time: filling, times,
// loss and return.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "media/sound/ring_input.h"
#include "media/sound/ring_output.h"

namespace qvid::media {
namespace {

constexpr Timestamp kRingsBegin{500s};
constexpr Duration kPoll = 5ms;

// Loudspeakers that call back every 10 ms, and the sound thread that polls every 5.
struct Playing {
  std::shared_ptr<PlayPort> port = std::make_shared<PlayPort>(2);
  RingOutput output{port, "fake"};
  Timestamp now = kRingsBegin;
  bool device = true;
  Duration next_callback{};
  float value = 0;
  std::vector<float> played;                       // the left samples
  std::vector<std::pair<float, Timestamp>> heard;  // of each turn's first
  std::int64_t written = 0;

  void poll() {
    while (output.wanted(now) >= kSoundTurn) {
      heard.emplace_back(value, output.heard(now));
      std::vector<float> turn(kSoundTurn * 2);
      for (std::size_t i = 0; i < kSoundTurn; ++i) turn[2 * i] = turn[2 * i + 1] = value++;
      output.write(turn);
      written += kSoundTurn;
    }
  }
  void callback(std::size_t frames = 480) {
    std::vector<float> samples(frames * 2, -1.0f);
    port->callback(samples, now);
    for (std::size_t i = 0; i < samples.size(); i += 2) played.push_back(samples[i]);
  }
  void run(Duration time, int polls_left_out = 0) {
    const Timestamp end = now + time;
    for (int n = 0; now < end; now += kPoll, ++n) {
      if (polls_left_out-- <= 0) poll();
      if (device && n % 2 == 1) callback();
    }
  }
};

TEST(RingOutput, NeverRunsDryAndSaysWhenItIsHeard) {
  Playing p;
  p.port->begin(20ms);
  p.run(10s);
  EXPECT_EQ(p.output.dry(), 0);
  EXPECT_EQ(p.output.goal(), 960u);
  // All that was written is played in order, once, after the silence of the beginning.
  const auto first = std::ranges::find(p.played, 1.0f) - 1;
  ASSERT_LT(first - p.played.begin(), 4800);
  for (auto it = first; it + 1 != p.played.end(); ++it) ASSERT_EQ(*(it + 1), *it + 1);
  // Frame n was played at: the callback that took it, and its place in it.
  for (const auto& [value, at] : p.heard) {
    const auto place = (first - p.played.begin()) + static_cast<std::int64_t>(value);
    if (value < 48'000 || place >= static_cast<std::int64_t>(p.played.size())) continue;
    const Timestamp taken = kRingsBegin + 5ms + sound_time(place);
    EXPECT_NEAR(to_ms(at - taken), 20, 0.1);
  }
}

TEST(RingOutput, KeepsMoreAfterItRanDryAndLessAfterACalm) {
  Playing p;
  p.port->begin(20ms);
  p.run(1s);
  p.run(100ms, 10);  // the sound thread is away for 50 ms
  EXPECT_GE(p.output.dry(), 2);
  const std::size_t more = p.output.goal();
  EXPECT_GT(more, 960u);
  p.run(1s);
  const auto dry = p.output.dry();
  p.run(5min);
  EXPECT_EQ(p.output.dry(), dry);
  EXPECT_LT(p.output.goal(), more);
  EXPECT_GE(p.output.goal(), 960u);
  for (int i = 0; i < 100; ++i) p.run(200ms, 30);
  EXPECT_LE(p.output.goal(), RingOutput::kMostGoal);
}

TEST(RingOutput, WithoutADeviceItGoesOnAtTheClocksPace) {
  Playing p;
  p.run(2s);  // none has ever been there
  EXPECT_NEAR(static_cast<double>(p.written), 96'000, 1500);
  for (std::size_t i = 1; i < p.heard.size(); ++i) {
    EXPECT_EQ(p.heard[i].second - p.heard[i - 1].second, 10ms);
  }
  p.port->begin(20ms);  // one comes
  p.run(1s);
  EXPECT_TRUE(p.output.runs(p.now));
  const auto before = p.written;
  p.device = false;  // and is lost
  p.run(2s);
  EXPECT_FALSE(p.output.runs(p.now));
  EXPECT_NEAR(static_cast<double>(p.written - before), 96'000 - 9600, 2500);
  p.port->end();
  p.port->begin(20ms);  // and comes back: what was left in the ring is not played
  p.device = true;
  p.played.clear();
  const float now = p.value;
  p.run(1s);
  EXPECT_TRUE(p.output.runs(p.now));
  for (const float sample : p.played) EXPECT_TRUE(sample == 0.0f || sample >= now) << sample;
}

// A microphone of which sample n has the value n, read every 5 ms.
struct Capturing {
  std::shared_ptr<CapturePort> port = std::make_shared<CapturePort>(1);
  RingInput input{port, "fake"};
  Timestamp now = kRingsBegin;
  bool device = true;
  bool reads = true;
  float value = 1;
  std::vector<SoundBlock> blocks;

  void callback() {
    std::vector<float> samples(480);
    for (float& s : samples) s = value++;
    port->callback(samples, now);
  }
  void run(Duration time) {
    const Timestamp end = now + time;
    for (int n = 0; now < end; now += kPoll, ++n) {
      if (device && n % 2 == 1) callback();
      SoundBlock block;
      while (reads && input.read(now, block)) blocks.push_back(block);
    }
  }
  std::int64_t frames() const {
    std::int64_t sum = 0;
    for (const auto& b : blocks) sum += static_cast<std::int64_t>(b.frames());
    return sum;
  }
  Duration longest_gap() const {
    Duration most{};
    for (std::size_t i = 1; i < blocks.size(); ++i) {
      const auto& b = blocks[i - 1];
      const auto end = b.captured + sound_time(static_cast<std::int64_t>(b.frames()));
      most = std::max(most, blocks[i].captured - end);
      EXPECT_GT(blocks[i].captured - end, -1ms) << i;
    }
    return most;
  }
};

TEST(RingInput, GivesAllSamplesWithTheTimeAtWhichTheyWereCaptured) {
  Capturing c;
  c.port->begin(3ms);
  c.run(5s);
  EXPECT_EQ(c.frames(), static_cast<std::int64_t>(c.value) - 1);
  EXPECT_LT(c.longest_gap(), 1us);
  float next = 1;
  for (const auto& b : c.blocks) {
    // Sample n passed its callback's end n frames after the beginning.
    const Timestamp truth =
        kRingsBegin + 5ms - 10ms - 3ms + sound_time(static_cast<std::int64_t>(b.samples[0]) - 1);
    EXPECT_NEAR(to_ms(b.captured - truth), 0, 0.1);
    for (const float s : b.samples) ASSERT_EQ(s, next++);
  }
}

TEST(RingInput, GoesOnAsSilenceWhereItIsLostAndAsSoundWhereItComesBack) {
  Capturing c;
  c.port->begin({});
  c.run(1s);
  c.device = false;
  c.run(2s);
  EXPECT_FALSE(c.input.runs(c.now));
  const auto silent = std::ranges::count_if(
      c.blocks, [](const SoundBlock& b) { return b.samples.front() == 0.0f; });
  EXPECT_GT(silent, 10);
  c.port->end();
  c.port->begin({});
  c.device = true;
  c.run(1s);
  EXPECT_TRUE(c.input.runs(c.now));
  EXPECT_GT(c.blocks.back().samples.front(), 48'000.0f);
  // One timeline throughout, 4 s of it.
  EXPECT_LE(c.longest_gap(), 100us);
  const auto& last = c.blocks.back();
  EXPECT_LE(last.captured, c.now);
  EXPECT_NEAR(static_cast<double>(c.frames()), 4.0 * kSoundRate, 0.2 * kSoundRate);
}

TEST(RingInput, WithoutAnyDeviceItIsSilence) {
  Capturing c;
  c.run(3s);
  EXPECT_NEAR(static_cast<double>(c.frames()), 3.0 * kSoundRate, 0.2 * kSoundRate);
  EXPECT_EQ(c.longest_gap(), 0ns);
}

TEST(RingInput, WhoComesLateGetsTheLatestWithItsTime) {
  for (const Duration away : {Duration(400ms), Duration(5s)}) {  // in the ring; more than it holds
    Capturing c;
    c.port->begin({});
    c.run(1s);
    c.reads = false;
    c.run(away);
    c.reads = true;
    c.blocks.clear();
    c.run(300ms);
    EXPECT_LE(c.frames(), 14'400 + 960 + 7'200);  // what came, what was kept, silence before it
    EXPECT_GT(c.input.dropped(), 0);
    // What is read from now on is what was captured now.
    const auto& last = c.blocks.back();
    const Timestamp truth =
        kRingsBegin + 5ms - 10ms + sound_time(static_cast<std::int64_t>(last.samples[0]) - 1);
    EXPECT_NEAR(to_ms(last.captured - truth), 0, 1.0);
    EXPECT_LT(c.now - last.captured, 30ms);
  }
}

}  // namespace
}  // namespace qvid::media
