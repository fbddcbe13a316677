// Shows in virtual time what a player decodes and shows when: that a layer that failed takes
// nothing else with it, and that every frame is accounted for. When pictures are shown early is in
// early_playout_test.cc.
#include "media/playout/playback_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace qvid::media::playback_engine_test {
namespace {

constexpr FrameRate kRate{25, 1};
constexpr Duration kFrame = 40ms;
constexpr int kWindow = 3;
const Timestamp kFirst(100h);  // the due time of frame 0

class Engine : public ::testing::Test {
 protected:
  struct Unit {
    std::uint8_t layer = 0;
    Duration transit{};  // from output; negative: it does not come
    std::vector<UnitDependency> depends_on = {};
    std::int32_t needed_for = 0;
  };
  Timestamp due(std::int64_t n) const { return kFirst + n * frame_; }

  void begin(PlayoutMode mode = PlayoutMode::kFixed, FrameRate rate = kRate) {
    frame_ = rate.frame_time();
    engine_ = PlaybackEngine(rate, kWindow, mode);
    engine_.keep_records(true);
    network_.clear();
    decoded_.clear();
    records_.clear();
    now_ = {};
  }
  // Frame n leaves at its output time. Negative `header`: it does not come.
  void send(std::int64_t n, const std::vector<Unit>& units, Duration header = 0ms,
            Duration offset = 0ms) {
    CodedFrame coded;
    coded.captured = coded.due = due(n);
    for (const Unit& u : units) {
      CodedUnit unit;
      unit.layer = u.layer;
      unit.depends_on = u.depends_on;
      unit.needed_for = u.needed_for;
      unit.data = Payload::copy_of(std::string_view("data"));
      coded.units.push_back(unit);
    }
    const WireFrame wire = serialise(coded);
    const FrameNumber number(n);
    const Timestamp out = due(n) + frame_ + offset;
    if (header >= 0ms) network_.insert({out + header, {header_position(number), wire.header}});
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (units[i].transit < 0ms) continue;
      network_.insert(
          {out + units[i].transit, {unit_position(number, units[i].layer), wire.units[i]}});
    }
  }
  // Until nothing is planned, as the thread would.
  void run() {
    while (true) {
      const Timestamp arrival = network_.empty() ? kNever : network_.begin()->first;
      const Timestamp next = std::min(arrival, engine_.next_event());
      if (next == kNever) break;
      now_ = std::max(now_, next);
      while (!network_.empty() && network_.begin()->first <= now_) {
        const auto& [position, payload] = network_.begin()->second;
        engine_.on_message(position, payload, now_);
        network_.erase(network_.begin());
      }
      while (engine_.poll_shown(now_)) {
      }
      if (const auto task = engine_.poll_decode(now_)) decode(*task);
      for (const FrameRecord& r : engine_.take_records()) records_.push_back(r);
    }
  }
  void decode(const PlaybackEngine::DecodeTask& task) {
    std::vector<PlaybackEngine::Decoded> results;
    for (const ReceivedFrame& frame : task.frames) {
      DecodedFrame picture{.number = frame.number, .picture = {}, .nominal = {}, .layers = 2};
      bool any = false;
      for (const CodedUnit& unit : frame.units) {
        decoded_ += std::to_string(frame.number.value()) + "." + std::to_string(unit.layer) + " ";
        if (fails_(frame.number.value(), unit.layer)) {
          picture.failed.set(unit.layer);
        } else {
          picture.layer = unit.layer;
          any = true;
        }
      }
      if (any) {
        results.push_back(std::optional(picture));
      } else {
        results.push_back(Error{"damaged"});
      }
    }
    engine_.on_decoded(task, std::move(results), now_);
  }
  // "0:1 1:- 2:0": the layer shown of each frame, by number.
  std::string fates() const {
    std::map<std::int64_t, std::string> by_number;
    for (const FrameRecord& r : records_) {
      by_number[r.number.value()] += r.layer ? std::to_string(*r.layer) : "-";
    }
    std::string text;
    for (const auto& [n, layer] : by_number) text += std::to_string(n) + ":" + layer + " ";
    return text;
  }

