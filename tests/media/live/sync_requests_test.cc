// Shows that requests for synchronisation points are granted at most once an interval, and that
// none is forgotten.
#include "media/live/sync_requests.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

constexpr Timestamp kNow{1h};
constexpr Duration kInterval = SyncRequests::kInterval;

TEST(SyncRequests, TheFirstIsGrantedAtOnceAndOnce) {
  SyncRequests requests;
  EXPECT_FALSE(requests.take(0, kNow));
  requests.ask(0);
  EXPECT_TRUE(requests.take(0, kNow));
  EXPECT_FALSE(requests.take(0, kNow + 1h));
}

TEST(SyncRequests, OneWithinTheIntervalWaitsForItsEnd) {
  SyncRequests requests;
  requests.ask(0);
  EXPECT_TRUE(requests.take(0, kNow));
  requests.ask(0);
  requests.ask(0);
  EXPECT_FALSE(requests.take(0, kNow + kInterval - 1ns));
  EXPECT_TRUE(requests.take(0, kNow + kInterval));
  EXPECT_FALSE(requests.take(0, kNow + 2 * kInterval));
}

// Those who come behind the first key frame of a new session do not wait for long, and many of them cost
// no more than a few.
TEST(SyncRequests, SomeAreGrantedSoonerWhereAllAreNew) {
  SyncRequests requests;
  requests.open(kNow);
  int granted = 0;
  for (Duration at{}; at < 900ms; at += 10ms) {
    requests.ask(0);
    if (!requests.take(0, kNow + at)) continue;
    EXPECT_EQ(at, granted < SyncRequests::kOpenings
                      ? granted * SyncRequests::kOpeningInterval
                      : 3 * SyncRequests::kOpeningInterval + kInterval);
    ++granted;
  }
  EXPECT_EQ(granted, SyncRequests::kOpenings + 1);
  // That is over after a while, used or not.
  requests.open(kNow + 1h);
  requests.ask(0);
  EXPECT_TRUE(requests.take(0, kNow + 1h + SyncRequests::kOpening));
  requests.ask(0);
  EXPECT_FALSE(requests.take(0, kNow + 1h + SyncRequests::kOpening + kInterval - 1ns));
}

TEST(SyncRequests, LayersDoNotWaitForEachOther) {
  SyncRequests requests;
  requests.ask(0);
  EXPECT_TRUE(requests.take(0, kNow));
  requests.ask(1);
  EXPECT_TRUE(requests.take(1, kNow));
  EXPECT_FALSE(requests.take(0, kNow));
}

TEST(SyncRequests, OneThatComesAnywayGrantsWhatWasAsked) {
  SyncRequests requests;
  requests.on_sync_point(0, kNow);  // nobody had asked: no interval begins
  requests.ask(0);
  EXPECT_TRUE(requests.take(0, kNow));
  requests.ask(0);
  requests.on_sync_point(0, kNow + 100ms);
  EXPECT_FALSE(requests.take(0, kNow + 1h));
  requests.ask(0);
  requests.on_sync_point(1, kNow + 2h);
  EXPECT_TRUE(requests.take(0, kNow + 2h));
}

TEST(SyncRequests, LayersBeyondTheLastAreIgnored) {
  SyncRequests requests;
  requests.ask(kMaxUnits);
  requests.ask(255);
  for (std::uint8_t layer = 0; layer < kMaxUnits; ++layer) EXPECT_FALSE(requests.take(layer, kNow));
}

}  // namespace
}  // namespace qvid::media
