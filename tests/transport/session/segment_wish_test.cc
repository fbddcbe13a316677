#include "transport/session/segment_wish.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

ControllerSignals window_of(std::int64_t segments, bool competing = false) {
  ControllerSignals signals;
  signals.window = ByteCount(segments * 1448);
  signals.competing = competing;
  return signals;
}

// A path on which SegmentPolicy wants small segments.
void suffer(SegmentWish& wish, bool competing = false) {
  wish.update(300ms, window_of(3, competing), Timestamp(100s));
  wish.update(300ms, window_of(3, competing), Timestamp(104s));
}

TEST(SegmentWish, AServerTellsItAndAgainWhereItMayBeLost) {
  SegmentWish wish(Side::kServer, true);
  EXPECT_FALSE(wish.take_due());
  suffer(wish);
  EXPECT_TRUE(wish.small());
  EXPECT_TRUE(wish.small_by_any());
  EXPECT_EQ(wish.take_due().value().segment, kSmallSegment);
  EXPECT_FALSE(wish.take_due());
  wish.tell();
  EXPECT_EQ(wish.take_due().value().segment, kSmallSegment);
  wish.update(Duration(), window_of(9), Timestamp(200s));
  wish.update(Duration(), window_of(9), Timestamp(204s));
  EXPECT_FALSE(wish.small());
  EXPECT_EQ(wish.take_due().value().segment, 0u);
}

TEST(SegmentWish, AClientTellsNothingAndHearsTheServers) {
  SegmentWish wish(Side::kClient, true);
  suffer(wish);
  wish.tell();
  EXPECT_TRUE(wish.small());
  EXPECT_FALSE(wish.take_due());
  SegmentWish other(Side::kClient, true);
  other.on_peer(Segments{kSmallSegment});
  EXPECT_FALSE(other.small());
  EXPECT_TRUE(other.small_by_any());
  other.on_peer(Segments{0});
  EXPECT_FALSE(other.small_by_any());
}

TEST(SegmentWish, WhereItIsNotAllowedNobodyWantsIt) {
  SegmentWish wish(Side::kClient, false);
  suffer(wish);
  wish.on_peer(Segments{kSmallSegment});
  EXPECT_FALSE(wish.small());
  EXPECT_FALSE(wish.small_by_any());
}

// The kernels share a line by segments: small ones would be a smaller share.
TEST(SegmentWish, BesideACompetitorNobodyWantsIt) {
  SegmentWish wish(Side::kServer, true);
  suffer(wish, true);
  EXPECT_FALSE(wish.small());
  suffer(wish);
  EXPECT_TRUE(wish.small());
  wish.update(300ms, window_of(3, true), Timestamp(105s));
  EXPECT_FALSE(wish.small());
}

}  // namespace
}  // namespace paceline