  Duration frame_ = kFrame;
  PlaybackEngine engine_{kRate, kWindow, PlayoutMode::kFixed};
  std::function<bool(std::int64_t, int)> fails_ = [](std::int64_t, int) { return false; };
  Timestamp now_{};
  std::multimap<Timestamp, std::pair<std::uint64_t, Payload>> network_;
  std::string decoded_;
  std::vector<FrameRecord> records_;
};

TEST_F(Engine, AFailedLayerTakesOnlyWhatDependsOnIt) {
  for (const int failed : {0, 1}) {
    SCOPED_TRACE(failed);
    begin();
    fails_ = [failed](std::int64_t n, int layer) { return n == 0 && layer == failed; };
    send(0, {{.layer = 0, .needed_for = 1}, {.layer = 1, .needed_for = 1}});
    send(1, {{.layer = 0, .depends_on = {{1, 0}}}, {.layer = 1, .depends_on = {{1, 1}}}});
    send(2, {{.layer = 0}, {.layer = 1}});
    run();
    EXPECT_EQ(decoded_, failed == 0 ? "0.0 0.1 1.1 2.0 2.1 " : "0.0 0.1 1.0 2.0 2.1 ");
    EXPECT_EQ(fates(), failed == 0 ? "0:1 1:1 2:1 " : "0:0 1:0 2:1 ");
    EXPECT_EQ(engine_.stats(now_).decode_errors, 1);
  }
}

TEST_F(Engine, AnErrorIsOfTheLayersThatWereGiven) {
  begin();
  fails_ = [](std::int64_t n, int layer) { return n == 0 && layer == 1; };
  // The detail comes after the frame was decoded, is decoded for frame 1's sake, and fails.
  send(0, {{.layer = 0, .needed_for = 1}, {.layer = 1, .transit = 210ms, .needed_for = 1}});
  send(1, {{.layer = 0, .depends_on = {{1, 0}}}, {.layer = 1, .depends_on = {{1, 1}}}});
  run();
  EXPECT_EQ(decoded_, "0.0 0.1 1.0 1.1 ") << "1.1 goes with the same task as 0.1";
  EXPECT_EQ(fates(), "0:0 1:1 ");
  begin();
  send(0, {{.layer = 0, .needed_for = 2}, {.layer = 1, .transit = 210ms, .needed_for = 2}});
  send(1, {{.layer = 0, .depends_on = {{1, 0}}}});
  send(2, {{.layer = 0, .depends_on = {{2, 0}}}, {.layer = 1, .depends_on = {{2, 1}}}});
  run();
  EXPECT_EQ(decoded_, "0.0 1.0 0.1 2.0 2.1 ") << "and 2.1 with it";
  EXPECT_EQ(fates(), "0:0 1:0 2:1 ");
}

TEST_F(Engine, EveryFrameIsRecordedOnce) {
  begin();
  send(0, {{.layer = 0}, {.layer = 1}});
  send(1, {{.layer = 0, .transit = -1ms}});
  send(2, {{.layer = 0}}, -1ms);
  // Of frame 3 nothing comes.
  send(4, {{.layer = 0, .transit = 30ms}});
  run();
  EXPECT_EQ(fates(), "0:1 1:- 2:- 3:- 4:0 ");
  for (const FrameRecord& r : records_) {
    EXPECT_EQ(r.captured, due(r.number.value()));
    EXPECT_EQ(r.shown, r.captured + (kSetupFrames + kWindow + kDecodeFrames) * kFrame);
    EXPECT_EQ(r.delay, r.layer ? r.shown - r.captured : 0ms);
  }
  const PlaybackStats stats = engine_.stats(now_);
  EXPECT_EQ(stats.frames_shown, 2);
  EXPECT_EQ(stats.frames_lost, 3);
  EXPECT_EQ(stats.bases_due, 5);
  EXPECT_EQ(stats.bases_late, 3);
  EXPECT_DOUBLE_EQ(stats.late_base_share(), 0.6);
}

