#include "transport/send/segment_filler.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using qvid::operator""_B;

constexpr std::size_t kWanted = SegmentFiller::kLeastWanted;

TEST(SegmentFiller, WhatIsBegunIsFilled) {
  SegmentFiller filler(1448_B);
  EXPECT_EQ(filler.next(0, kWanted, 0_B), 0u) << "the gate is closed";
  EXPECT_EQ(filler.next(0, kWanted, 1_B), 1392u);
  // A message of 300 bytes was all there was; others follow, closed or not.
  EXPECT_EQ(filler.next(320, kWanted, ByteCount(-300)), 1418u - 320 - 26);
  EXPECT_EQ(filler.next(1258, kWanted, ByteCount(-1240)), 134u);
  EXPECT_EQ(filler.next(1259, kWanted, ByteCount(-1240)), 0u);
  // The next segment asks the gate again.
  EXPECT_EQ(filler.next(1300, kWanted, 100_B), 1392u);
  EXPECT_EQ(filler.next(2700, kWanted, ByteCount(-1300)), 0u);
}

TEST(SegmentFiller, WhatStandsBeforeIsInTheSegment) {
  EXPECT_EQ(SegmentFiller(1448_B).next(40, kWanted, 1_B), 1352u);
  EXPECT_EQ(SegmentFiller(1448_B).next(9000, kWanted, 1_B), 1392u);
}

TEST(SegmentFiller, OnlyWhereSegmentsCountAndAreOfAPacket) {
  for (const ByteCount segment : {0_B, ByteCount(-5), 480_B, 999_B, 1501_B, 65'483_B}) {
    SegmentFiller filler(segment);
    EXPECT_EQ(filler.next(0, kWanted, 1_B), kWanted);
    EXPECT_EQ(filler.next(320, kWanted, 0_B), 0u) << segment.value();
  }
  EXPECT_EQ(SegmentFiller(1000_B).next(0, kWanted, 1_B), 1000u - 30 - 26);
  // Where more is allowed, chunks are larger.
  SegmentFiller filler(1448_B);
  EXPECT_EQ(filler.next(0, 8000, 32'000_B), 8000u);
  EXPECT_EQ(filler.next(8020, kWanted, 0_B), 0u);
}

}  // namespace
}  // namespace paceline
