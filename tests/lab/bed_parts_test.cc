// The parts of the test bed that need no network.
#include <gtest/gtest.h>

#include <string>

#include "lab/bed/datagrams.h"
#include "lab/bed/flow_text.h"
#include "lab/bed/layered_video.h"
#include "lab/bed/ledger.h"
#include "lab/bed/oldest_unacked.h"
#include "lab/bed/quic_flow.h"
#include "lab/bed/source.h"

namespace qvid::lab {
namespace {

constexpr Timestamp kBegin{1000s};
const RunClock kClock{.begin = kBegin, .warm_up = 1s, .duration = 10s};

TEST(RunClock, SlotsOf100MillisecondsFromTheBegin) {
  EXPECT_EQ(kClock.slots(), 100u);
  EXPECT_EQ(kClock.slot(kBegin), 0u);
  EXPECT_EQ(kClock.slot(kBegin + 99ms), 0u);
  EXPECT_EQ(kClock.slot(kBegin + 100ms), 1u);
  EXPECT_EQ(kClock.slot(kBegin - 5s), 0u);
  EXPECT_EQ(kClock.slot(kBegin + 1h), 99u);
  EXPECT_FALSE(kClock.measured(kBegin + 999ms));
  EXPECT_TRUE(kClock.measured(kBegin + 1s));
  EXPECT_FALSE(kClock.measured(kBegin + 10s));
}

TEST(Adu, RefusesWhatMakesNoSense) {
  const Adu adu{.bytes = 100, .layer = 3, .frame = 77, .produced = kBegin};
  const std::vector<std::byte> bytes = adu.encode();
  ASSERT_EQ(bytes.size(), 100u);
  const auto parsed = Adu::parse(bytes);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->layer, 3);
  EXPECT_EQ(parsed->frame, 77u);
  EXPECT_EQ(parsed->produced, kBegin);
  EXPECT_FALSE(Adu::parse(std::span(bytes).first(Adu::kHeader - 1)));
  EXPECT_FALSE(Adu::parse(Adu{.bytes = 3}.encode()));
  EXPECT_FALSE(Adu::parse(std::vector<std::byte>(40, std::byte{0xff})));
}

TEST(LayeredVideo, HasItsRateAndABaseOfASixteenth) {
  LayeredVideo video(DataRate::from_kbps(5000), 7);
  double all = 0;
  double base = 0;
  constexpr int kFrames = 3000;
  for (int i = 0; i < kFrames; ++i) {
    const auto layers = video.next(kBegin + i * kFrameTime);
    for (std::size_t l = 0; l < kLayers; ++l) {
      all += layers[l].bytes;
      EXPECT_EQ(layers[l].layer, l);
      EXPECT_EQ(layers[l].frame, static_cast<std::uint32_t>(i));
      if (l > 1) {
        EXPECT_GE(layers[l].bytes, layers[l - 1].bytes);
      }
    }
    base += layers[0].bytes;
  }
  const double seconds = kFrames / 30.0;
  EXPECT_NEAR(8 * all / seconds, 5e6, 0.02 * 5e6);
  EXPECT_NEAR(base / all, 1.0 / 16, 0.001);
}

TEST(Ledger, CountsLayersUpToTheFirstThatIsMissingOrLate) {
  FlowSpec spec{.window = 200ms};
  Ledger ledger(kClock, spec);
  const auto arrive = [&](std::uint32_t frame, std::uint8_t layer, Duration after) {
    const Timestamp captured = kBegin + 2s + frame * kFrameTime;
    const Adu adu{.bytes = 1000, .layer = layer, .frame = frame, .produced = captured};
    ledger.on_bytes(adu.bytes, captured + after);
    ledger.on_adu(adu, captured + after);
  };
  arrive(0, 0, 50ms);
  arrive(0, 1, 60ms);
  arrive(0, 3, 70ms);   // without layer 2: of no use
  arrive(1, 0, 201ms);  // late
  arrive(2, 1, 50ms);   // without a base
  FlowResult result;
  ledger.fill(result, 3);
  EXPECT_EQ(result.video.frames, 3u);
  EXPECT_EQ(result.video.shown, 1u);
  EXPECT_EQ(result.video.layers, 2u);
  EXPECT_EQ(result.video.used, 2000);
  EXPECT_EQ(result.video.delivered, 5000);
  ASSERT_EQ(result.video.shown_each_second.size(), 10u);
  EXPECT_EQ(result.video.shown_each_second[2], 1);
  EXPECT_EQ(result.video.delays_ms[0].size(), 2u);
  EXPECT_EQ(result.slots[20].delivered, 3000);  // of frame 0, at 50 to 70 ms
  EXPECT_EQ(result.slots[21].delivered, 1000);  // of frame 2, at 117 ms
  EXPECT_EQ(result.slots[22].delivered, 1000);  // of frame 1, at 234 ms
}

TEST(OldestUnacked, IsTheLargestOfRoundTripsAndAges) {
  OldestUnacked oldest(kClock);
  oldest.on_written(1000, kBegin);
  oldest.on_written(1000, kBegin + 20ms);
  oldest.on_acked(1000, kBegin + 40ms);   // 40 ms, slot 0
  oldest.sample(kBegin + 250ms);          // the second is 230 ms old, slot 2
  oldest.on_acked(1999, kBegin + 260ms);  // not all of it
  oldest.on_acked(2000, kBegin + 310ms);  // 290 ms, slot 3
  oldest.sample(kBegin + 400ms);          // nothing is outstanding
  std::vector<FlowSlot> slots;
  oldest.fill(slots);
  EXPECT_DOUBLE_EQ(slots[0].oldest_unacked_ms, 40);
  EXPECT_LT(slots[1].oldest_unacked_ms, 0);
  EXPECT_DOUBLE_EQ(slots[2].oldest_unacked_ms, 230);
  EXPECT_DOUBLE_EQ(slots[3].oldest_unacked_ms, 290);
  EXPECT_LT(slots[4].oldest_unacked_ms, 0);
}

TEST(Source, GivesTheBaseOfTheOldestFrameFirstAndForgetsWhatIsLate) {
  const FlowSpec spec{.window = 50ms};
  Source source(spec, kClock, 1);
  source.capture(kBegin);
  source.capture(kBegin + 33ms);
  auto first = source.next(kBegin + 34ms);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->frame, 0u);
  EXPECT_EQ(first->layer, 0);
  auto second = source.next(kBegin + 34ms);
  EXPECT_EQ(second->frame, 1u);
  EXPECT_EQ(second->layer, 0);
  auto third = source.next(kBegin + 51ms);  // the first frame's time is over
  EXPECT_EQ(third->frame, 1u);
  EXPECT_EQ(third->layer, 1);
  EXPECT_FALSE(source.next(kBegin + 90ms));
}

