// Shows that the player keeps the sender's timeline: show times stay within a frame of the ideal
// whatever offset, drift, jitter and route do, never go backwards, and are evenly spaced while they
// are corrected. 25 frames a second make a frame 40 ms where nothing else is said.
#include "media/playout/playout_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <queue>
#include <random>
#include <set>
#include <vector>

#include "media/unit/timeline_frames.h"

namespace qvid::media::playout_clock_test {
namespace {

constexpr FrameRate kRate{25, 1};
constexpr Duration kFrame = 40ms;
constexpr int kWindow = 3;
constexpr double kSlew = 0.05;

Duration fixed_target(FrameRate rate, int window) {
  return rate.time_of(kSetupFrames + window + kDecodeFrames);
}
PlayoutClock clock_for(FrameRate rate, int window) {
  PlayoutClock clock(rate, kSlew);
  clock.set_target(fixed_target(rate, window), fixed_target(rate, window), {});
  return clock;
}

// A server, a path and a player in virtual time. Times are the server's unless said otherwise.
struct Course {
  FrameRate rate = kRate;
  int window = kWindow;
  Duration length = 10min;
  // What our clock says when it is `t` at the server, t counted from the first frame.
  std::function<Duration(Duration)> our_clock = [](Duration t) { return t; };
  std::function<Duration(Duration)> transit = [](Duration) { return 20ms; };
  std::function<Duration(Duration)> queue = [](Duration) { return 0ms; };
  std::function<bool(Duration)> lost = [](Duration) { return false; };
  bool forward = true;  // show times must rise; a step may take them back
  // Called with the player's clock at that time.
  std::function<void(Duration, PlayoutClock&)> at_header = [](Duration, PlayoutClock&) {};
};
struct Shown {
  Duration due;    // counted from the first frame
  Duration shown;  // our clock
  Duration error;  // against due + fixed delay + the path's transit then, in our clock's time
};

const Timestamp kFirst(100h);  // the due time of the first frame, as the server says

// Headers arrive in the order of their arrival; a frame is shown as the player's thread would: when
// its show time, as it is then known, has come, or at once where it is late.
std::vector<Shown> play(const Course& course, PlayoutClock& clock) {
  struct Event {
    Duration at;  // the server's time
    std::int64_t frame;
    bool operator>(const Event& o) const { return at > o.at; }
  };
  std::priority_queue<Event, std::vector<Event>, std::greater<>> arrivals;
  const auto frames = course.length / course.rate.frame_time();
  for (std::int64_t n = 0; n < frames; ++n) {
    const Duration out = course.rate.time_of(n + kSetupFrames);
    if (n > 0 && course.lost(out)) continue;
    arrivals.push({out + course.transit(out) + course.queue(out), n});
  }
  std::vector<Shown> shown;
  std::set<std::int64_t> waiting;
  Duration last = Duration::min();
  for (Duration t{}; !arrivals.empty() || !waiting.empty(); t += 1ms) {
    while (!arrivals.empty() && arrivals.top().at <= t) {
      const Event event = arrivals.top();
      arrivals.pop();
      const Timestamp due = kFirst + course.rate.time_of(event.frame);
      clock.on_header(due, due, Timestamp(course.our_clock(event.at)));
      course.at_header(event.at, clock);
      waiting.insert(event.frame);
    }
    while (!waiting.empty()) {
      const std::int64_t n = *waiting.begin();
      const Duration due = course.rate.time_of(n);
      const Duration at = clock.show_time(kFirst + due).time_since_epoch();
      if (at > course.our_clock(t)) break;
      waiting.erase(waiting.begin());
      const Duration wanted =
          course.rate.time_of(n + kSetupFrames + course.window + kDecodeFrames) +
          course.transit(course.rate.time_of(n + kSetupFrames));
      shown.push_back({due, at, at - course.our_clock(wanted)});
      EXPECT_GT(at, last) << "backwards at " << to_seconds(due);
      if (course.forward) last = at;
    }
  }
  return shown;
}

Duration worst(const std::vector<Shown>& shown, Duration from, Duration to) {
  Duration worst{};
  for (const Shown& s : shown) {
    if (s.due >= from && s.due < to) worst = std::max(worst, std::chrono::abs(s.error));
  }
  return worst;
}

// Intervals between frames shown, against those of their due times.
void expect_even(const std::vector<Shown>& shown, Duration from, Duration to) {
  for (std::size_t i = 1; i < shown.size(); ++i) {
    if (shown[i].due < from || shown[i].due >= to) continue;
    const double interval = to_seconds(shown[i].shown - shown[i - 1].shown);
    // 5%, and a little for the drift.
    ASSERT_NEAR(interval / to_seconds(shown[i].due - shown[i - 1].due), 1.0, 0.052)
        << to_seconds(shown[i].due);
  }
}

std::function<Duration(Duration)> exponential_jitter(Duration mean, unsigned seed) {
  return [random = std::mt19937(seed),
          law = std::exponential_distribution<double>(1 / to_seconds(mean))](Duration) mutable {
    return from_seconds(law(random));
  };
}
std::function<Duration(Duration)> clock_of(Duration offset, double ppm) {
  return [=](Duration t) { return t + offset + from_seconds(to_seconds(t) * ppm * 1e-6); };
}

struct Skew {
  Duration offset;
  double ppm;
  FrameRate rate;
};
class SkewedClocks : public ::testing::TestWithParam<Skew> {};

TEST_P(SkewedClocks, EveryFrameIsShownWithinAFrameOfTheIdealForTenMinutes) {
  const Skew skew = GetParam();
  Course course;
  course.rate = skew.rate;
  const Duration frame = course.rate.frame_time();
  course.our_clock = clock_of(skew.offset, skew.ppm);
  course.queue = exponential_jitter(std::min(Duration(10ms), frame / 3), 7);
  course.lost = [random = std::mt19937(8)](Duration) mutable { return random() % 20 == 0; };
  // Routes of up to half a frame more or less: before they count they shift nothing else.
  course.transit = [=](Duration t) {
    if (t < 2min) return Duration(20ms);
    if (t < 4min) return 20ms + frame * 9 / 20;
    if (t < 6min) return Duration(20ms) - std::min(Duration(10ms), frame * 9 / 20);
    return Duration(20ms);
  };
  PlayoutClock clock = clock_for(course.rate, course.window);
  const auto shown = play(course, clock);
  ASSERT_GT(static_cast<double>(shown.size()), 10 * 60 * skew.rate.per_second() * 0.9);
  // The first arrivals may all have been late; a fifth of a frame is made good in four.
  EXPECT_LT(worst(shown, 2s, 10min), frame);
  expect_even(shown, 2s, 10min);
  EXPECT_EQ(clock.steps(), 0);
  // A route that changed by 10 ms within the memory of the rate looks like 50 ppm of it.
  EXPECT_NEAR(clock.drift_ppm(), skew.ppm, 60.0);
}

INSTANTIATE_TEST_SUITE_P(Clock, SkewedClocks,
                         ::testing::Values(Skew{5h, -200.0, {30, 1}}, Skew{5h, 0.0, {30, 1}},
                                           Skew{-5h, 200.0, {30, 1}}, Skew{90h, 200.0, {5, 1}},
                                           Skew{-99h, -200.0, {60, 1}}, Skew{0h, 200.0, {120, 1}},
                                           Skew{3h, -200.0, {30000, 1001}}));

TEST(PlayoutClock, StartsWithTheFirstHeader) {
  PlayoutClock clock = clock_for(kRate, kWindow);
  EXPECT_FALSE(clock.started());
  // Captured 10 ms before it left; it was under way for 25.
  clock.on_header(kFirst, kFirst + 10ms - kFrame, kFirst + 35ms);
  EXPECT_TRUE(clock.started());
  EXPECT_EQ(clock.show_time(kFirst), kFirst + 6 * kFrame + 25ms);
  EXPECT_EQ(clock.need(kFirst, kFirst + 55ms), 30ms);
  EXPECT_EQ(clock.in_effect(kFirst), 6 * kFrame);
}

TEST(PlayoutClock, AShorterRouteIsFollowedEvenly) {
  Course course;
  course.length = 60s;
  course.queue = exponential_jitter(5ms, 1);
  course.transit = [](Duration t) { return t < 20s ? Duration(100ms) : Duration(20ms); };
  PlayoutClock clock = clock_for(kRate, kWindow);
  const auto shown = play(course, clock);
  expect_even(shown, 2s, 60s);
  // 80 ms at 5% take 1.6 s of what is not yet shown when the first header says so.
  EXPECT_LT(worst(shown, 22s, 60s), 15ms);
  EXPECT_EQ(clock.steps(), 0);
}

TEST(PlayoutClock, ALongerRouteIsFollowedEvenlyAfterASecond) {
  Course course;
  course.length = 60s;
  course.queue = exponential_jitter(5ms, 2);
  course.transit = [](Duration t) { return t < 20s ? Duration(20ms) : Duration(100ms); };
  PlayoutClock clock = clock_for(kRate, kWindow);
  const auto shown = play(course, clock);
  expect_even(shown, 2s, 60s);
  EXPECT_LT(worst(shown, 23s, 60s), 15ms);
  EXPECT_EQ(clock.steps(), 0);
}

TEST(PlayoutClock, ARouteLongerThanTheWindowIsTakenAtOnce) {
  Course course;
  course.length = 60s;
  course.queue = exponential_jitter(5ms, 3);
  course.transit = [](Duration t) { return t < 20s ? Duration(20ms) : Duration(320ms); };
  PlayoutClock clock = clock_for(kRate, kWindow);
  const auto shown = play(course, clock);
  EXPECT_LT(worst(shown, 21500ms, 60s), 15ms);
  EXPECT_EQ(clock.steps(), 0);
}

TEST(PlayoutClock, BurstsOfQueueingDoNotMoveIt) {
  Course course;
  course.length = 60s;
  course.queue = [jitter = exponential_jitter(5ms, 4)](Duration t) mutable {
    const Duration in = t % 10s;  // every ten seconds: up to 400 ms in two, and down again
    const Duration burst = in < 2s ? in / 5 : in < 4s ? (4s - in) / 5 : Duration();
    return burst + jitter(t);
  };
  PlayoutClock clock = clock_for(kRate, kWindow);
  const auto shown = play(course, clock);
  EXPECT_LT(worst(shown, 6s, 60s), 15ms);
  expect_even(shown, 6s, 60s);
}

TEST(PlayoutClock, AStepOfTheServersClockIsTakenOnce) {
  for (const Duration step : {5h, -5h}) {
    SCOPED_TRACE(to_seconds(step));
    PlayoutClock clock = clock_for(kRate, kWindow);
    Timestamp now(1h);
    Timestamp due = kFirst;
    const auto run = [&](Duration time) {
      for (Duration t{}; t < time; t += kFrame) {
        clock.on_header(due, due, now);
        due += kFrame;
        now += kFrame;
      }
    };
    run(20s);
    EXPECT_EQ(clock.show_time(due), now + (kWindow + kDecodeFrames) * kFrame);
    due += step;
    run(step > 0h ? kFrame : 1500ms);  // our timeline is late at once, or early for a second
    EXPECT_EQ(clock.show_time(due), now + (kWindow + kDecodeFrames) * kFrame);
    EXPECT_EQ(clock.steps(), 1);
    run(20s);
    EXPECT_EQ(clock.show_time(due), now + (kWindow + kDecodeFrames) * kFrame);
    // And it is corrected evenly from there.
    clock.set_target(fixed_target(kRate, kWindow + 1), 1s, now);
    run(kFrame * 10);
    EXPECT_GT(clock.show_time(due), now + (kWindow + kDecodeFrames) * kFrame);
    run(kFrame * 30);
    EXPECT_EQ(clock.show_time(due), now + (kWindow + 1 + kDecodeFrames) * kFrame);
    EXPECT_EQ(clock.steps(), 1);
  }
}

// Minutes of sleep: the sleeper's steady clock stands still, nothing arrives meanwhile.
TEST(PlayoutClock, ASleepOfEitherSideIsAStep) {
  for (const bool ours : {true, false}) {
    SCOPED_TRACE(ours);
    Course course;
    course.length = 5min;
    course.forward = false;
    course.queue = exponential_jitter(5ms, 5);
    // As the server counts: when we sleep, our clock loses 3 minutes; when it does, ours gains.
    course.our_clock = [ours](Duration t) {
      return t < 60s ? t : ours ? (t < 240s ? Duration(60s) : t - 180s) : t + 180s;
    };
    course.lost = [ours](Duration t) { return ours && t >= 59900ms && t < 240s; };
    PlayoutClock clock = clock_for(kRate, kWindow);
    const auto shown = play(course, clock);
    EXPECT_EQ(clock.steps(), 1);
    const Duration woken = ours ? 240s : 60s;
    EXPECT_LT(worst(shown, 2s, 59s), 20ms);
    EXPECT_LT(worst(shown, woken + (ours ? kFrame : Duration(1500ms)), 5min), 20ms);
  }
}

// Where the clocks go on through a sleep or an outage, nothing is to be corrected.
TEST(PlayoutClock, AnOutageMovesNothing) {
  Course course;
  course.length = 10min;
  course.our_clock = clock_of(2h, 100);
  course.queue = exponential_jitter(5ms, 6);
  course.lost = [](Duration t) { return t >= 120s && t < 420s; };
  PlayoutClock clock = clock_for(kRate, kWindow);
  const auto shown = play(course, clock);
  EXPECT_EQ(clock.steps(), 0);
  EXPECT_LT(worst(shown, 2s, 10min), 20ms);
  expect_even(shown, 2s, 10min);
}

TEST(PlayoutClock, ATargetIsFollowedEvenly) {
  Course course;
  course.length = 60s;
  course.our_clock = clock_of(-7h, 50);
  course.at_header = [&course](Duration t, PlayoutClock& clock) {
    const int window = t < 10s ? kWindow : t < 30s ? 10 : 1;
    clock.set_target(fixed_target(kRate, window), 1s, Timestamp(course.our_clock(t)));
  };
  PlayoutClock clock = clock_for(kRate, kWindow);
  const auto shown = play(course, clock);
  expect_even(shown, 1s, 60s);
  const auto error_at = [&](Duration due) {
    return std::find_if(shown.begin(), shown.end(), [&](auto& s) { return s.due >= due; })->error;
  };
  EXPECT_LT(error_at(10s), kFrame);
  // 7 frames at 5% take 140 frame times.
  EXPECT_NEAR(to_ms(error_at(16s)), to_ms(7 * kFrame), 5.0);
  EXPECT_NEAR(to_ms(error_at(59s)), to_ms(-2 * kFrame), 5.0);
  EXPECT_EQ(clock.steps(), 0);
}

TEST(PlayoutClock, DelayIsFromCaptureToScreen) {
  constexpr Duration kOffset = 7h;
  PlayoutClock clock = clock_for(kRate, kWindow);
  clock.on_header(kFirst, kFirst, kFirst + kFrame + 30ms + kOffset);
  // The way back takes as long.
  const Timestamp shown = clock.show_time(kFirst);
  EXPECT_EQ(clock.delay(kFirst, shown, 60ms), 6 * kFrame + 30ms);
  EXPECT_EQ(clock.delay(kFirst, shown + 8ms, 0ms), 8ms + 6 * kFrame);
}

TEST(PlayoutClock, FollowsALeadAndComesBackFromItEvenly) {
  PlayoutClock clock = clock_for(kRate, kWindow);
  Timestamp now = kFirst + 1h;
  Timestamp due = kFirst;
  const auto run = [&](Duration time, std::optional<Duration> lead) {
    for (Duration t{}; t < time; t += kFrame) {
      due += kFrame;
      now += kFrame;
      clock.on_header(due, due, now);
      clock.follow(lead, now);
    }
  };
  const auto delay = [&] { return clock.show_time(due) - due; };
  run(5s, std::nullopt);
  const Duration own = delay();
  constexpr Duration kSlack = PlayoutClock::kLipSlack;
  EXPECT_EQ(clock.least_lead(due), own - kSlack);
  run(kFrame, own + kSlack);
  EXPECT_EQ(delay(), own) << "within the slack nothing moves";
  run(kFrame, own + 500ms);
  EXPECT_EQ(delay(), own + 500ms - kSlack);
  EXPECT_EQ(clock.in_effect(due), fixed_target(kRate, kWindow) + 500ms - kSlack);
  EXPECT_EQ(clock.least_lead(due), own - kSlack) << "its own goes on underneath";
  run(kFrame, own + 300ms);
  EXPECT_EQ(delay(), own + 300ms - kSlack);
  run(5s, own - 200ms);
  EXPECT_EQ(delay(), own) << "never earlier than it can be decoded";
  run(kFrame, own + 5s);
  EXPECT_EQ(delay(), own) << "no clock of ours";
  run(5s, own + 400ms);
  // 400 ms at 5 % take 8 s, from the frame that was on show.
  run(kFrame, std::nullopt);
  Timestamp before = clock.show_time(due);
  for (int i = 0; i < 300; ++i) {
    run(kFrame, std::nullopt);
    const double interval = to_ms(clock.show_time(due) - before);
    EXPECT_GE(interval, to_ms(kFrame) * 0.94) << i;
    EXPECT_LE(interval, to_ms(kFrame) + 0.001) << i;
    before = clock.show_time(due);
  }
  EXPECT_EQ(delay(), own);
}

TEST(PlayoutClock, AnyTimesOfAPeerAreHarmless) {
  constexpr Duration kAbsurd = std::chrono::microseconds(std::int64_t{1} << 50);
  PlayoutClock clock = clock_for(kRate, kWindow);
  Timestamp now(10h);
  for (int i = 0; i < 3000; ++i) {
    const Timestamp due = i / 7 % 2 == 0 ? Timestamp(0s) : Timestamp(kAbsurd);
    clock.on_header(due + (i % 3 - 1) * 1s, due, now += 30ms);
    if (i % 11 == 0) clock.set_target(i % 22 * 10ms, 200ms, now);
    if (i % 13 == 0) clock.on_shown_late(due, now);
    for (const Timestamp asked : {Timestamp(0s), Timestamp(kAbsurd)}) {
      (void)clock.show_time(asked);
      (void)clock.delay(asked, now, 1s);
    }
  }
}

}  // namespace
}  // namespace qvid::media::playout_clock_test
