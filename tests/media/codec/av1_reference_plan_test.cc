#include "media/codec/av1/av1_reference_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace qvid::media {
namespace {

std::uint8_t slots_of(const Av1PlannedFrame& frame) {
  return frame.is_sync_point() ? 0xff : static_cast<std::uint8_t>(1u << frame.slot);
}

TEST(Av1ReferencePlan, WithoutLossEachFrameRefersToTheOneBefore) {
  Av1ReferencePlan plan;
  const std::vector<int> slots = {0, 1, 0, 2, 0, 1, 0, 3, 0, 1};  // of frames 1, 2, ...
  for (std::int64_t n = 0; n < 300; ++n) {
    const Av1PlannedFrame frame = plan.next();
    ASSERT_EQ(frame.is_sync_point(), n == 0);
    if (n > 0) {
      EXPECT_EQ(frame.reference->frames_back, 1);
      if (n <= static_cast<std::int64_t>(slots.size())) {
        EXPECT_EQ(frame.slot, slots[static_cast<std::size_t>(n - 1)]) << n;
      }
    }
    plan.on_coded(FrameNumber(n), frame, slots_of(frame));
  }
  EXPECT_EQ(plan.length(), 300);
}

// What the frames of the last moments were lost of is passed over by at most about as much again.
TEST(Av1ReferencePlan, ASoundFrameIsThereAtMostTwiceAsFarBackAsTheLoss) {
  for (const int lost : {1, 2, 3, 5, 8, 15, 30, 60}) {
    Av1ReferencePlan plan;
    for (std::int64_t n = 0; n < 500; ++n) {
      const Av1PlannedFrame frame = plan.next();
      plan.on_coded(FrameNumber(n), frame, slots_of(frame));
    }
    plan.on_lost(FrameNumber(500 - lost));
    const Av1PlannedFrame next = plan.next();
    ASSERT_FALSE(next.is_sync_point()) << lost;
    EXPECT_GT(next.reference->frames_back, lost);
    EXPECT_LE(next.reference->frames_back, 2 * lost + 2) << lost;
  }
}

TEST(Av1ReferencePlan, WhatIsReferredToIsKeptAndSound) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    std::mt19937 random(seed);
    Av1ReferencePlan plan;
    std::array<std::int64_t, Av1ReferencePlan::kSlots> kept{};
    std::map<std::int64_t, std::int64_t> reference;  // -1: none
    std::set<std::int64_t> lost;
    const auto sound = [&](std::int64_t n) {
      for (; n >= 0; n = reference[n]) {
        if (lost.contains(n)) return false;
      }
      return true;
    };
    int sync_points = 0;
    for (std::int64_t n = 0; n < 1000; ++n) {
      if (n > 0 && random() % 4 == 0) {
        const auto which = n - 1 - static_cast<std::int64_t>(random() % (seed * 10)) % n;
        lost.insert(which);
        plan.on_lost(FrameNumber(which));
      }
      const Av1PlannedFrame frame = plan.next();
      if (frame.reference) {
        const std::int64_t from = kept[static_cast<std::size_t>(frame.reference->slot)];
        ASSERT_EQ(n - from, frame.reference->frames_back);
        ASSERT_TRUE(sound(from)) << n;
        reference[n] = from;
      } else {
        ++sync_points;
        reference[n] = -1;
        for (const std::int64_t k : kept) EXPECT_TRUE(n == 0 || !sound(k)) << n;
      }
      // libaom keeps it elsewhere as well now and then.
      const auto more = static_cast<std::uint8_t>(random() % 8 == 0 ? 1u << random() % 8 : 0);
      const auto slots = static_cast<std::uint8_t>(slots_of(frame) | more);
      for (std::size_t slot = 0; slot < kept.size(); ++slot) {
        if ((slots >> slot & 1) != 0) kept[slot] = n;
      }
      plan.on_coded(FrameNumber(n), frame, slots);
    }
    EXPECT_LT(sync_points, 500);
  }
}

TEST(Av1ReferencePlan, WhatIsOfNoGroupChangesNothing) {
  Av1ReferencePlan plan;
  plan.on_lost(FrameNumber(0));
  for (std::int64_t n = 10; n < 20; ++n) {
    const Av1PlannedFrame frame = n == 15 ? Av1PlannedFrame() : plan.next();
    plan.on_coded(FrameNumber(n), frame, slots_of(frame));
  }
  EXPECT_EQ(plan.length(), 5);
  plan.on_lost(FrameNumber(14));
  plan.on_lost(FrameNumber(20));
  EXPECT_EQ(plan.next().reference->frames_back, 1);
}

}  // namespace
}  // namespace qvid::media
