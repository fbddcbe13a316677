// Shows when pictures of a screen go on that has new ones often, seldom or not at all.
#include "media/source/screen_pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace qvid::media {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp kBegin{10s};

// New ones so far apart for two seconds, looked for each millisecond: how many went on, new and all.
struct Went {
  int fresh = 0;
  int all = 0;
  Duration longest{};  // a new one waited
};
Went run(Duration apart) {
  ScreenPace pace(FrameRate{20, 1});
  Went went;
  Timestamp next = kBegin;
  std::optional<Timestamp> waits;
  for (Timestamp now = kBegin; now < kBegin + 2s; now += 1ms) {
    if (now >= next) {
      waits = now;
      next += apart;
    }
    if (waits && now >= pace.new_due()) {
      pace.on_new(now);
      went.longest = std::max(went.longest, Duration(now - *waits));
      waits.reset();
      ++went.fresh;
      ++went.all;
    } else if (now >= pace.repeat_due()) {
      pace.on_repeat(now);
      ++went.all;
    }
  }
  return went;
}

TEST(ScreenPace, MoreThanTheRateIsThinnedOutToIt) {
  const Went went = run(7ms);
  EXPECT_NEAR(went.fresh, 40, 1);
  EXPECT_EQ(went.all, went.fresh);
}

TEST(ScreenPace, NewOnesAtTheRateGoAtOnceAndNoneIsRepeated) {
  for (const Duration apart : {Duration(50ms), Duration(52ms)}) {
    const Went went = run(apart);
    EXPECT_EQ(went.fresh, went.all);
    EXPECT_GE(went.fresh, 38);
    EXPECT_LE(went.longest, 1ms);
  }
}

TEST(ScreenPace, AStillScreenHasTheRateAndItsNextChangeGoesWithinHalfAFrameTime) {
  const Went still = run(10s);
  EXPECT_EQ(still.fresh, 1);
  EXPECT_NEAR(still.all, 40, 1);
  const Went seldom = run(333ms);
  EXPECT_EQ(seldom.fresh, 7);
  EXPECT_LE(seldom.longest, 25ms);
  EXPECT_NEAR(seldom.all, 40, 4);
}

TEST(ScreenPace, NothingIsRepeatedBeforeTheFirst) {
  const ScreenPace pace(FrameRate{20, 1});
  EXPECT_EQ(pace.repeat_due(), kNever);
  EXPECT_LE(pace.new_due(), kBegin);
}

TEST(ScreenPace, AfterAPauseOfTheReaderThereIsNoBurst) {
  ScreenPace pace(FrameRate{20, 1});
  pace.on_new(kBegin);
  pace.on_repeat(kBegin + 5s);
  EXPECT_GE(pace.repeat_due(), kBegin + 5s + 25ms);
}

}  // namespace
}  // namespace qvid::media
