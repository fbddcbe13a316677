// Shows when the timeline of a viewer gives frames out and lets their units expire. 25 frames a
// second make a frame 40 ms; the window is 3 frames where nothing else is said. Times are in frame
// times since the start of the video.
#include "media/live/live_timeline.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace qvid::media::live_timeline_test {
namespace {

constexpr Duration kFrame = 40ms;
constexpr FrameRate kRate{25, 1};
constexpr int kWindow = 3;

Timestamp at(std::int64_t frames) { return Timestamp(1h) + frames * kFrame; }

struct Unit {
  std::uint8_t layer = 0;
  std::int32_t needed_for = 0;
  bool sync = false;
};

std::shared_ptr<const WireFrame> frame(std::int64_t number, const std::vector<Unit>& units) {
  CodedFrame coded;
  coded.number = FrameNumber(number);
  coded.due = at(number);
  for (const Unit& u : units) {
    CodedUnit unit;
    unit.layer = u.layer;
    unit.needed_for = u.needed_for;
    if (!u.sync) unit.depends_on = {{1, u.layer}};
    coded.units.push_back(unit);
  }
  return std::make_shared<const WireFrame>(serialise(std::move(coded)));
}

class SenderTimeline : public ::testing::Test {
 protected:
  // "+n" for an output, "-n.layer" for an expired unit.
  std::string poll(Timestamp now) {
    std::string text;
    const auto decisions = timeline_.poll(now);
    for (const auto& o : decisions.outputs) {
      text += "+" + std::to_string(o.frame->frame.number.value()) + " ";
    }
    for (const auto& e : decisions.expired) {
      text += "-" + std::to_string(e.number.value()) + "." + std::to_string(e.layer) + " ";
    }
    if (!text.empty()) text.pop_back();
    return text;
  }

  LiveTimeline timeline_{kRate, kWindow};
};

TEST_F(SenderTimeline, IsEmptyAtFirst) {
  EXPECT_EQ(timeline_.next_event(), kNever);
  EXPECT_EQ(poll(at(1000)), "");
}

TEST_F(SenderTimeline, AFrameLeavesOneFrameTimeAfterItsDueTime) {
  timeline_.on_frame(frame(0, {{.sync = true}}));  // encoded at once
  EXPECT_EQ(timeline_.next_event(), at(1));
  EXPECT_EQ(poll(at(1) - 1ns), "");
  EXPECT_EQ(poll(at(1)), "+0");
  EXPECT_EQ(poll(at(1)), "");
  EXPECT_EQ(timeline_.late_outputs(), 0);
}

TEST_F(SenderTimeline, AFrameEncodedLateLeavesAtOnceAndIsCounted) {
  timeline_.on_frame(frame(0, {{.sync = true}}));
  EXPECT_LE(timeline_.next_event(), at(1));
  EXPECT_EQ(poll(at(1) + 6ms), "+0");
  EXPECT_EQ(timeline_.late_outputs(), 1);
  timeline_.on_frame(frame(1, {{}}));
  EXPECT_EQ(poll(at(2) + 5ms), "+1");  // within the tolerance of timers
  EXPECT_EQ(timeline_.late_outputs(), 1);
  // It does not live longer for it.
  EXPECT_EQ(poll(at(4) - 1ns), "");
  EXPECT_EQ(poll(at(4)), "-0.0");
  EXPECT_EQ(poll(at(5)), "-1.0");
}

TEST_F(SenderTimeline, AFrameEncodedAfterItsExpiryGoesAndExpiresAtOnce) {
  timeline_.on_frame(frame(0, {{.sync = true}}));
  EXPECT_EQ(poll(at(50)), "+0 -0.0");
  EXPECT_EQ(timeline_.next_event(), kNever);
  EXPECT_EQ(timeline_.remembered(), 0u);
}

TEST_F(SenderTimeline, UnitsOfNoFurtherUseExpireAfterTheWindow) {
  timeline_.on_frame(frame(0, {{.layer = 0, .sync = true}, {.layer = 1, .sync = true}}));
  EXPECT_EQ(poll(at(1)), "+0");
  EXPECT_EQ(timeline_.next_event(), at(1 + kWindow));
  EXPECT_EQ(poll(at(1 + kWindow) - 1ns), "");
  EXPECT_EQ(poll(at(1 + kWindow)), "-0.0 -0.1");
  EXPECT_EQ(timeline_.remembered(), 0u);
}

TEST_F(SenderTimeline, WhatLaterFramesNeedLivesToThePlannedEndOfItsGroup) {
  // A group of four: T0, T2, T1, T2; the enhancement is needed by nobody.
  timeline_.on_frame(frame(0, {{.needed_for = 3, .sync = true}, {.layer = 1, .sync = true}}));
  timeline_.on_frame(frame(1, {{}}));
  timeline_.on_frame(frame(2, {{.needed_for = 1}}));
  timeline_.on_frame(frame(3, {{}}));
  EXPECT_EQ(poll(at(4)), "+0 +1 +2 +3 -0.1");
  EXPECT_EQ(poll(at(5)), "-1.0");
  EXPECT_EQ(poll(at(6)), "");
  EXPECT_EQ(poll(at(7) - 1ns), "");
  EXPECT_EQ(poll(at(7)), "-0.0 -2.0 -3.0");
}

TEST_F(SenderTimeline, AnOutputSaysWhenItsUnitsAndItsHeaderExpire) {
  timeline_.on_frame(frame(0, {{.needed_for = 3, .sync = true}, {.layer = 1, .sync = true}}));
  const auto outputs = timeline_.poll(at(1)).outputs;
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].unit_expiry, (std::vector<Timestamp>{at(7), at(4)}));
  EXPECT_EQ(outputs[0].header_expiry, at(7));
}

