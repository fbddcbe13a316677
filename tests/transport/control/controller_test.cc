// The controllers of the papers: SOCK keeps cwnd + min(3, cwnd) segments in the socket, ADAPT the
// same of the window it computes from P-ACKs; none is always open.
#include "transport/control/controller.h"

#include <gtest/gtest.h>

#include <utility>

#include "transport/control/bandwidth_estimator.h"
#include "transport/control/controller_adapt.h"
#include "transport/control/controller_mtp.h"
#include "transport/control/controller_none.h"
#include "transport/control/controller_sock.h"

namespace paceline {
namespace {

using qvid::operator""_B;
using qvid::operator""_KiB;
using qvid::operator""ms;

const Timestamp now{};

SocketSample sample(std::uint32_t cwnd, std::uint32_t sacked, std::int64_t mss,
                    std::int64_t unacked) {
  return {.cwnd = cwnd,
          .sacked = sacked,
          .mss = ByteCount(mss),
          .unacked = ByteCount(unacked),
          .unsent = ByteCount()};
}

AckSample ack(std::int64_t acked, std::int64_t unacked, Duration rtt = 30ms) {
  return {.acked = ByteCount(acked), .unacked = ByteCount(unacked), .rtt = rtt};
}

TEST(SockController, LimitIsCwndPlusThreeSegments) {
  struct Case {
    std::uint32_t cwnd, sacked;
    std::int64_t mss, unacked, allowance;
  };
  const Case cases[] = {
      {10, 0, 1000, 0, 13'000},
      {10, 0, 1000, 12'000, 1000},
      {10, 0, 1000, 13'000, 0},
      {10, 0, 1000, 20'000, -7000},  // the window has shrunk: shut until it drains
      {10, 4, 1000, 0, 17'000},      // SACKed-out segments are in the socket, not on the path
      {3, 0, 1448, 0, 6 * 1448},
      {2, 0, 1448, 0, 4 * 1448},  // min(B, cwnd) below B
      {1, 0, 1448, 0, 2 * 1448},
      {1, 2, 1448, 1448, 3 * 1448},
      {0, 0, 1448, 0, 0},
      {100'000, 0, 65'483, 0, 100'003LL * 65'483},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.cwnd << " segments, " << c.sacked << " sacked");
    SockController controller({});
    controller.on_socket(sample(c.cwnd, c.sacked, c.mss, c.unacked), now);
    EXPECT_EQ(controller.allowance(now), ByteCount(c.allowance));
  }
}

TEST(SockController, OtherParametersOfMinBuf) {
  SockController no_slack({.min_buf_a = 1, .min_buf_b = 0});
  no_slack.on_socket(sample(10, 0, 1000, 0), now);
  EXPECT_EQ(no_slack.allowance(now), 10'000_B);
  SockController two_windows({.min_buf_a = 2, .min_buf_b = 0});
  two_windows.on_socket(sample(10, 0, 1000, 0), now);
  EXPECT_EQ(two_windows.allowance(now), 20'000_B);
}

TEST(SockController, WritingUsesTheAllowanceUpAndASampleRenewsIt) {
  SockController controller({});
  controller.on_socket(sample(10, 0, 1000, 0), now);
  controller.on_written(12'000_B, now);
  EXPECT_EQ(controller.allowance(now), 1000_B);
  controller.on_written(3000_B, now);
  EXPECT_EQ(controller.allowance(now), ByteCount(-2000));
  controller.on_acked(ack(15'000, 0), now);  // the kernel's word counts, not the peer's
  EXPECT_EQ(controller.allowance(now), ByteCount(-2000));
  controller.on_socket(sample(10, 0, 1000, 5000), now);
  EXPECT_EQ(controller.allowance(now), 8000_B);
}

TEST(SockController, WithoutSamplesAFixedWindowOnWhatThePeerAcknowledges) {
  SockController controller({});
  EXPECT_TRUE(controller.needs_socket());
  EXPECT_EQ(controller.allowance(now), 64_KiB);
  controller.on_written(64_KiB, now);
  EXPECT_EQ(controller.allowance(now), 0_B);
  controller.on_acked(ack(16 * 1024, 48 * 1024), now);
  EXPECT_EQ(controller.allowance(now), 16_KiB);
}

TEST(SockController, ANewSocketIsAsGoodAsUnknown) {
  SockController controller({});
  controller.on_socket(sample(2, 0, 1000, 4000), now);
  EXPECT_EQ(controller.allowance(now), 0_B);
  controller.on_new_socket(now);
  EXPECT_EQ(controller.allowance(now), 64_KiB);
  controller.on_socket(sample(10, 0, 1000, 0), now);
  EXPECT_EQ(controller.allowance(now), 13'000_B);
}

// A flow that always has more, whose window goes and comes back once in a round trip.
struct MtpFlow {
  MtpFlow() { fill(); }
  std::int64_t window() const { return controller.signals().window.value() / 1000; }
  void fill() {
    while (controller.allowance(at) > ByteCount()) {  // whole chunks
      controller.on_written(ByteCount(1000), at);
      outstanding += 1000;
    }
  }
  void round(int losses = 0, Duration rtt = 100ms) {
    at += rtt;
    for (int i = 0; i < losses; ++i) controller.on_lost(at);
    const std::int64_t acked = std::exchange(outstanding, 0);
    controller.on_acked(
        {.acked = ByteCount(acked), .unacked = {}, .rtt = rtt, .gate_limited = true}, at);
    fill();
  }
  MtpController controller{{.mss = ByteCount(1000)}};
  Timestamp at{};
  std::int64_t outstanding = 0;
};

TEST(MtpController, DoublesThenGrowsByAChunkAndHalvesOnceForAWindow) {
  MtpFlow flow;
  flow.round();
  EXPECT_EQ(flow.window(), 20) << "slow start";
  flow.round(5);
  EXPECT_EQ(flow.window(), 10) << "half, and no more in a loss's round trip";
  for (int i = 0; i < 4; ++i) flow.round();
  EXPECT_EQ(flow.window(), 14);
  flow.round(1);
  flow.round(1);
  flow.round(1);
  flow.round(1);
  EXPECT_GE(flow.window(), 2) << "RFC 5681";
}

TEST(MtpController, ATimeOutBeginsAnewBelowHalf) {
  MtpFlow flow;
  for (int i = 0; i < 2; ++i) flow.round();
  ASSERT_EQ(flow.window(), 40);
  flow.round(0, 2000ms);
  EXPECT_LE(flow.window(), 21) << "slow start from one chunk, up to the threshold";
  flow.round();
  flow.round();
  EXPECT_LE(flow.window(), 23);
}

TEST(MtpController, AWindowThatIsNotUsedDoesNotGrow) {
  MtpController controller({.mss = ByteCount(1000)});
  for (int i = 0; i < 100; ++i) {
    controller.on_written(ByteCount(500), now);
    controller.on_acked(ack(500, 0), now);
  }
  EXPECT_EQ(controller.signals().window, ByteCount(10'000));
}

TEST(NoController, IsAlwaysOpen) {
  NoController controller;
  EXPECT_FALSE(controller.needs_socket());
  controller.on_written(ByteCount(1LL << 40), now);
  EXPECT_EQ(controller.allowance(now), ByteCount::max());
  EXPECT_EQ(controller.opens_at(now), qvid::kNever);
}

// 000 equations 3.1-3.3 and 3.6, by hand: slots are smoothed by 0.97, the average by 0.99, bw⁻ and
// bw⁺ by 0.5.
TEST(BandwidthEstimator, ThreeFiltersOverSmoothedSlotsOfTenMilliseconds) {
  BandwidthEstimator bandwidth;
  bandwidth.on_acked(500_B, now);  // opens the first slot; written before it, so not of it
  bandwidth.on_acked(1000_B, now + 1ms);
  EXPECT_FALSE(bandwidth.valid());
  bandwidth.on_acked(2000_B, now + 10ms);  // ends it: 1000 B in 10 ms
  EXPECT_DOUBLE_EQ(bandwidth.latest(), 100e3);
  EXPECT_DOUBLE_EQ(bandwidth.average(), 100e3);
  EXPECT_DOUBLE_EQ(bandwidth.pressure(), 0.5);
  bandwidth.on_acked(500_B, now + 20ms);  // 2000 B
  EXPECT_DOUBLE_EQ(bandwidth.latest(), 103e3);
  EXPECT_DOUBLE_EQ(bandwidth.average(), 100'030);
  EXPECT_DOUBLE_EQ(bandwidth.low(), 101.5e3);
  EXPECT_DOUBLE_EQ(bandwidth.high(), 103e3);
  EXPECT_DOUBLE_EQ(bandwidth.pressure(), 103e3 / 200'060);
  bandwidth.on_acked(0_B, now + 30ms);  // 500 B
  EXPECT_DOUBLE_EQ(bandwidth.latest(), 101'410);
  EXPECT_DOUBLE_EQ(bandwidth.low(), 101'410);
  EXPECT_DOUBLE_EQ(bandwidth.high(), 102'205);
  // Silence is a bandwidth of nothing.
  for (int slot = 4; slot < 300; ++slot) bandwidth.on_acked(0_B, now + slot * 10ms);
  EXPECT_LT(bandwidth.low(), 20);
  EXPECT_LT(bandwidth.pressure(), 0.01);
}

// 000 equation 3.7 by hand: rtt 40 ms, rtt⁻ 40 ms, bw = bw⁻ = bw⁺ = 1 MB/s, so pressure 1/2.
TEST(AdaptController, WindowIsEquation37PlusThreeSegments) {
  AdaptController controller({});
  controller.on_acked(ack(1400, 20'000, 40ms), now);
  controller.on_acked(ack(10'000, 20'000, 40ms), now + 5ms);
  controller.on_acked(ack(0, 20'000, 40ms), now + 10ms);
  EXPECT_EQ(controller.signals().window, ByteCount(40'000 + 3 * 1400));
  EXPECT_DOUBLE_EQ(controller.signals().pressure, 0.5);
  EXPECT_EQ(controller.allowance(now), ByteCount(24'200));
  // A sample of 680 ms: rtt = 0.875·40 + 0.125·680 = 120 ms is more than twice rtt⁻ = 40.64 ms,
  // so rtt⁻ stands for it in the first term: 40.64·0.5·1 + 120·0.5·1.
  controller.on_acked(ack(0, 20'000, 680ms), now + 15ms);
  EXPECT_NEAR(static_cast<double>(controller.signals().window.value()), 80'320 + 4200, 1);
}

TEST(AdaptController, BeginsWithTheKernelsFirstWindowAndNeverShuts) {
  AdaptController controller({});
  EXPECT_FALSE(controller.needs_socket());
  EXPECT_EQ(controller.allowance(now), ByteCount(13 * 1400));
  // Ten seconds of silence, then one byte: the floor is two segments and as much slack.
  controller.on_acked(ack(1400, 1000, 40ms), now);
  controller.on_acked(ack(1, 0, 40ms), now + 10'000ms);
  EXPECT_EQ(controller.allowance(now), ByteCount(4 * 1400));
  controller.on_new_socket(now);
  EXPECT_EQ(controller.allowance(now), ByteCount(13 * 1400));
}

TEST(MakeController, KnowsItsNamesAndPaceIsTheDefault) {
  for (const std::string name : {"pace", "adapt", "sock", "none"}) {
    auto made = make_controller({.name = name});
    ASSERT_TRUE(made);
    EXPECT_EQ((*made)->name(), name);
  }
  EXPECT_EQ((*make_controller({}))->name(), "pace");
  const auto unknown = make_controller({.name = "magic"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("magic"), std::string::npos);
  EXPECT_NE(unknown.error().message.find("pace, adapt, sock, mtp or none"), std::string::npos);
}

}  // namespace
}  // namespace paceline
