// Shows the measures of a viewing by small stories told in virtual time.
#include "media/stored/streaming_measures.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

constexpr Duration kFrame = 100ms;

Timestamp at(Duration since) { return Timestamp(1000s) + since; }

TEST(StreamingMeasures, TellStartUpAndReBuffering) {
  StreamingMeasures m;
  m.opened(at(0ms));
  m.shown(kFrame, 0, at(300ms));
  m.resumed(at(700ms));
  m.shown(kFrame, 0, at(800ms));
  m.stalled(at(1700ms));
  m.stalled(at(1800ms));  // it stands still already
  m.resumed(at(2200ms));
  m.ended(at(3200ms));
  const auto s = m.summary(at(9999ms));
  EXPECT_EQ(s.first_picture, Duration(300ms));
  EXPECT_EQ(s.start_up, Duration(700ms));
  EXPECT_EQ(s.stalls, 1);
  EXPECT_EQ(s.stalled, 500ms);
  EXPECT_EQ(s.played, 2000ms);
  EXPECT_DOUBLE_EQ(s.frame_rate, 2 / 2.5);
}

TEST(StreamingMeasures, WeighLevelsByTime) {
  StreamingMeasures m;
  m.opened(at(0ms));
  m.resumed(at(0ms));
  for (int i = 0; i < 6; ++i) m.shown(kFrame, 1, at(i * kFrame));
  for (int i = 6; i < 8; ++i) m.shown(kFrame, 0, at(i * kFrame));
  m.lost(kFrame);
  m.shown(kFrame, 1, at(9 * kFrame));
  const auto s = m.summary(at(1s));
  EXPECT_DOUBLE_EQ(s.share[0], 0.1);
  EXPECT_DOUBLE_EQ(s.share[1], 0.2);
  EXPECT_DOUBLE_EQ(s.share[2], 0.7);
  EXPECT_DOUBLE_EQ(s.mean_level, 1.6);
  EXPECT_EQ(s.switches, 2);
  EXPECT_EQ(s.lost, 1);
}

TEST(StreamingMeasures, JitterDividesAGapByTheFramesLost) {
  StreamingMeasures m;
  m.opened(at(0ms));
  m.received(FrameNumber(5), at(0ms));
  m.received(FrameNumber(7), at(200ms));  // frame 6 is lost: 100 ms each
  m.received(FrameNumber(6), at(210ms));  // too late to count
  m.received(FrameNumber(8), at(500ms));  // 300 ms
  const auto s = m.summary(at(1s));
  EXPECT_NEAR(to_ms(s.reception_mean), 200, 1e-3);
  EXPECT_NEAR(to_ms(s.reception_deviation), 141.42, 0.01);
}

TEST(StreamingMeasures, SeeksAreAnsweredByTheNextPictureAndAreNoStall) {
  StreamingMeasures m;
  m.opened(at(0ms));
  m.resumed(at(0ms));
  m.shown(kFrame, 1, at(0ms));
  m.received(FrameNumber(100), at(0ms));
  m.seek(at(1000ms));
  m.seek(at(1100ms));  // the viewer goes on dragging: the last one counts
  m.received(FrameNumber(0), at(1150ms));
  m.received(FrameNumber(1), at(1160ms));
  m.shown(kFrame, 0, at(1200ms));
  m.resumed(at(1300ms));
  m.paused(at(2000ms));
  m.seek(at(2500ms));
  m.shown(kFrame, 0, at(2600ms));
  const auto s = m.summary(at(4000ms));
  EXPECT_EQ(s.seek_responses, (std::vector<Duration>{100ms, 100ms}));
  EXPECT_EQ(s.stalls, 0);
  EXPECT_EQ(s.switches, 0);
  EXPECT_EQ(s.paused, 2000ms);
  EXPECT_EQ(s.played, 1700ms);
  EXPECT_NEAR(to_ms(s.reception_mean), 10, 1e-6);
}

TEST(StreamingMeasures, AdaptationEndsWhereTheLevelStays) {
  StreamingMeasures m;
  m.opened(at(0s));
  m.resumed(at(0s));
  // Full for 20 s; the link changes at 20 s, the level at 26 s; a relapse from 28 to 29 s.
  for (int i = 0; i < 600; ++i) {
    const bool full = i < 260 || (i >= 280 && i < 290);
    m.shown(kFrame, full ? 1 : 0, at(i * kFrame));
  }
  m.ended(at(60s));
  ASSERT_EQ(m.levels().size(), 60u);
  EXPECT_EQ(m.levels()[10], 2.0f);
  EXPECT_EQ(m.levels()[40], 1.0f);
  EXPECT_EQ(m.adaptation_time(at(20s), at(60s)), Duration(9s));
  EXPECT_EQ(m.adaptation_time(at(30s), at(60s)), Duration(0s));
  EXPECT_FALSE(m.adaptation_time(at(58s), at(60s)));
}

TEST(StreamingMeasures, AreBounded) {
  StreamingMeasures m;
  m.opened(at(0s));
  m.shown(kFrame, 0, at(0s));
  m.shown(kFrame, 0, at(24h * 365));
  for (int i = 0; i < 2000; ++i) {
    m.seek(at(24h * 366));
    m.shown(kFrame, 0, at(24h * 366));
  }
  EXPECT_EQ(m.levels().size(), StreamingMeasures::kMaxSeconds);
  EXPECT_EQ(m.summary(at(24h * 366)).seek_responses.size(), StreamingMeasures::kMaxSeeks);
}

TEST(StreamingMeasures, NothingOpenedIsNothing) {
  StreamingMeasures m;
  m.resumed(at(1s));
  m.stalled(at(2s));
  m.seek(at(2s));
  const auto s = m.summary(at(3s));
  EXPECT_EQ(s.played + s.stalled + s.paused, 0s);
  EXPECT_FALSE(s.start_up);
  EXPECT_FALSE(s.first_picture);
}

}  // namespace
}  // namespace qvid::media