TEST_F(SenderTimeline, AFrameWithoutUnitsIsForgottenOnceItIsOut) {
  timeline_.on_frame(frame(0, {}));
  const auto outputs = timeline_.poll(at(1)).outputs;
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].header_expiry, at(4));
  EXPECT_EQ(timeline_.next_event(), kNever);
  EXPECT_EQ(timeline_.remembered(), 0u);
}

TEST_F(SenderTimeline, AnEarlyEndOfTheGroupCutsItsUnitsShort) {
  timeline_.on_frame(frame(0, {{.needed_for = 59, .sync = true}}));
  timeline_.on_frame(frame(1, {{.needed_for = 58}}));
  timeline_.on_frame(frame(2, {{.needed_for = 59, .sync = true}}));
  // The group ended with frame 1, so all of it expires with frame 1.
  EXPECT_EQ(poll(at(5) - 1ns), "+0 +1 +2");
  EXPECT_EQ(poll(at(5)), "-0.0 -1.0");
  EXPECT_EQ(timeline_.next_event(), at(2 + 1 + kWindow + 59));
}

TEST_F(SenderTimeline, AnEarlyEndIsOfItsLayerOnly) {
  timeline_.on_frame(frame(0, {{.layer = 0, .needed_for = 9, .sync = true},
                               {.layer = 1, .needed_for = 9, .sync = true}}));
  timeline_.on_frame(frame(1, {{.layer = 0, .needed_for = 8}, {.layer = 1, .sync = true}}));
  EXPECT_EQ(poll(at(4)), "+0 +1 -0.1");
  EXPECT_EQ(poll(at(5)), "-1.1");
  EXPECT_EQ(poll(at(13) - 1ns), "");
  EXPECT_EQ(poll(at(13)), "-0.0 -1.0");
}

TEST_F(SenderTimeline, TheEndOfTheGroupNeverProlongsALife) {
  timeline_.on_frame(frame(0, {{.sync = true}}));
  timeline_.on_frame(frame(5, {{.sync = true}}));
  EXPECT_EQ(poll(at(4)), "+0 -0.0");
}

