// Who gets the bandwidth under overload: between streams by frames or bytes and weight (002 figure
// 7), within a stream by importance.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "tests/transport/call.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

struct Video {
  std::size_t frame;
  double weight = 1.0;
};

struct Share {
  double frames = 0;
  double bytes = 0;
};

// What arrives of three videos of 30 frames a second that want three times what the link carries. A
// source leaves a frame out while two of its own wait.
std::array<Share, 3> run(Fairness fairness, const std::array<Video, 3>& videos) {
  SessionConfig config;
  config.fairness = fairness;
  Call call({.rate = qvid::DataRate::from_kbps(1000)}, config);
  std::array<StreamId, 3> streams;
  std::map<StreamId, std::size_t> index;
  for (std::size_t i = 0; i < 3; ++i) {
    streams[i] = call.net.client().open_stream(videos[i].weight);
    index[streams[i]] = i;
  }
  std::array<Share, 3> shares;
  call.on_arrived = [&](const MessageArrived& m) {
    Share& share = shares.at(index.at(m.stream));
    share.frames += 1;
    share.bytes += static_cast<double>(m.payload.size());
  };
  for (int frame = 0; frame < 17 * 30; ++frame) {
    if (frame == 2 * 30) shares = {};
    std::map<StreamId, std::size_t> waiting;
    for (const StreamSignals& s : call.net.client().stream_signals()) {
      waiting[s.stream] = s.messages;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (waiting[streams[i]] >= 2) continue;
      call.send(Side::kClient, videos[i].frame, 0, qvid::kNever, streams[i]);
    }
    call.net.run_for(Duration(1s) / 30);
  }
  return shares;
}

TEST(SessionFairness, QualityGivesEqualFrameRatesAtUnequalSizes) {
  const std::array<Video, 3> videos{Video{2'000}, {4'000}, {8'000}};
  const auto shares = run(Fairness::kQuality, videos);
  ASSERT_GT(shares[0].frames, 100);
  EXPECT_LT(shares[0].frames, 225);  // of 450: it was an overload
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_NEAR(shares[i].frames / shares[0].frames, 1, 0.1);
    const double size = static_cast<double>(videos[i].frame) / static_cast<double>(videos[0].frame);
    EXPECT_NEAR(shares[i].bytes / shares[0].bytes / size, 1, 0.1);
  }
}

TEST(SessionFairness, ResourceGivesEqualBytes) {
  const auto shares = run(Fairness::kResource, {Video{3'000}, {4'000}, {6'000}});
  for (std::size_t i = 1; i < 3; ++i) EXPECT_NEAR(shares[i].bytes / shares[0].bytes, 1, 0.1);
}

TEST(SessionFairness, WeightsAreRespected) {
  const auto bytes = run(Fairness::kResource, {Video{4'000}, {4'000}, {4'000, 2.0}});
  EXPECT_NEAR(bytes[1].bytes / bytes[0].bytes, 1, 0.1);
  EXPECT_NEAR(bytes[2].bytes / bytes[0].bytes, 2, 0.2);
  const auto frames = run(Fairness::kQuality, {Video{3'000}, {6'000}, {3'000, 2.0}});
  EXPECT_NEAR(frames[1].frames / frames[0].frames, 1, 0.1);
  EXPECT_NEAR(frames[2].frames / frames[0].frames, 2, 0.2);
}

// Three times what the link carries: the top class comes as on an idle link, the lowest makes room.
// The first two seconds are not counted: pace stops once then, to find the round trip of the path
// without a queue.
TEST(SessionFairness, OverloadFallsOnTheLeastImportant) {
  Call call({.rate = qvid::DataRate::from_kbps(4000), .cwnd = 14});
  std::map<std::uint64_t, Timestamp> sent_at;
  std::map<int, std::vector<double>> delays;
  std::map<int, int> sent;
  call.on_arrived = [&](const MessageArrived& m) {
    if (!sent_at.contains(m.position.value())) return;
    delays[m.importance.value()].push_back(
        qvid::to_ms(call.net.now() - sent_at.at(m.position.value())));
  };
  for (int frame = -2 * 30; frame < 10 * 30; ++frame) {
    for (const auto& [importance, bytes] : {std::pair{0, 36'000}, {100, 10'000}, {200, 4'000}}) {
      if (frame >= 0) {
        sent_at[call.next_tag] = call.net.now();
        ++sent[importance];
      }
      ASSERT_TRUE(call.send(Side::kClient, static_cast<std::size_t>(bytes), importance,
                            call.net.now() + 150ms));
    }
    call.net.run_for(Duration(1s) / 30);
  }
  call.net.run_for(1s);
  call.client.ledger.expect_settled();
  std::vector<double>& top = delays[200];
  EXPECT_EQ(top.size(), static_cast<std::size_t>(sent[200]));
  std::ranges::sort(top);
  EXPECT_LE(top[top.size() * 99 / 100], 30 + 30);  // one round trip + 30 ms
  EXPECT_GT(delays[100].size(), static_cast<std::size_t>(sent[100] * 9 / 10));
  EXPECT_LT(delays[0].size(), static_cast<std::size_t>(sent[0] / 5));
  EXPECT_GT(call.client.ledger.count(Outcome::kCancelled), sent[0] * 4 / 5);
}

}  // namespace
}  // namespace paceline
