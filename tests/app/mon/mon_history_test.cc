// What Qmon keeps of a log: bounded, of the sessions that matter, and of one run only.
#include "app/mon/mon_history.h"

#include <gtest/gtest.h>

namespace qvid::app::mon_history_test {
namespace {

using paceline::Signal;
using paceline::SignalSample;

SignalSample at(Duration time, std::uint64_t session = 1, double sent = 0) {
  SignalSample sample;
  sample.time = time;
  sample.session = session;
  sample.values[static_cast<std::size_t>(Signal::kSent)] = sent;
  return sample;
}

TEST(SignalHistory, KeepsSoMuchOfEachSession) {
  SignalHistory history(Duration(10s));
  for (int i = 0; i <= 100; ++i) history.push(at(i * 1s));
  const Samples& samples = *history.of(1);
  EXPECT_EQ(samples.front().time, 90s);
  EXPECT_EQ(samples.back().time, 100s);
  EXPECT_EQ(history.end(), 100s);
}

TEST(SignalHistory, ThinsALongLogAndLosesNoCount) {
  SignalHistory history(std::nullopt);
  const int n = 100'000;
  for (int i = 1; i <= n; ++i) {
    history.push(at(i * 1ms, 1, i));
    const Samples& samples = *history.of(1);
    ASSERT_LE(samples.size(), SignalHistory::kMaxSamples);
    ASSERT_EQ(samples.back()[Signal::kSent], i) << "the newest is always there";
  }
  const Samples& samples = *history.of(1);
  EXPECT_GT(samples.size(), SignalHistory::kMaxSamples / 3);
  EXPECT_LE(samples.front().time, 16ms);
  for (std::size_t i = 1; i < samples.size(); ++i) {
    ASSERT_GT(samples[i].time, samples[i - 1].time);
    ASSERT_LE(samples[i].time - samples[i - 1].time, 16ms);
  }
}

TEST(SignalHistory, TheNewestIsTheLastToBeginOfThoseThatGoOn) {
  SignalHistory history(std::nullopt);
  EXPECT_FALSE(history.newest());
  for (int i = 0; i < 10; ++i) {
    history.push(at(i * 1s, 1));
    if (i < 9) history.push(at(i * 1s, 2));
    if (i < 3) history.push(at(i * 1s, 3));
  }
  EXPECT_EQ(history.newest(), 2u) << "3 has ended, 2 was there a second ago";
  EXPECT_EQ(history.sessions(), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(history.of(4), nullptr);
}

TEST(SignalHistory, OfTooManySessionsTheMostSilentGoes) {
  SignalHistory history(std::nullopt);
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    history.push(at(static_cast<std::int64_t>(i) * 1ms, 1));
    history.push(at(static_cast<std::int64_t>(i) * 1ms, i + 1));
    ASSERT_LE(history.sessions().size(), SignalHistory::kMaxSessions);
  }
  EXPECT_NE(history.of(1), nullptr);
  EXPECT_NE(history.of(1001), nullptr);
  EXPECT_EQ(history.of(2), nullptr);
}

TEST(SignalHistory, ALogThatBeginsAgainBeginsAgainHere) {
  SignalHistory history(std::nullopt);
  for (int i = 0; i < 10; ++i) history.push(at(i * 1s, 1));
  history.push(at(9s, 2));
  history.push(at(100ms, 1));
  EXPECT_EQ(history.sessions(), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(history.of(1)->size(), 1u);
  EXPECT_EQ(history.end(), 100ms);
}

}  // namespace
}  // namespace qvid::app::mon_history_test