TEST_F(SenderTimeline, TheWindowIsHeldWithinItsBounds) {
  for (const auto& [asked, window] : {std::pair{-5, 1}, {1, 1}, {300, 300}, {10'000, 300}}) {
    LiveTimeline timeline(kRate, asked);
    timeline.on_frame(frame(0, {{.sync = true}}));
    (void)timeline.poll(at(1));
    EXPECT_EQ(timeline.next_event(), at(1 + window));
  }
}

TEST_F(SenderTimeline, TooManyFramesExpireEarlyOldestFirst) {
  constexpr std::int32_t kLong = 60'000;
  const auto last = static_cast<std::int64_t>(LiveTimeline::kMaxFrames);
  for (std::int64_t n = 0; n < last; ++n) {
    timeline_.on_frame(frame(n, {{.needed_for = kLong, .sync = n == 0}}));
    EXPECT_EQ(poll(at(n + 1)), "+" + std::to_string(n));
  }
  EXPECT_EQ(timeline_.remembered(), LiveTimeline::kMaxFrames);
  for (std::int64_t n = last; n < last + 10; ++n) {
    timeline_.on_frame(frame(n, {{.needed_for = kLong}}));
    EXPECT_EQ(poll(at(n + 1)), "+" + std::to_string(n) + " -" + std::to_string(n - last) + ".0");
    EXPECT_EQ(timeline_.remembered(), LiveTimeline::kMaxFrames);
  }
}

TEST_F(SenderTimeline, FramesAreReleasedAtTheirOutput) {
  auto wire = frame(0, {{.needed_for = 100, .sync = true}});
  const std::weak_ptr<const WireFrame> watch = wire;
  timeline_.on_frame(std::move(wire));
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(poll(at(1)), "+0");
  EXPECT_TRUE(watch.expired());
}

// Whatever comes: polling at next_event gives something, nothing is left that should have gone
// before it, and each frame and unit goes once.
TEST(TimelineProperty, NextEventIsWhenPollHasSomethingToGive) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    LiveTimeline timeline(FrameRate{30000, 1001}, 1 + static_cast<int>(random() % 10));
    std::size_t outputs = 0;
    std::size_t expired = 0;
    std::size_t units = 0;
    Timestamp now = at(0);
    const auto step = [&] {
      const Timestamp next = timeline.next_event();
      if (next > now) {
        const auto before = timeline.poll(next - 1ns);
        ASSERT_TRUE(before.outputs.empty() && before.expired.empty());
        now = next;
      }
      const auto decisions = timeline.poll(now);
      ASSERT_TRUE(!decisions.outputs.empty() || !decisions.expired.empty());
      ASSERT_GT(timeline.next_event(), now);
      outputs += decisions.outputs.size();
      expired += decisions.expired.size();
    };
    constexpr std::int64_t kFrames = 100;
    for (std::int64_t n = 0; n < kFrames; ++n) {
      std::vector<Unit> some;
      const auto layers = static_cast<std::uint8_t>(random() % 4);
      for (std::uint8_t layer = 0; layer < layers; ++layer) {
        some.push_back({.layer = layer,
                        .needed_for = static_cast<std::int32_t>(random() % 60),
                        .sync = random() % 10 == 0});
      }
      units += some.size();
      timeline.on_frame(frame(n, some));
      // Sometimes the loop is late.
      while (timeline.next_event() <= at(n) && random() % 4 != 0) ASSERT_NO_FATAL_FAILURE(step());
    }
    while (timeline.next_event() != kNever) ASSERT_NO_FATAL_FAILURE(step());
    EXPECT_EQ(outputs, static_cast<std::size_t>(kFrames));
    EXPECT_EQ(expired, units);
    EXPECT_EQ(timeline.remembered(), 0u);
  }
}

}  // namespace
}  // namespace qvid::media::live_timeline_test
