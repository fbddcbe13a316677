// Shows that each wait is any time up to twice the bound of the one before, up to a last one, until
// something works.
#include "base/backoff.h"

#include <gtest/gtest.h>

#include <vector>

namespace qvid {
namespace {

// The longest and the shortest of the first wait, the second, and so on, of many clients.
TEST(Backoff, AnyTimeUpToABoundThatDoubles) {
  std::vector<Duration> longest(8);
  std::vector<Duration> shortest(8, Duration::max());
  for (std::uint64_t client = 0; client < 1000; ++client) {
    Backoff backoff{Jitter(client)};
    for (std::size_t i = 0; i < longest.size(); ++i) {
      const Duration wait = backoff.next();
      longest[i] = std::max(longest[i], wait);
      shortest[i] = std::min(shortest[i], wait);
    }
  }
  const Duration bounds[] = {250ms, 500ms, 1s, 2s, 4s, 4s, 4s, 4s};
  for (std::size_t i = 0; i < longest.size(); ++i) {
    EXPECT_LE(longest[i], bounds[i]);
    EXPECT_GE(longest[i], bounds[i] * 98 / 100);
    EXPECT_LE(shortest[i], bounds[i] * 2 / 100);
    EXPECT_GE(shortest[i], Duration());
  }
}

TEST(Backoff, StartsSmallAgain) {
  Backoff backoff;
  for (int i = 0; i < 10; ++i) backoff.next();
  backoff.reset();
  EXPECT_LE(backoff.next(), 250ms);
  EXPECT_LE(backoff.next(), 500ms);
}

TEST(Backoff, WhoIsHandedOverComesBackSpread) {
  std::vector<int> in_tenths(20);
  for (std::uint64_t client = 0; client < 1000; ++client) {
    Backoff backoff{Jitter(client)};
    const auto tenth = static_cast<std::size_t>(backoff.spread_over(2s) / 100ms);
    ASSERT_LT(tenth, in_tenths.size());
    ++in_tenths[tenth];
  }
  for (const int clients : in_tenths) EXPECT_LT(clients, 90);
}

}  // namespace
}  // namespace qvid
