// Shows the engine's thread: packets of a tone come, what is added is pulled, and nothing is called
// after its end.
#include "media/sound/sound_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

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

TEST(SoundEngine, OptionsOutOfRangeAreSaid) {
  EXPECT_THROW(SoundEngine({.input = std::make_unique<ToneInput>(Tone::kBeeps),
                            .output = nullptr,
                            .encoder = {.channels = 7}},
                           {.packet = [](SoundPacket&&) {}}),
               std::runtime_error);
}

}  // namespace
}  // namespace qvid::media