// What was in a socket when the rate fell: better late than a picture that stands.
TEST_F(Engine, LateFramesAreShownWhereThePictureHasStood) {
  begin();
  for (int n = 0; n < 40; ++n) {
    const bool late = n >= 10 && n < 20;
    const Duration transit = late ? 400ms : 0ms;
    if (n == 0) {
      send(n, {{.layer = 0, .transit = transit, .needed_for = 39}}, transit);
    } else {
      send(n, {{.layer = 0, .transit = transit, .depends_on = {{1, 0}}, .needed_for = 39}},
           transit);
    }
  }
  run();
  Timestamp last{};
  Duration longest{};
  std::int64_t newest = -1;
  int late_shown = 0;
  for (const FrameRecord& r : records_) {
    if (!r.layer) continue;
    EXPECT_GT(r.number.value(), newest);
    newest = r.number.value();
    if (newest > 0) longest = std::max(longest, r.shown - last);
    last = r.shown;
    if (r.number.value() >= 10 && r.number.value() < 20) ++late_shown;
  }
  EXPECT_GE(late_shown, 1);
  // Nothing came for ten frames; without the late ones it were as many, and the window's.
  EXPECT_LE(to_ms(longest), to_ms(10 * kFrame));
  EXPECT_EQ(engine_.stats(now_).frames_shown + engine_.stats(now_).frames_lost, 40);
}

// The enhancement of the one before was in the socket: header and base come far behind it, one
// after the other, and the next header later still.
TEST_F(Engine, ALateBaseIsShownWhenItComes) {
  begin(PlayoutMode::kEarly);
  for (int n = 0; n < 20; ++n) send(n, {{.layer = 0}});
  send(20, {{.layer = 0, .transit = 380ms}}, 350ms);
  send(21, {{.layer = 0, .transit = 480ms}}, 450ms);
  run();
  ASSERT_EQ(records_.size(), 22U);
  EXPECT_EQ(to_ms(records_[20].shown - due(20)), to_ms(kFrame + 380ms));
  EXPECT_EQ(to_ms(records_[21].shown - due(21)), to_ms(kFrame + 480ms));
}

// Of the last frame before an outage only the header came, and it is not the newest any more when the
// link is back, a long time later.
TEST_F(Engine, GoesOnAfterALongOutageThatCutAFrame) {
  begin(PlayoutMode::kEarly);
  for (int n = 0; n < 20; ++n) send(n, {{.layer = 0}});
  send(20, {{.layer = 0, .transit = -1ms}});
  const int later = 20 + 2 * static_cast<int>(FrameAssembler::kAhead);
  for (int n = later; n < later + 10; ++n) send(n, {{.layer = 0}});
  run();
  ASSERT_FALSE(records_.empty());
  EXPECT_EQ(records_.back().number, FrameNumber(later + 9));
  EXPECT_TRUE(records_.back().layer);
}

// How late those before a gap were shown is nothing to the first one behind it.
TEST_F(Engine, WhatEndsAGapIsShownAtOnce) {
  begin(PlayoutMode::kEarly);
  for (int n = 0; n < 20; ++n) send(n, {{.layer = 0}});
  for (int n = 20; n < 23; ++n) send(n, {{.layer = 0, .transit = 110ms}}, 110ms);
  // 23 to 27: nothing comes.
  for (int n = 28; n < 32; ++n) send(n, {{.layer = 0}});
  run();
  const auto delay = [&](std::int64_t n) {
    const auto it = std::ranges::find(records_, FrameNumber(n), &FrameRecord::number);
    return it->layer ? to_ms(it->shown - due(n)) : 0;
  };
  EXPECT_GE(delay(22), to_ms(kFrame + 100ms));
  EXPECT_LE(delay(28), to_ms(kFrame + 60ms));
  EXPECT_GE(delay(28), to_ms(kFrame));
  EXPECT_LE(delay(31), to_ms(kFrame + 60ms));
}

