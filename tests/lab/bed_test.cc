// One short experiment end to end: real sockets over the emulated link, every kind of sender.
#include "lab/bed/bed.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lab/bed/quic_flow.h"
#include "lab/emulator/emulator.h"
#include "transport/session/session.h"

namespace qvid::lab {
namespace {

struct Bed : testing::Test {
  void SetUp() override {
    if (const std::string missing = missing_for_emulator(); !missing.empty()) {
      GTEST_SKIP() << missing;
    }
  }
  static std::int64_t delivered(const FlowResult& flow) {
    std::int64_t sum = 0;
    for (const FlowSlot& slot : flow.slots) sum += slot.delivered;
    return sum;
  }
};

TEST_F(Bed, EverySenderDelivers) {
  RunSpec spec{.name = "all", .link = "rate=40mbit delay=5ms queue=60ms", .flows = {}};
  spec.duration = 3s;
  spec.warm_up = 1s;
  for (const char* sender :
       {"pace", "adapt+fo", "sock", "none", "cubic", "reno", "bbr", "lowat", "m13", "srt", "udp"}) {
    spec.flows.push_back({.sender = sender, .rate = DataRate::from_kbps(1000)});
  }
  std::size_t rivals = 0;  // that not every build has
  if (missing_for_quic().empty()) {
    spec.flows.push_back({.sender = "quic", .rate = DataRate::from_kbps(1000)});
    spec.flows.push_back({.sender = "quic-bbr", .rate = DataRate::from_kbps(1000)});
    rivals = 2;
  }
  spec.flows.push_back({.group = "mice", .sender = "cubic", .workload = Workload::kMice});
  spec.flows.push_back(
      {.group = "web", .sender = "cubic", .workload = Workload::kWeb, .count = 20});
  spec.flows.push_back({.group = "cbr",
                        .sender = "udp",
                        .workload = Workload::kCbr,
                        .rate = DataRate::from_kbps(500)});
  spec.flows.push_back({.group = "download", .sender = "cubic", .workload = Workload::kDownload});
  const RunResult result = run_on_bed(spec, {});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.flows.size(), 34u + rivals);
  for (const FlowResult& flow : result.flows) {
    SCOPED_TRACE(flow.group);
    EXPECT_EQ(flow.error, "");
    if (flow.workload == Workload::kVideo) {
      // Of two seconds at 1 Mbit/s. How many frames are in time is the machine's matter, too.
      EXPECT_GE(flow.video.frames, 50u);
      EXPECT_GT(flow.video.shown, 0u);
      EXPECT_GT(delivered(flow), 100'000);
    }
    if (flow.workload == Workload::kMice) {
      EXPECT_GT(flow.transfers, 5u);
    }
    if (flow.group == "download") {
      EXPECT_GT(delivered(flow), 1'000'000);
    }
    if (flow.group == "cbr") {
      EXPECT_LE(flow.received, flow.sent);
      // What is under way when the time is over is missing, and more where the machine is busy
      // then.
      EXPECT_GE(static_cast<double>(flow.received), 0.75 * static_cast<double>(flow.sent));
    }
  }
  EXPECT_EQ(paceline::Session::alive(), 0);
}

// The control connection, the pair of packets and the frames, by every kind of end that has them.
TEST_F(Bed, GoddardPlays) {
  RunSpec spec{.name = "goddard", .link = "rate=40mbit delay=5ms queue=60ms", .flows = {}};
  spec.duration = 6s;
  spec.warm_up = 1s;
  for (const char* sender : {"reno", "mtp+udp", "pace+fo+udp", "udp"}) {
    spec.flows.push_back({.sender = sender, .workload = Workload::kGoddard, .window = 5s});
  }
  const RunResult result = run_on_bed(spec, {});
  ASSERT_EQ(result.error, "");
  for (const FlowResult& flow : result.flows) {
    SCOPED_TRACE(flow.group);
    EXPECT_EQ(flow.error, "");
    ASSERT_TRUE(flow.goddard);
    EXPECT_GT(flow.goddard->capacity_kbps, 0);
    EXPECT_FALSE(flow.goddard->scales.empty());
    EXPECT_GT(flow.goddard->intervals_ms.size(), 10u);
    EXPECT_GT(delivered(flow), 100'000);
  }
}

TEST_F(Bed, SaysWhatIsWrong) {
  EXPECT_NE(run_on_bed({.name = "x", .link = "rate=nonsense", .flows = {}}, {}).error, "");
  const RunResult nobody =
      run_on_bed({.name = "x", .link = "rate=1mbit", .flows = {{.sender = "nobody"}}}, {});
  EXPECT_NE(nobody.error.find("nobody"), std::string::npos);
}

// What throws on an event loop ends the run, and neither waits for its end nor takes the process.
TEST_F(Bed, ALoopThatFailsEndsTheRun) {
  RunSpec spec{.name = "x", .link = "rate=1mbit", .flows = {{.sender = "cubic", .segment = 3}}};
  spec.duration = 60s;
  const Timestamp before = std::chrono::steady_clock::now();
  const RunResult result = run_on_bed(spec, {});
  EXPECT_NE(result.error.find("TCP_MAXSEG"), std::string::npos) << result.error;
  EXPECT_LT(std::chrono::steady_clock::now() - before, 20s);
}

TEST_F(Bed, StopsEarly) {
  std::stop_source stop;
  stop.request_stop();
  const Timestamp before = std::chrono::steady_clock::now();
  const RunResult result = run_on_bed(
      {.name = "x", .link = "rate=1mbit", .flows = {{.sender = "pace"}}}, stop.get_token());
  EXPECT_NE(result.error, "");
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
}

}  // namespace
}  // namespace qvid::lab
