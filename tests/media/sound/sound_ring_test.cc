// Shows that the ring between two threads keeps order, is bounded, and drops by its rule.
#include "media/sound/sound_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <thread>

namespace qvid::media {
namespace {

TEST(SoundRing, GivesWhatWasPutInOrder) {
  SoundRing ring(8);
  EXPECT_EQ(ring.capacity(), 8u);
  const std::array<float, 5> values{1, 2, 3, 4, 5};
  std::array<float, 8> out{};
  for (int round = 0; round < 10; ++round) {  // the place where it wraps moves
    EXPECT_TRUE(ring.put(values));
    EXPECT_EQ(ring.size(), 5u);
    EXPECT_EQ(ring.drop(1), 1u);
    EXPECT_EQ(ring.take(out), 4u);
    EXPECT_EQ(out[0], 2.0f);
    EXPECT_EQ(out[3], 5.0f);
    EXPECT_EQ(ring.size(), 0u);
  }
}

TEST(SoundRing, DropsWhatDoesNotFitWhole) {
  SoundRing ring(4);
  const std::array<float, 3> first{1, 2, 3};
  const std::array<float, 2> second{4, 5};
  EXPECT_TRUE(ring.put(first));
  EXPECT_FALSE(ring.put(second));
  EXPECT_EQ(ring.size(), 3u);
  EXPECT_TRUE(ring.put(std::span(second).first(1)));
  std::array<float, 8> out{};
  EXPECT_EQ(ring.take(out), 4u);
  EXPECT_EQ(out[3], 4.0f);
  EXPECT_EQ(ring.take(out), 0u);
  EXPECT_EQ(ring.drop(3), 0u);
}

TEST(SoundRing, NothingIsLostOrDoubledBetweenTwoThreads) {
  constexpr int kCount = 200'000;
  SpscRing<int> ring(64);
  std::jthread producer([&ring] {
    std::array<int, 7> values{};
    for (int next = 0; next < kCount;) {
      std::iota(values.begin(), values.end(), next);
      const int count = std::min<int>(7, kCount - next);
      if (ring.put(std::span(values).first(static_cast<std::size_t>(count)))) {
        next += count;
      } else {
        std::this_thread::yield();
      }
    }
  });
  std::array<int, 11> out{};
  int expected = 0;
  while (expected < kCount) {
    const std::size_t count = ring.take(out);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], expected++);
    if (count == 0) std::this_thread::yield();
  }
  EXPECT_EQ(ring.size(), 0u);
}

}  // namespace
}  // namespace qvid::media
