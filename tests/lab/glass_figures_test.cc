// Delay, age, freezes and the rest, out of logs made by hand.
#include "lab/glass/glass_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lab/glass/clock_time.h"

namespace qvid::lab::glass_figures_test {
namespace {

constexpr Timestamp kBegin = Timestamp(2000s);
constexpr std::int64_t kFirst = number_at(kBegin);

// Every picture for so long, each `delay` after its time.
GlassLog smooth(Duration length, Duration delay) {
  GlassLog log;
  for (std::int64_t n = kFirst + 1; time_of_number(n) + delay < kBegin + length; ++n) {
    log.sightings.push_back({time_of_number(n) + delay, n});
  }
  return log;
}
GlassSpan span(Duration from, Duration to) { return {kBegin + from, kBegin + to}; }
double greatest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

TEST(GlassFigures, OfAPerfectRun) {
  const GlassFigures figures = glass_figures(smooth(20s, 80ms), span(5s, 15s));
  EXPECT_EQ(figures.pictures, 297u);
  EXPECT_NEAR(figures.pictures_a_second, 29.7, 1e-9);
  for (const double delay : figures.delays_ms) EXPECT_NEAR(delay, 80, 1e-6);
  EXPECT_EQ(figures.ages_ms.size(), 1000u);
  EXPECT_NEAR(greatest(figures.ages_ms), 80 + 1000 / 29.7, 1);
  EXPECT_NEAR(*std::min_element(figures.ages_ms.begin(), figures.ages_ms.end()), 80, 1);
  EXPECT_EQ(figures.freezes, 0u);
  EXPECT_EQ(figures.longest_freeze_ms, 0);
  EXPECT_NEAR(figures.interval_deviation_ms, 0, 1e-3);
  EXPECT_EQ(figures.steps_back, 0u);
  EXPECT_TRUE(std::isnan(figures.psnr));
}

TEST(GlassFigures, AFreezeCountsForAsLongAsItLasts) {
  GlassLog log = smooth(20s, 80ms);
  std::erase_if(log.sightings, [](const Sighting& seen) {
    return seen.at >= kBegin + 8s && seen.at < kBegin + 9s;
  });
  const GlassFigures figures = glass_figures(log, span(5s, 15s));
  EXPECT_EQ(figures.freezes, 1u);
  EXPECT_NEAR(figures.longest_freeze_ms, 1017, 17);
  EXPECT_NEAR(figures.frozen_s, 1.017, 0.017);
  EXPECT_NEAR(greatest(figures.delays_ms), 80, 1e-6) << "what arrives was not late";
  EXPECT_NEAR(greatest(figures.ages_ms), 1097, 25);
}

TEST(GlassFigures, NothingShownIsOneLongFreeze) {
  const GlassFigures figures = glass_figures({}, span(5s, 15s));
  EXPECT_EQ(figures.pictures, 0u);
  EXPECT_EQ(figures.freezes, 1u);
  EXPECT_NEAR(figures.frozen_s, 10, 1e-9);
  EXPECT_TRUE(figures.delays_ms.empty());
  EXPECT_TRUE(figures.ages_ms.empty());
  EXPECT_TRUE(std::isnan(figures.interval_deviation_ms));
}

TEST(GlassFigures, AFreezeThatTheSpanCutsCountsInside) {
  GlassLog log = smooth(20s, 80ms);
  std::erase_if(log.sightings, [](const Sighting& seen) { return seen.at < kBegin + 6s; });
  const GlassFigures figures = glass_figures(log, span(5s, 15s));
  EXPECT_EQ(figures.freezes, 1u);
  EXPECT_NEAR(figures.longest_freeze_ms, 1017, 17);
}

TEST(GlassFigures, AnOlderPictureIsAStepBackAndNotNew) {
  GlassLog log = smooth(20s, 80ms);
  const auto at = log.sightings.begin() + 250;
  const Sighting older{at->at + 10ms, at->number - 3};
  log.sightings.insert(at + 1, older);
  const GlassFigures figures = glass_figures(log, span(5s, 15s));
  EXPECT_EQ(figures.steps_back, 1u);
  EXPECT_EQ(figures.pictures, 297u);
  EXPECT_NEAR(greatest(figures.delays_ms), 80, 1e-6);
}

TEST(GlassFigures, IntervalsThatAlternateDeviateByHalfTheirDifference) {
  GlassLog log = smooth(20s, 80ms);
  for (std::size_t i = 0; i < log.sightings.size(); i += 2) log.sightings[i].at += 10ms;
  EXPECT_NEAR(glass_figures(log, span(5s, 15s)).interval_deviation_ms, 10, 0.1);
}

TEST(GlassFigures, QualityAndTheClocksLatenessAreOfTheSpan) {
  GlassLog log = smooth(20s, 80ms);
  log.quality = {{kBegin + 1s, 10}, {kBegin + 6s, 40}, {kBegin + 7s, 42}};
  log.clock_late = {{kBegin + 1s, 50ms}, {kBegin + 6s, 2ms}};
  const GlassFigures figures = glass_figures(log, span(5s, 15s));
  EXPECT_EQ(figures.psnr, 41);
  EXPECT_EQ(figures.clock_late_ms, std::vector<double>{2});
}

TEST(GlassFigures, BackIsWithAPictureOfNow) {
  GlassLog log = smooth(10s, 80ms);
  // Away from 10 to 13 s; then what had waited comes at once, and after it what is new.
  log.sightings.push_back({kBegin + 13'020ms, number_at(kBegin + 10s)});
  log.sightings.push_back({kBegin + 13'140ms, number_at(kBegin + 13'030ms)});
  EXPECT_NEAR(back_after_ms(log, span(13s, 15s)), 140, 1e-6);
  EXPECT_TRUE(std::isinf(back_after_ms(log, span(14s, 15s))));
}

TEST(GlassFigures, QualityIsBackWhereItStays) {
  GlassLog log = smooth(10s, 80ms);
  const auto back = [&] { return quality_back_after_ms(log, span(5s, 10s), span(13s, 20s)); };
  const auto look = [&](Duration at, double psnr) { log.quality.push_back({kBegin + at, psnr}); };
  EXPECT_TRUE(std::isnan(back()));
  look(6s, 45);
  look(7s, 47);
  look(11s, 10);
  look(13s, 46);
  // Nothing is back but what had waited.
  EXPECT_TRUE(std::isinf(back()));
  log.sightings.push_back({kBegin + 13'140ms, number_at(kBegin + 13'030ms)});
  look(13'200ms, 46);
  look(13'600ms, 46);
  EXPECT_NEAR(back(), 200, 1e-6);
  // It was so for a moment.
  look(14'000ms, 43.9);
  look(14'400ms, 43.9);
  EXPECT_TRUE(std::isinf(back()));
  // One picture alone is none of it, nor what comes long afterwards.
  look(14'800ms, 44.1);
  look(15'200ms, 30);
  look(15'600ms, 46);
  look(16'000ms, 46);
  EXPECT_NEAR(back(), 1800, 1e-6);
  look(17'000ms, 30);
  look(17'400ms, 30);
  EXPECT_NEAR(back(), 1800, 1e-6);
}

TEST(GlassFigures, ADrawingHasTheWorstOfEachStep) {
  GlassLog log = smooth(20s, 80ms);
  log.sightings[200].at += 20ms;  // some 6.8 s
  const auto points = glass_delay_over_time(log, span(5s, 15s), 1s);
  ASSERT_EQ(points.size(), 10u);
  EXPECT_EQ(points[0].first, 0.5);
  EXPECT_NEAR(points[1].second, 100, 1e-6);
  EXPECT_NEAR(points[2].second, 80, 1e-6);
  std::erase_if(log.sightings, [](const Sighting& seen) {
    return seen.at >= kBegin + 8s && seen.at < kBegin + 10s;
  });
  EXPECT_EQ(glass_delay_over_time(log, span(5s, 15s), 1s).size(), 8u);
}

}  // namespace
}  // namespace qvid::lab::glass_figures_test
