// Shows that times, bytes and rates convert exactly where they promise to, and that sequence
// numbers order and hash by their value.
#include "base/units.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "base/sequence.h"

namespace qvid {
namespace {

TEST(Durations, ReportAsFractions) {
  EXPECT_DOUBLE_EQ(to_ms(1500us), 1.5);
  EXPECT_DOUBLE_EQ(to_seconds(250ms), 0.25);
  EXPECT_EQ(from_seconds(0.25), 250ms);
  EXPECT_EQ(from_seconds(-1.0), -1s);
}

TEST(ByteCounts, AddSubtractAndScale) {
  EXPECT_EQ(1_KiB, 1024_B);
  EXPECT_EQ(1_MiB, 1_KiB * 1024);
  EXPECT_EQ((3_B - 5_B).value(), -2);
  EXPECT_EQ(7_B / 2, 3_B);
  EXPECT_EQ(ByteCount::of(12).size(), 12u);
  EXPECT_LT(1_KiB, 1_MiB);
  EXPECT_GT(ByteCount::max() + ByteCount::max(), ByteCount::max());  // room to add
}

TEST(DataRates, RelateBytesAndTime) {
  const auto rate = DataRate::from_kbps(8000);
  EXPECT_EQ(rate.bps(), 8'000'000);
  EXPECT_DOUBLE_EQ(rate.mbps(), 8.0);
  EXPECT_EQ(rate.transfer_time(1'000'000_B), 1s);
  EXPECT_EQ(rate.bytes_in(500ms), 500'000_B);
  EXPECT_EQ(DataRate::of(1'000'000_B, 1s), rate);
}

TEST(DataRates, WithoutTimeThereIsNone) {
  EXPECT_EQ(DataRate::of(1_MiB, 0s), DataRate());
  EXPECT_EQ(DataRate::of(1_MiB, -1s), DataRate());
}

TEST(FrameRates, HaveNoDrift) {
  const FrameRate ntsc{30000, 1001};
  EXPECT_EQ(ntsc.time_of(0), 0ns);
  EXPECT_EQ(ntsc.time_of(30000), 1001s);
  EXPECT_EQ(ntsc.time_of(30000 * 1000 + 1), 1001s * 1000 + ntsc.frame_time());
  EXPECT_EQ(ntsc.frame_time(), 33'366'666ns);
  EXPECT_NEAR(ntsc.per_second(), 29.97, 0.001);
}

TEST(FrameRates, NeverGoBack) {
  for (const FrameRate rate : {FrameRate{30, 1}, {30000, 1001}, {24000, 1001}, {120, 1}}) {
    for (std::int64_t n = 0; n < 10'000; ++n) {
      const Duration step = rate.time_of(n + 1) - rate.time_of(n);
      ASSERT_GE(step, rate.frame_time());
      ASSERT_LE(step, rate.frame_time() + 1ns);
    }
  }
}

TEST(Numbers, OrderAndHashByValue) {
  EXPECT_EQ(FrameNumber(3).next(), FrameNumber(4));
  EXPECT_LT(FrameNumber(-1), FrameNumber());
  const std::unordered_set<FrameNumber> set = {FrameNumber(1), FrameNumber(1), FrameNumber(2)};
  EXPECT_EQ(set.size(), 2u);
}

}  // namespace
}  // namespace qvid