// Of a slow source, behind three that come late: every second one can be shown, and waits for its
// enhancement, for longer than the picture before it may stand.
TEST_F(Engine, WhatIsBehindOneThatWaitsEndsNoGap) {
  begin(PlayoutMode::kEarly, FrameRate{6, 1});
  for (int n = 0; n < 40; ++n) {
    const Duration late = n >= 17 && n < 20 ? (20 - n) * 120ms : 0ms;
    const bool waits = n >= 20 && n < 30 && n % 2 == 0;
    const Duration enhancement = waits ? frame_ + 200ms : late;
    send(n, {{.layer = 0, .transit = late}, {.layer = 1, .transit = enhancement}}, late);
  }
  run();
  ASSERT_EQ(records_.size(), 40U);
  for (const FrameRecord& r : records_) EXPECT_TRUE(r.layer) << r.number.value();
}

TEST_F(Engine, RecordsOfAGapAreBounded) {
  begin();
  send(0, {{.layer = 0}});
  send(1'000'000, {{.layer = 0}});
  run();
  EXPECT_EQ(records_.size(), 2u + PlaybackEngine::kMaxGapRecords);
  EXPECT_EQ(engine_.stats(now_).frames_lost, 999'999);
}

TEST_F(Engine, AnyMessagesAreHarmless) {
  constexpr Duration kAbsurd = std::chrono::microseconds(std::int64_t{1} << 50);
  for (unsigned seed = 0; seed < 10; ++seed) {
    begin(seed % 2 == 0 ? PlayoutMode::kEarly : PlayoutMode::kSmooth);
    std::mt19937 random(seed);
    now_ = Timestamp(1h);
    std::int64_t number = 0;
    for (int i = 0; i < 3000; ++i) {
      now_ += static_cast<int>(random() % 60) * 1ms;
      number = std::max<std::int64_t>(0, number + static_cast<int>(random() % 9) - 3);
      if (random() % 500 == 0) number = kMaxFrameNumber - 1 - static_cast<int>(random() % 1000);
      if (random() % 500 == 1) number = 0;
      CodedFrame coded;
      coded.due = kFirst + number % 100'000 * kFrame;
      if (random() % 50 == 0) coded.due = Timestamp(random() % 2 == 0 ? Duration() : kAbsurd);
      coded.captured = coded.due;
      if (random() % 50 == 0) coded.captured = Timestamp(random() % 2 == 0 ? Duration() : kAbsurd);
      coded.units.resize(2);
      coded.units[1].layer = 1;
      const WireFrame wire = serialise(coded);
      if (random() % 5 != 0) {
        engine_.on_message(header_position(FrameNumber(number)), wire.header, now_);
      }
      for (std::uint8_t layer = 0; layer < 2; ++layer) {
        if (random() % 3 == 0) continue;
        engine_.on_message(unit_position(FrameNumber(number), layer), wire.units[layer], now_);
      }
      (void)engine_.next_event();
      while (engine_.poll_shown(now_)) {
      }
      if (const auto task = engine_.poll_decode(now_)) decode(*task);
      (void)engine_.take_records();
      if (i % 100 == 0) (void)engine_.stats(now_);
    }
    EXPECT_GT(engine_.stats(now_).frames_due, 0);
  }
}

TEST_F(Engine, DriftIsReported) {
  begin();
  for (std::int64_t n = 0; n < 25 * 100; ++n) {
    send(n, {{.layer = 0}}, 0ms, from_seconds(to_seconds(n * kFrame) * 150e-6));
  }
  run();
  EXPECT_NEAR(engine_.stats(now_).drift_ppm, 150.0, 1.0);
}

}  // namespace
}  // namespace qvid::media::playback_engine_test