TEST(Datagrams, AreCutAndCollectedInAnyOrder) {
  const Adu adu{.bytes = 3500, .layer = 2, .frame = 9, .produced = kBegin};
  auto datagrams = cut(adu, 1000);
  ASSERT_EQ(datagrams.size(), 4u);
  std::size_t bytes = 0;
  for (const auto& d : datagrams) {
    EXPECT_LE(d.size(), 1000u);
    bytes += d.size() - kDatagramHeader;
  }
  EXPECT_EQ(bytes, 3500 - kDatagramHeader);
  Collector collector;
  EXPECT_FALSE(collector.on_datagram(datagrams[3]));
  EXPECT_FALSE(collector.on_datagram(datagrams[0]));
  EXPECT_FALSE(collector.on_datagram(datagrams[0]));  // twice
  EXPECT_FALSE(collector.on_datagram(datagrams[2]));
  const auto whole = collector.on_datagram(datagrams[1]);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->frame, 9u);
  EXPECT_FALSE(collector.on_datagram(std::span(datagrams[0]).first(5)));
}

TEST(FlowText, ReadsSendersCountsTimesAndWorkloads) {
  const auto flows =
      parse_flow_specs("pace+fo:8,cubic:2@20s-60s/greedy,udp@1s/cbr=2mbit,srt/video=3mbit");
  ASSERT_TRUE(flows) << flows.error().message;
  ASSERT_EQ(flows->size(), 4u);
  EXPECT_EQ((*flows)[0].sender, "pace+fo");
  EXPECT_EQ((*flows)[0].count, 8u);
  EXPECT_EQ((*flows)[1].workload, Workload::kGreedy);
  EXPECT_EQ((*flows)[1].start, 20s);
  EXPECT_EQ((*flows)[1].stop, 60s);
  EXPECT_EQ((*flows)[2].rate, DataRate::from_kbps(2000));
  EXPECT_EQ((*flows)[2].start, 1s);
  EXPECT_EQ((*flows)[3].workload, Workload::kVideo);
}

