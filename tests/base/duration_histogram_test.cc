// Shows that percentiles, counts and means are those of what was added, in bounded memory.
#include "base/duration_histogram.h"

#include <gtest/gtest.h>

namespace qvid {
namespace {

TEST(DurationHistogram, PercentilesAreWithinASixtyFourth) {
  DurationHistogram h;
  EXPECT_EQ(h.percentile(0.5), Duration::zero());
  EXPECT_EQ(h.mean(), Duration::zero());
  for (int i = 1; i <= 10'000; ++i) h.add(i * 10us);
  for (const double share : {0.001, 0.01, 0.5, 0.9, 0.99}) {
    const double exact = share * 1e8;  // ns
    EXPECT_GE(static_cast<double>(h.percentile(share).count()), exact) << share;
    EXPECT_LE(static_cast<double>(h.percentile(share).count()), exact * (1 + 1.0 / 64) + 1000)
        << share;
  }
  EXPECT_EQ(h.percentile(1), 100ms);
  EXPECT_EQ(h.most(), 100ms);
  EXPECT_EQ(h.mean(), 50'005us);
  EXPECT_EQ(h.sum(), 500'050ms);
}

TEST(DurationHistogram, OfOneValueIsThatValue) {
  DurationHistogram h;
  h.add(42ms);
  for (const double share : {0.0, 0.5, 1.0}) EXPECT_EQ(h.percentile(share), 42ms);
}

TEST(DurationHistogram, CountsUpToABound) {
  DurationHistogram h;
  EXPECT_EQ(h.count_up_to(1h), 0);
  for (int i = 1; i <= 1000; ++i) h.add(i * 100us);
  EXPECT_EQ(h.count_up_to(Duration()), 0);
  EXPECT_NEAR(static_cast<double>(h.count_up_to(50ms)), 500, 500 / 64.0);
  EXPECT_EQ(h.count_up_to(1h), 1000);
}

TEST(DurationHistogram, IsBounded) {
  DurationHistogram h;
  h.add(-5ms);
  h.add(Duration::max());
  h.add(Duration::min());
  EXPECT_EQ(h.count(), 3);
  EXPECT_LE(h.percentile(0.0), 1us);
  EXPECT_GE(h.percentile(1.0), 19h);
  EXPECT_EQ(h.most(), Duration::max());
}

TEST(DurationHistogram, AddsAndForgets) {
  DurationHistogram few;
  few.add(10ms);
  DurationHistogram more;
  more.add(20ms);
  more.add(30ms);
  few.add(more);
  EXPECT_EQ(few.count(), 3);
  EXPECT_NEAR(to_ms(few.percentile(0.0)), 10, 0.2);
  EXPECT_EQ(few.percentile(1.0), 30ms);
  EXPECT_EQ(few.mean(), 20ms);
  few.clear();
  EXPECT_EQ(few.count(), 0);
  EXPECT_EQ(few.percentile(1.0), Duration::zero());
}

}  // namespace
}  // namespace qvid
