// SOCK keeps cwnd + min(3, cwnd) segments in the socket, and a fixed window where the kernel is
// mute.
#include "transport/controller.h"

#include <gtest/gtest.h>

#include "transport/controller_none.h"
#include "transport/controller_sock.h"

namespace paceline {
namespace {

using qvid::operator""_B;
using qvid::operator""_KiB;

const Timestamp now{};

SocketSample sample(std::uint32_t cwnd, std::uint32_t sacked, std::int64_t mss,
                    std::int64_t unacked) {
  return {.cwnd = cwnd, .sacked = sacked, .mss = ByteCount(mss), .unacked = ByteCount(unacked)};
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
    SockController controller;
    controller.on_socket(sample(c.cwnd, c.sacked, c.mss, c.unacked), now);
    EXPECT_EQ(controller.allowance(now), ByteCount(c.allowance));
  }
}

TEST(SockController, OtherParametersOfMinBuf) {
  SockController no_slack(1, 0);
  no_slack.on_socket(sample(10, 0, 1000, 0), now);
  EXPECT_EQ(no_slack.allowance(now), 10'000_B);
  SockController two_windows(2, 0);
  two_windows.on_socket(sample(10, 0, 1000, 0), now);
  EXPECT_EQ(two_windows.allowance(now), 20'000_B);
}

TEST(SockController, WritingUsesTheAllowanceUpAndASampleRenewsIt) {
  SockController controller;
  controller.on_socket(sample(10, 0, 1000, 0), now);
  controller.on_written(12'000_B, now);
  EXPECT_EQ(controller.allowance(now), 1000_B);
  controller.on_written(3000_B, now);
  EXPECT_EQ(controller.allowance(now), ByteCount(-2000));
  controller.on_acked(15'000_B, 0_B, now);  // the kernel's word counts, not the peer's
  EXPECT_EQ(controller.allowance(now), ByteCount(-2000));
  controller.on_socket(sample(10, 0, 1000, 5000), now);
  EXPECT_EQ(controller.allowance(now), 8000_B);
}

TEST(SockController, WithoutSamplesAFixedWindowOnWhatThePeerAcknowledges) {
  SockController controller;
  EXPECT_TRUE(controller.needs_socket());
  EXPECT_EQ(controller.allowance(now), 64_KiB);
  controller.on_written(64_KiB, now);
  EXPECT_EQ(controller.allowance(now), 0_B);
  controller.on_acked(16_KiB, 48_KiB, now);
  EXPECT_EQ(controller.allowance(now), 16_KiB);
  controller.on_acked(48_KiB, 0_B, now);
  EXPECT_EQ(controller.allowance(now), 64_KiB);
}

TEST(NoController, IsAlwaysOpen) {
  NoController controller;
  EXPECT_FALSE(controller.needs_socket());
  controller.on_written(ByteCount(1LL << 40), now);
  EXPECT_EQ(controller.allowance(now), ByteCount::max());
}

TEST(MakeController, KnowsItsNames) {
  for (const std::string_view name : {"sock", "none"}) {
    auto made = make_controller(name);
    ASSERT_TRUE(made);
    EXPECT_EQ((*made)->name(), name);
  }
  const auto unknown = make_controller("magic");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("magic"), std::string::npos);
}

}  // namespace
}  // namespace paceline