TEST(FlowText, ReadsWhatAFlowHasForItself) {
  const auto flows = parse_flow_specs(
      "pace:3/greedy/clock-error=20ms,cubic/greedy/farther=90ms,cubic/download,udp/pulses=2mbit");
  ASSERT_TRUE(flows) << flows.error().message;
  EXPECT_EQ((*flows)[0].clock_error, 20ms);
  EXPECT_EQ((*flows)[1].farther, 90ms);
  EXPECT_EQ((*flows)[2].workload, Workload::kDownload);
  EXPECT_EQ((*flows)[3].workload, Workload::kPulses);
}

TEST(FlowText, GoddardsFramesHaveFiveSeconds) {
  const auto flows = parse_flow_specs("mtp+udp/goddard,udp/goddard,reno/goddard");
  ASSERT_TRUE(flows) << flows.error().message;
  EXPECT_EQ((*flows)[0].workload, Workload::kGoddard);
  EXPECT_EQ((*flows)[0].window, 5s);
  EXPECT_FALSE(parse_flow_specs("srt/goddard"));
}

TEST(FlowText, SaysWhatIsWrong) {
  const auto error = [](const char* text) {
    const auto flows = parse_flow_specs(text);
    return flows ? std::string() : flows.error().message;
  };
  EXPECT_NE(error("").find("sender"), std::string::npos);
  EXPECT_NE(error("sctp:2").find("choose pace"), std::string::npos);
  EXPECT_NE(error("pace:0"), "");
  EXPECT_NE(error("pace:501"), "");
  EXPECT_NE(error("pace:300,cubic:300").find("500"), std::string::npos);
  EXPECT_NE(error("pace@9s-3s"), "");
  EXPECT_EQ(error("cubic/chunks=3mbit"), "");
  EXPECT_NE(error("pace/chunks=3mbit").find("cannot carry"), std::string::npos);
  EXPECT_NE(error("pace/sing").find("choose greedy"), std::string::npos);
  EXPECT_NE(error("cubic/greedy/nearer=1ms").find("write farther=TIME"), std::string::npos);
  EXPECT_NE(error("cubic/greedy/farther=11s").find("at most 10s"), std::string::npos);
  EXPECT_NE(error("cubic/greedy/farther=x"), "");
  EXPECT_NE(error("m13/download").find("cannot carry"), std::string::npos);
  EXPECT_NE(error("cubic/greedy/clock-error=1s").find("only sessions"), std::string::npos);
  EXPECT_NE(error("pace/download").find("cannot carry"), std::string::npos);
  EXPECT_NE(error("cubic/download=1mbit").find("has no rate"), std::string::npos);
  EXPECT_NE(error("srt/greedy").find("cannot carry"), std::string::npos);
  if (missing_for_quic().empty()) {
    EXPECT_EQ(error("quic:2,quic-bbr/greedy"), "");
    EXPECT_NE(error("quic/cbr=1mbit").find("cannot carry"), std::string::npos);
  } else {
    EXPECT_NE(error("quic").find("built without QUIC"), std::string::npos);
  }
  EXPECT_NE(error("cubic/cbr=1mbit").find("cannot carry"), std::string::npos);
}

}  // namespace
}  // namespace qvid::lab
