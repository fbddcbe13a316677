// The simulated dumbbell does what a dumbbell does, and TCP on it what TCP does.
#include <gtest/gtest.h>

#include "lab/simulator/bottleneck.h"
#include "lab/simulator/experiment.h"

namespace qvid::lab::simulator {
namespace {

TEST(Bottleneck, ServesAtItsRateAndDropsTheTail) {
  EventLoop loop;
  std::vector<Timestamp> out;
  Bottleneck line(loop, DataRate::from_kbps(8000), ByteCount(3000), 0, 1,
                  [&](const Packet&) { out.push_back(loop.now()); });
  for (int i = 0; i < 5; ++i) line.offer({.bytes = 1000 - kPacketHeader});
  EXPECT_EQ(line.dropped(), 2u);
  loop.run_until(Timestamp(1s));
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0], Timestamp(1ms));
  EXPECT_EQ(out[2], Timestamp(3ms));
  EXPECT_EQ(line.served(), ByteCount(3000));
}

TEST(TcpReceiver, PutsSegmentsInOrder) {
  TcpReceiver receiver;
  EXPECT_EQ(receiver.on_segment(100, 100), 0);
  EXPECT_EQ(receiver.on_segment(200, 100), 0);
  EXPECT_EQ(receiver.on_segment(0, 100), 300);
  EXPECT_EQ(receiver.on_segment(100, 100), 300);
}

Experiment of(std::string_view flows, DataRate demand = {}) {
  Experiment e;
  e.flows = *parse_flows(flows, demand);
  e.duration = 18s;
  e.warm_up = 6s;
  return e;
}

TEST(Simulator, AnUnhurriedFlowSeesTheIdleRoundTrip) {
  const auto r = run(of("sock", DataRate::from_kbps(500)));
  EXPECT_NEAR(r.kinds[0].median_ms, 32, 2);
  EXPECT_NEAR(r.flows[0].throughput.mbps(), 0.5, 0.05);
  EXPECT_EQ(r.dropped, 0u);
}

TEST(Simulator, CubicAndRenoFillTheLine) {
  for (const char* kind : {"cubic", "reno"}) {
    const auto r = run(of(kind));
    EXPECT_GT(r.utilisation, 0.97) << kind;
    EXPECT_GT(r.dropped, 0u) << kind;
    EXPECT_GT(r.kinds[0].median_ms, 90) << kind;
  }
}

TEST(Simulator, TheSameSeedGivesTheSameRun) {
  Experiment e = of("cubic:3,sock:2");
  const auto first = run(e), second = run(e);
  EXPECT_EQ(first.dropped, second.dropped);
  EXPECT_EQ(first.kinds[1].worst_ms, second.kinds[1].worst_ms);
  e.seed = 2;
  EXPECT_NE(run(e).kinds[0].share, first.kinds[0].share);
}

// The order of the measurements on kernels: plain TCP far behind SOCK.
TEST(Simulator, SockIsFarUnderPlainTcp) {
  const auto tcp = run(of("cubic:8", DataRate::from_kbps(5000)));
  const auto sock = run(of("sock:8", DataRate::from_kbps(5000)));
  EXPECT_GT(tcp.kinds[0].median_ms, 400);
  EXPECT_NEAR(sock.kinds[0].median_ms, 161, 30);
  EXPECT_GT(sock.utilisation, 0.97);
}

TEST(Simulator, RandomLossCostsThroughputButNothingStops) {
  Experiment e = of("cubic");
  e.loss = 0.02;
  const auto r = run(e);
  EXPECT_LT(r.utilisation, 0.8);
  EXPECT_GT(r.utilisation, 0.1);
}

TEST(Text, FlowsAndSchedules) {
  const auto flows = parse_flows("pace:2@3-9/1M,cubic/0,pace-blind", DataRate::from_kbps(5000));
  ASSERT_TRUE(flows);
  ASSERT_EQ(flows->size(), 4u);
  EXPECT_EQ((*flows)[1].start, Timestamp(3s));
  EXPECT_EQ((*flows)[1].stop, Timestamp(9s));
  EXPECT_EQ((*flows)[1].demand, DataRate::from_kbps(1000));
  EXPECT_EQ((*flows)[2].controller, "none");
  EXPECT_EQ((*flows)[2].demand, DataRate());
  EXPECT_FALSE((*flows)[3].sample_socket);
  for (const char* wrong : {"", "magic", "pace:0", "pace:x", "pace@a", "pace/z", "pace:1:2"}) {
    EXPECT_FALSE(parse_flows(wrong, {})) << wrong;
  }
  const auto changes = parse_schedule("10:rate=600k,20:rtt=80");
  ASSERT_TRUE(changes);
  EXPECT_EQ((*changes)[0].rate, DataRate::from_kbps(600));
  EXPECT_EQ((*changes)[1].rtt, 80ms);
  for (const char* wrong : {"10", "10:x=1", "10:rate=0", "20:rtt=1,10:rtt=1", "-1:rtt=3"}) {
    EXPECT_FALSE(parse_schedule(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace qvid::lab::simulator
