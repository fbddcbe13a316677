// Shows that a ring buffer is a queue whatever the order of pushes and pops, grows without mixing
// its elements up, and lets go of what was popped.
#include "base/ring_buffer.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <utility>

namespace qvid {
namespace {

TEST(RingBuffer, IsAQueue) {
  RingBuffer<int> ring;
  std::deque<int> reference;
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    // Phases of growing and of draining, so that it wraps and grows at every place.
    const bool push = reference.empty() || random() % 100 < (i / 2000 % 2 == 0 ? 60u : 40u);
    if (push) {
      ring.push_back(i);
      reference.push_back(i);
    } else {
      ring.pop_front();
      reference.pop_front();
    }
    ASSERT_EQ(ring.size(), reference.size());
    ASSERT_EQ(ring.empty(), reference.empty());
    if (reference.empty()) continue;
    ASSERT_EQ(ring.front(), reference.front());
    const std::size_t at = random() % reference.size();
    ASSERT_EQ(std::as_const(ring)[at], reference[at]);
  }
}

TEST(RingBuffer, LetsGoOfWhatWasPopped) {
  RingBuffer<std::shared_ptr<int>> ring;
  const auto value = std::make_shared<int>(7);
  ring.push_back(value);
  EXPECT_EQ(value.use_count(), 2);
  ring.pop_front();
  EXPECT_EQ(value.use_count(), 1);
}

TEST(RingBuffer, HoldsWhatCanOnlyBeMoved) {
  RingBuffer<std::unique_ptr<int>> ring;
  for (int i = 0; i < 100; ++i) ring.push_back(std::make_unique<int>(i));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(*ring.front(), i);
    ring.pop_front();
  }
}

}  // namespace
}  // namespace qvid
