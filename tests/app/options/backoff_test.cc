// Shows that each wait is twice the one before, up to a bound, until something works.
#include "app/options/backoff.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

TEST(Backoff, DoublesUpToItsBound) {
  Backoff backoff;
  EXPECT_EQ(backoff.next(), 250ms);
  EXPECT_EQ(backoff.next(), 500ms);
  EXPECT_EQ(backoff.next(), 1s);
  EXPECT_EQ(backoff.next(), 2s);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(backoff.next(), 4s);
}

TEST(Backoff, StartsSmallAgain) {
  Backoff backoff;
  for (int i = 0; i < 10; ++i) backoff.next();
  backoff.reset();
  EXPECT_EQ(backoff.next(), 250ms);
  EXPECT_EQ(backoff.next(), 500ms);
}

}  // namespace
}  // namespace qvid::app
