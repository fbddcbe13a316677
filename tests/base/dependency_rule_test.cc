// Shows that a sender's view of what a receiver can use is the receiver's own: against a plain
// model that looks at everything anew each time.
#include "base/dependency_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace qvid {
namespace {

using Needs = std::vector<PartDependency>;

PartId key(std::int64_t item, std::uint8_t part = 0) { return {item, part}; }

// One source and one receiver of it.
struct Stream {
  bool admit(const PartId& id, const Needs& needs, bool carries_on = true) {
    log.note(id, needs);
    return rule.admit(id, carries_on);
  }
  DependencyLog log;
  DependencyRule rule{log};
};

TEST(DependencyRule, AdmitsWhatDependsOnNothing) {
  Stream stream;
  EXPECT_TRUE(stream.admit(key(5), {}));
  EXPECT_FALSE(stream.rule.broken(0));
}

TEST(DependencyRule, RefusesWhatNeedsSomethingFromBeforeTheBeginning) {
  Stream stream;
  EXPECT_FALSE(stream.admit(key(5), {{4, 0}}));
  EXPECT_TRUE(stream.rule.broken(0));
  EXPECT_FALSE(stream.rule.broken(1));
}

TEST(DependencyRule, ALossTakesAllThatNeedsIt) {
  Stream stream;
  EXPECT_TRUE(stream.admit(key(0), {}));
  EXPECT_TRUE(stream.admit(key(1), {{1, 0}}, false));
  EXPECT_TRUE(stream.admit(key(2), {{2, 0}}, false));
  EXPECT_TRUE(stream.admit(key(3), {{1, 0}, {3, 0}}, false));
  EXPECT_TRUE(stream.admit(key(4), {{4, 0}}));
  EXPECT_EQ(stream.rule.on_lost(key(2)), std::vector{key(3)});
  EXPECT_TRUE(stream.rule.on_lost(key(2)).empty());
  EXPECT_EQ(stream.rule.on_lost(key(0)), (std::vector{key(1), key(4)}));
  EXPECT_FALSE(stream.admit(key(8), {{4, 0}}));
  EXPECT_TRUE(stream.rule.broken(0));
  // Refers to nothing that was lost, or to nothing at all.
  EXPECT_TRUE(stream.admit(key(9), {}));
  EXPECT_FALSE(stream.rule.broken(0));
  EXPECT_TRUE(stream.admit(key(10), {{1, 0}}));
}

TEST(DependencyRule, AnEncoderThatRefersToSomethingOlderNeedsNoSyncPoint) {
  Stream stream;
  EXPECT_TRUE(stream.admit(key(0, 1), {}));
  EXPECT_TRUE(stream.admit(key(4, 1), {{4, 1}}));
  EXPECT_TRUE(stream.rule.on_lost(key(4, 1)).empty());
  EXPECT_TRUE(stream.admit(key(7, 1), {{7, 1}}));
}

TEST(DependencyRule, AnItemThatNothingNeedsBreaksNoLayer) {
  Stream stream;
  EXPECT_TRUE(stream.admit(key(0), {}));
  EXPECT_TRUE(stream.admit(key(2), {{2, 0}}, false));
  stream.rule.on_lost(key(2));
  EXPECT_FALSE(stream.admit(key(3), {{1, 0}, {3, 0}}, false));
  EXPECT_FALSE(stream.rule.broken(0));
}

TEST(DependencyRule, WhatIsForgottenIsNotHeldAgainstTheRest) {
  Stream stream;
  for (int n = 0; n <= 400; ++n) {
    EXPECT_TRUE(stream.admit(key(n), n == 0 ? Needs() : Needs{{1, 0}}));
  }
  const auto also = stream.rule.on_lost(key(390));
  EXPECT_EQ(also.size(), 10u);
  EXPECT_TRUE(stream.rule.on_lost(key(3)).empty());
}

TEST(DependencyRule, RestartForgets) {
  Stream stream;
  EXPECT_TRUE(stream.admit(key(0), {}));
  stream.rule.clear();
  EXPECT_FALSE(stream.admit(key(1), {{1, 0}}));
}

TEST(DependencyRule, APartThatThereIsNotIsRefused) {
  Stream stream;
  EXPECT_FALSE(stream.admit(key(0, DependencyLog::kParts), {}));
}

TEST(DependencyRule, WhatIsNotOfTheLogIsRefused) {
  Stream stream;
  EXPECT_FALSE(stream.rule.admit(key(0)));
  EXPECT_FALSE(stream.rule.usable(key(0)));
  EXPECT_TRUE(stream.rule.on_lost(key(0)).empty());
  EXPECT_TRUE(stream.admit(key(1000), {}));
  EXPECT_FALSE(stream.log.note(key(1000), {}));  // twice
  EXPECT_FALSE(stream.log.note(key(1000 - DependencyLog::kItems), {}));
  EXPECT_FALSE(stream.log.note(key(-1), {}));
  EXPECT_EQ(stream.log.newest(), 1000);
}

TEST(DependencyRule, NumbersMayHaveGapsAndPartsComeInAnyOrder) {
  Stream stream;
  EXPECT_TRUE(stream.admit(key(0, 3), {}));
  EXPECT_TRUE(stream.admit(key(0, 1), {}));
  EXPECT_TRUE(stream.admit(key(200, 0), {{200, 1}}));
  EXPECT_TRUE(stream.admit(key(100, 2), {{100, 3}}));
  EXPECT_EQ(stream.rule.on_lost(key(0, 1)), std::vector{key(200, 0)});
  EXPECT_TRUE(stream.rule.usable(key(100, 2)));
}

TEST(DependencyRule, ReceiversOfOneLogLoseForThemselves) {
  Stream stream;
  DependencyRule other(stream.log);
  EXPECT_TRUE(stream.admit(key(0), {}));
  EXPECT_TRUE(other.admit(key(0)));
  EXPECT_TRUE(stream.rule.on_lost(key(0)).empty());
  EXPECT_FALSE(stream.admit(key(1), {{1, 0}}));
  EXPECT_TRUE(other.admit(key(1)));
}

// Random units with random dependencies within and between layers, and random losses.
TEST(DependencyRule, AgreesWithAModelThatLooksAtEverything) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    Stream stream;
    std::map<PartId, std::vector<PartId>> needs;
    std::set<PartId> lost;
    const auto decodable = [&](const PartId& k, const auto& self) -> bool {
      return needs.contains(k) && !lost.contains(k) &&
             std::all_of(needs[k].begin(), needs[k].end(),
                         [&](const PartId& n) { return self(n, self); });
    };
    for (int n = 0; n < 60; ++n) {
      for (std::uint8_t layer = 0; layer < 3; ++layer) {
        Needs u;
        const PartId k = key(n, layer);
        needs[k] = {};
        for (int d = static_cast<int>(random() % 3); d > 0 && n > 0; --d) {
          const auto back = static_cast<std::uint8_t>(1 + random() % 6);
          const auto of = static_cast<std::uint8_t>(random() % 3);
          u.push_back({back, of});
          needs[k].push_back(key(n - back, of));
        }
        if (layer > 0 && random() % 2 == 0) {
          u.push_back({0, 0});
          needs[k].push_back(key(n, 0));
        }
        const bool expected = decodable(k, decodable);
        ASSERT_EQ(stream.admit(k, u), expected) << seed << " " << n;
        if (!expected) lost.insert(k);
      }
      if (random() % 3 != 0) continue;
      const PartId gone =
          key(n - static_cast<int>(random() % 8), static_cast<std::uint8_t>(random() % 3));
      std::vector<PartId> expected;
      const bool news = decodable(gone, decodable);
      std::set<PartId> before;
      for (const auto& [k, _] : needs) {
        if (decodable(k, decodable)) before.insert(k);
      }
      if (needs.contains(gone)) lost.insert(gone);
      for (const PartId& k : before) {
        if (k != gone && !decodable(k, decodable)) expected.push_back(k);
      }
      ASSERT_EQ(stream.rule.on_lost(gone), news ? expected : std::vector<PartId>()) << seed;
    }
  }
}

}  // namespace
}  // namespace qvid
