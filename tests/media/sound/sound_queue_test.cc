#include "media/sound/sound_queue.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

constexpr Timestamp kQueueStart{1000s};

// A block whose samples count its frames from `first` on, so that what is read tells where it was.
SoundBlock numbered(std::int64_t first, std::int64_t frames, int channels = 2) {
  SoundBlock block{.captured = kQueueStart + sound_time(first), .channels = channels};
  for (std::int64_t i = first; i < first + frames; ++i) {
    block.samples.insert(block.samples.end(), static_cast<std::size_t>(channels),
                         static_cast<float>(i + 1));
  }
  return block;
}

std::int64_t number_at(const SoundBlock& block, std::size_t frame) {
  return static_cast<std::int64_t>(block.samples.at(2 * frame)) - 1;
}

TEST(SoundQueue, GivesWhatIsDueAndNoMore) {
  SoundQueue queue;
  SoundBlock block;
  EXPECT_FALSE(queue.read(kQueueStart, block));
  queue.push(numbered(0, 48'000));  // a second, to come
  EXPECT_FALSE(queue.read(kQueueStart, block));
  ASSERT_TRUE(queue.read(kQueueStart + 10ms, block));
  EXPECT_EQ(block.captured, kQueueStart);
  EXPECT_EQ(block.frames(), 480u);
  EXPECT_FALSE(queue.read(kQueueStart + 10ms, block));
  ASSERT_TRUE(queue.read(kQueueStart + 25ms, block));
  EXPECT_EQ(block.captured, kQueueStart + 10ms);
  EXPECT_EQ(block.frames(), 720u);
  EXPECT_EQ(number_at(block, 0), 480);
  EXPECT_EQ(number_at(block, 719), 1199);
}

TEST(SoundQueue, JoinsBlocksAndGivesATenthOfASecondAtATime) {
  SoundQueue queue;
  for (std::int64_t i = 0; i < 10; ++i) queue.push(numbered(i * 1000, 1000));
  SoundBlock block;
  std::int64_t expected = 0;
  for (const std::size_t frames : {4800u, 4800u, 400u}) {
    ASSERT_TRUE(queue.read(kQueueStart + 900ms, block));
    ASSERT_EQ(block.frames(), frames);
    EXPECT_LE(std::chrono::abs(block.captured - kQueueStart - sound_time(expected)), 10ns);
    for (std::size_t i = 0; i < frames; ++i) ASSERT_EQ(number_at(block, i), expected++);
  }
  EXPECT_FALSE(queue.read(kQueueStart + 900ms, block));
  EXPECT_EQ(queue.stats().frames_dropped, 0);
}

TEST(SoundQueue, MonoIsDoubled) {
  SoundQueue queue;
  queue.push(numbered(0, 100, 1));
  SoundBlock block;
  ASSERT_TRUE(queue.read(kQueueStart + 1s, block));
  EXPECT_EQ(block.channels, 2);
  ASSERT_EQ(block.samples.size(), 200u);
  EXPECT_EQ(block.samples[198], 100.0f);
  EXPECT_EQ(block.samples[199], 100.0f);
}

TEST(SoundQueue, ASmallGapIsSilenceAndAGreatOneAJump) {
  SoundQueue queue;
  queue.push(numbered(0, 480));
  queue.push(numbered(480 + 960, 480));    // 20 ms are missing
  queue.push(numbered(1920 + 9600, 480));  // 200 ms are missing
  SoundBlock block;
  const Timestamp late = kQueueStart + 400ms;
  ASSERT_TRUE(queue.read(late, block));
  EXPECT_EQ(block.frames(), 480u);
  ASSERT_TRUE(queue.read(late, block));
  EXPECT_EQ(block.captured, kQueueStart + 10ms);
  ASSERT_EQ(block.frames(), 960u + 480u);
  EXPECT_EQ(block.samples[0], 0.0f);
  EXPECT_EQ(block.samples[2 * 959], 0.0f);
  EXPECT_EQ(number_at(block, 960), 1440);
  ASSERT_TRUE(queue.read(late, block));
  EXPECT_EQ(block.captured, kQueueStart + sound_time(1920 + 9600));
  EXPECT_EQ(block.frames(), 480u);
  EXPECT_EQ(queue.stats().frames_filled, 960);
}

TEST(SoundQueue, SilenceIsNotGivenBeforeWhatFollowsIsKnown) {
  SoundQueue queue;
  queue.push(numbered(0, 480));
  SoundBlock block;
  ASSERT_TRUE(queue.read(kQueueStart + 50ms, block));
  EXPECT_FALSE(queue.read(kQueueStart + 60ms, block));
  queue.push(numbered(480, 480));  // late, and where it belongs
  ASSERT_TRUE(queue.read(kQueueStart + 60ms, block));
  EXPECT_EQ(block.captured, kQueueStart + 10ms);
  EXPECT_EQ(number_at(block, 0), 480);
}

TEST(SoundQueue, NoInstantIsGivenTwice) {
  SoundQueue queue;
  queue.push(numbered(0, 960));
  queue.push(numbered(480, 960));  // half of it again
  queue.push(numbered(100, 200));  // all of it
  SoundBlock block;
  ASSERT_TRUE(queue.read(kQueueStart + 1s, block));
  ASSERT_EQ(block.frames(), 1440u);
  for (std::size_t i = 0; i < 1440; ++i) ASSERT_EQ(number_at(block, i), static_cast<int>(i));
  EXPECT_EQ(queue.stats().frames_dropped, 480 + 200);
}

TEST(SoundQueue, TimesThatAreRoundedStillMeet) {
  SoundQueue queue;
  for (std::int64_t i = 0; i < 20; ++i) {
    SoundBlock block = numbered(i * 100, 100);
    block.captured += i % 2 == 0 ? 500us : -400us;
    queue.push(std::move(block));
  }
  SoundBlock block;
  ASSERT_TRUE(queue.read(kQueueStart + 1s, block));
  ASSERT_EQ(block.frames(), 2000u);
  for (std::size_t i = 0; i < 2000; ++i) ASSERT_EQ(number_at(block, i), static_cast<int>(i));
}

TEST(SoundQueue, BeyondItsBoundTheOldestGoes) {
  SoundQueue queue;
  for (std::int64_t i = 0; i < 50; ++i) queue.push(numbered(i * 4800, 4800));  // 5 s
  EXPECT_EQ(queue.stats().frames_dropped, 3 * 48'000);
  SoundBlock block;
  // Two seconds are held; of them the last is not too late.
  ASSERT_TRUE(queue.read(kQueueStart + 5s, block));
  EXPECT_NEAR(to_seconds(block.captured - kQueueStart), 4.0, 0.0001);
  EXPECT_NEAR(static_cast<double>(number_at(block, 0)), 4.0 * 48'000, 1.0);
  queue.push(numbered(1'000'000, 48'000 * 9));  // one block larger than all
  EXPECT_FALSE(queue.read(kQueueStart + 5s, block) && block.frames() > 4800);
}

TEST(SoundQueue, AfterClearAnotherSourceBegins) {
  SoundQueue queue;
  queue.push(numbered(0, 48'000));
  SoundBlock block;
  ASSERT_TRUE(queue.read(kQueueStart + 50ms, block));
  queue.clear();
  EXPECT_FALSE(queue.read(kQueueStart + 100ms, block));
  // It begins before the end of what was dropped: heard all the same, but for what was read.
  queue.push(numbered(0, 9600));
  ASSERT_TRUE(queue.read(kQueueStart + 100ms, block));
  EXPECT_EQ(block.captured, kQueueStart + 50ms);
  EXPECT_EQ(number_at(block, 0), 2400);
}

TEST(SoundQueue, IsAnInput) {
  const auto queue = std::make_shared<SoundQueue>();
  SoundQueueInput input(queue, "sound of a file");
  queue->push(numbered(0, 480));
  SoundBlock block;
  EXPECT_TRUE(input.read(kQueueStart + 10ms, block));
  EXPECT_FALSE(input.is_microphone());
  EXPECT_EQ(input.channels(), 2);
  EXPECT_EQ(input.description(), "sound of a file");
}

}  // namespace
}  // namespace qvid::media
