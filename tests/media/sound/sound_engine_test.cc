// Shows the engine's thread: packets of a tone come, what is added is pulled, and nothing is called
// after its end.
#include "media/sound/sound_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "media/sound/clock_output.h"
#include "media/sound/tone_input.h"

namespace qvid::media {
namespace {

constexpr Duration kEnginePatience = 20s;

// Counts, and waits for a count.
class Counter {
 public:
  void add() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  bool reaches(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kEnginePatience, [&] { return count_ >= count; });
  }
  int count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

struct CountingVoice : SoundVoice {
  bool pull(Timestamp, std::span<float> frames) override {
    std::ranges::fill(frames, 0.1f);
    pulls.add();
    return true;
  }
  Counter pulls;
};

TEST(SoundEngine, MakesPacketsAndPullsVoicesUntilItEnds) {
  Counter packets;
  Counter spoke;
  auto voice = std::make_shared<CountingVoice>();
  {
    SoundEngine engine({.input = std::make_unique<ToneInput>(Tone::kSpeech),
                        .output = nullptr,
                        .encoder = {.discontinuous = false}},
                       {.packet =
                            [&](SoundPacket&& packet) {
                              EXPECT_EQ(packet.duration, 20ms);
                              packets.add();
                            },
                        .voice =
                            [&](const VoiceState& state) {
                              if (state.speaking) spoke.add();
                            }});
    engine.add(voice);
    engine.set_volume(voice.get(), 2.0f);
    engine.set_coding({.rate = DataRate::from_kbps(24)});
    EXPECT_TRUE(packets.reaches(10));
    EXPECT_TRUE(voice->pulls.reaches(10));
    EXPECT_TRUE(spoke.reaches(1));
    EXPECT_GE(engine.stats().packets_made, 9);
    EXPECT_GT(engine.stats().bytes_made, 0);
    EXPECT_NEAR(engine.stats().peak, 0.2, 0.01);
    EXPECT_FALSE(engine.muted());
    engine.set_muted(true);
    EXPECT_TRUE(engine.muted());
    engine.remove(voice.get());
  }
  EXPECT_EQ(voice.use_count(), 1);  // nobody is left who would pull it
}

// Tells when it is used first, and when it goes.
struct WatchedInput : ToneInput {
  WatchedInput(Counter& made, Counter& gone) : ToneInput(Tone::kSpeech), gone_(gone) { made.add(); }
  ~WatchedInput() override { gone_.add(); }
  Counter& gone_;
};
struct WatchedOutput : ClockOutput {
  explicit WatchedOutput(Counter& gone) : gone_(gone) {}
  ~WatchedOutput() override { gone_.add(); }
  void write(std::span<const float> stereo) override {
    ClockOutput::write(stereo);
    writes.add();
  }
  Counter& gone_;
  Counter writes;
};

TEST(SoundEngine, ADeviceGoesBeforeTheOneInItsPlaceIsMade) {
  Counter packets;
  Counter made;
  Counter gone;
  {
    SoundEngine engine({.input = nullptr, .output = nullptr, .encoder = {.discontinuous = false}},
                       {.packet = [&](SoundPacket&&) { packets.add(); }});
    EXPECT_EQ(packets.count(), 0) << "there is no microphone";
    engine.set_input([&] { return std::make_unique<WatchedInput>(made, gone); });
    EXPECT_TRUE(packets.reaches(10));
    int gone_before = -1;
    engine.set_input([&] {
      gone_before = gone.count();
      return std::make_unique<WatchedInput>(made, gone);
    });
    EXPECT_TRUE(made.reaches(2));
    EXPECT_EQ(gone_before, 1);
    EXPECT_TRUE(packets.reaches(packets.count() + 10));
    engine.set_input([] { return nullptr; });
    EXPECT_TRUE(gone.reaches(2));
    EXPECT_TRUE(packets.reaches(packets.count() + 10)) << "silence";

    Counter gone_outputs;
    auto* output = new WatchedOutput(gone_outputs);
    engine.set_output([&] { return std::unique_ptr<SoundOutput>(output); });
    EXPECT_TRUE(output->writes.reaches(10));
    int gone_outputs_before = -1;
    engine.set_output([&]() -> std::unique_ptr<SoundOutput> {
      gone_outputs_before = gone_outputs.count();
      return std::make_unique<WatchedOutput>(made);
    });
    EXPECT_TRUE(gone_outputs.reaches(1));
    engine.set_output([] { return nullptr; });
    EXPECT_TRUE(made.reaches(3)) << "it has gone";
    EXPECT_EQ(gone_outputs_before, 1);
  }
}

TEST(SoundEngine, OptionsOutOfRangeAreSaid) {
  EXPECT_THROW(SoundEngine({.input = std::make_unique<ToneInput>(Tone::kBeeps),
                            .output = nullptr,
                            .encoder = {.channels = 7}},
                           {.packet = [](SoundPacket&&) {}}),
               std::runtime_error);
}

}  // namespace
}  // namespace qvid::media
