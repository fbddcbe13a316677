// Shows that the sender's view of what a receiver can decode is the receiver's own: against a plain
// model that looks at everything anew each time.
#include "media/live/dependency_tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace qvid::media {
namespace {

CodedUnit unit(std::uint8_t layer, std::vector<UnitDependency> depends_on, int needed_for = 8) {
  CodedUnit u;
  u.layer = layer;
  u.depends_on = std::move(depends_on);
  u.needed_for = needed_for;
  return u;
}
UnitKey key(std::int64_t frame, std::uint8_t layer = 0) { return {FrameNumber(frame), layer}; }

TEST(DependencyTracker, AdmitsWhatDependsOnNothing) {
  DependencyTracker tracker;
  EXPECT_TRUE(tracker.admit(FrameNumber(5), unit(0, {})));
  EXPECT_FALSE(tracker.broken(0));
}

TEST(DependencyTracker, RefusesWhatNeedsSomethingFromBeforeTheBeginning) {
  DependencyTracker tracker;
  EXPECT_FALSE(tracker.admit(FrameNumber(5), unit(0, {{4, 0}})));
  EXPECT_TRUE(tracker.broken(0));
  EXPECT_FALSE(tracker.broken(1));
}

TEST(DependencyTracker, ALossTakesAllThatNeedsIt) {
  DependencyTracker tracker;
  EXPECT_TRUE(tracker.admit(FrameNumber(0), unit(0, {})));
  EXPECT_TRUE(tracker.admit(FrameNumber(1), unit(0, {{1, 0}}, 0)));
  EXPECT_TRUE(tracker.admit(FrameNumber(2), unit(0, {{2, 0}}, 1)));
  EXPECT_TRUE(tracker.admit(FrameNumber(3), unit(0, {{1, 0}, {3, 0}}, 0)));
  EXPECT_TRUE(tracker.admit(FrameNumber(4), unit(0, {{4, 0}})));
  EXPECT_EQ(tracker.on_lost(key(2)), std::vector{key(3)});
  EXPECT_TRUE(tracker.on_lost(key(2)).empty());
  EXPECT_EQ(tracker.on_lost(key(0)), (std::vector{key(1), key(4)}));
  EXPECT_FALSE(tracker.admit(FrameNumber(8), unit(0, {{4, 0}})));
  EXPECT_TRUE(tracker.broken(0));
  // Refers to nothing that was lost, or to nothing at all.
  EXPECT_TRUE(tracker.admit(FrameNumber(9), unit(0, {})));
  EXPECT_FALSE(tracker.broken(0));
  EXPECT_TRUE(tracker.admit(FrameNumber(10), unit(0, {{1, 0}})));
}

TEST(DependencyTracker, AnEncoderThatRefersToSomethingOlderNeedsNoSyncPoint) {
  DependencyTracker tracker;
  EXPECT_TRUE(tracker.admit(FrameNumber(0), unit(1, {})));
  EXPECT_TRUE(tracker.admit(FrameNumber(4), unit(1, {{4, 1}})));
  EXPECT_TRUE(tracker.on_lost(key(4, 1)).empty());
  EXPECT_TRUE(tracker.admit(FrameNumber(7), unit(1, {{7, 1}})));
}

TEST(DependencyTracker, AFrameThatNothingNeedsBreaksNoLayer) {
  DependencyTracker tracker;
  EXPECT_TRUE(tracker.admit(FrameNumber(0), unit(0, {})));
  EXPECT_TRUE(tracker.admit(FrameNumber(2), unit(0, {{2, 0}}, 1)));
  tracker.on_lost(key(2));
  EXPECT_FALSE(tracker.admit(FrameNumber(3), unit(0, {{1, 0}, {3, 0}}, 0)));
  EXPECT_FALSE(tracker.broken(0));
}

TEST(DependencyTracker, WhatIsForgottenIsNotHeldAgainstTheRest) {
  DependencyTracker tracker;
  for (int n = 0; n <= 400; ++n) {
    EXPECT_TRUE(tracker.admit(FrameNumber(n), n == 0 ? unit(0, {}) : unit(0, {{1, 0}})));
  }
  const auto also = tracker.on_lost(key(390));
  EXPECT_EQ(also.size(), 10u);
  EXPECT_TRUE(tracker.on_lost(key(3)).empty());
}

TEST(DependencyTracker, RestartForgets) {
  DependencyTracker tracker;
  EXPECT_TRUE(tracker.admit(FrameNumber(0), unit(0, {})));
  tracker.restart();
  EXPECT_FALSE(tracker.admit(FrameNumber(1), unit(0, {{1, 0}})));
}

TEST(DependencyTracker, ALayerThatThereIsNotIsRefused) {
  DependencyTracker tracker;
  EXPECT_FALSE(tracker.admit(FrameNumber(0), unit(kMaxUnits, {})));
}

// Random units with random dependencies within and between layers, and random losses.
TEST(DependencyTracker, AgreesWithAModelThatLooksAtEverything) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    DependencyTracker tracker;
    std::map<UnitKey, std::vector<UnitKey>> needs;
    std::set<UnitKey> lost;
    const auto decodable = [&](const UnitKey& k, const auto& self) -> bool {
      return needs.contains(k) && !lost.contains(k) &&
             std::all_of(needs[k].begin(), needs[k].end(),
                         [&](const UnitKey& n) { return self(n, self); });
    };
    for (int n = 0; n < 60; ++n) {
      for (std::uint8_t layer = 0; layer < 3; ++layer) {
        CodedUnit u = unit(layer, {});
        const UnitKey k = key(n, layer);
        needs[k] = {};
        for (int d = static_cast<int>(random() % 3); d > 0 && n > 0; --d) {
          const auto back = static_cast<std::uint8_t>(1 + random() % 6);
          const auto of = static_cast<std::uint8_t>(random() % 3);
          u.depends_on.push_back({back, of});
          needs[k].push_back(key(n - back, of));
        }
        if (layer > 0 && random() % 2 == 0) {
          u.depends_on.push_back({0, 0});
          needs[k].push_back(key(n, 0));
        }
        const bool expected = decodable(k, decodable);
        ASSERT_EQ(tracker.admit(FrameNumber(n), u), expected) << seed << " " << n;
        if (!expected) lost.insert(k);
      }
      if (random() % 3 != 0) continue;
      const UnitKey gone =
          key(n - static_cast<int>(random() % 8), static_cast<std::uint8_t>(random() % 3));
      std::vector<UnitKey> expected;
      const bool news = decodable(gone, decodable);
      std::set<UnitKey> before;
      for (const auto& [k, _] : needs) {
        if (decodable(k, decodable)) before.insert(k);
      }
      if (needs.contains(gone)) lost.insert(gone);
      for (const UnitKey& k : before) {
        if (k != gone && !decodable(k, decodable)) expected.push_back(k);
      }
      ASSERT_EQ(tracker.on_lost(gone), news ? expected : std::vector<UnitKey>()) << seed;
    }
  }
}

}  // namespace
}  // namespace qvid::media
