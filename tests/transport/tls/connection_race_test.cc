// Happy Eyeballs in virtual time: addresses that answer after a while, refuse, or are silent.
#include "transport/tls/connection_race.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace paceline::connection_race_test {
namespace {

using qvid::Duration;
using qvid::Timestamp;
using qvid::operator""ms;
using qvid::operator""s;

struct Answer {
  Duration after;  // Duration::max(): never
  bool good;
};

struct Outcome {
  std::optional<std::size_t> winner;
  Duration took{};
  std::vector<Duration> begun;
  std::size_t most_under_way = 0;
};

Outcome race(const std::vector<Answer>& answers) {
  const Timestamp start = Timestamp() + 1s;
  Timestamp now = start;
  ConnectionRace engine(answers.size(), now);
  std::multimap<Timestamp, std::size_t> under_way;
  Outcome outcome;
  for (;;) {
    while (const auto index = engine.next(now)) {
      EXPECT_EQ(*index, outcome.begun.size()) << "out of turn";
      outcome.begun.push_back(now - start);
      const Duration after = answers[*index].after;
      under_way.emplace(after == Duration::max() ? qvid::kNever : now + after, *index);
    }
    outcome.most_under_way = std::max(outcome.most_under_way, under_way.size());
    const Timestamp next =
        std::min(engine.due(), under_way.empty() ? qvid::kNever : under_way.begin()->first);
    outcome.took = now - start;
    if (next == qvid::kNever) return outcome;
    EXPECT_GE(next, now);
    now = next;
    while (!under_way.empty() && under_way.begin()->first <= now) {
      const std::size_t index = under_way.begin()->second;
      under_way.erase(under_way.begin());
      if (answers[index].good) {
        outcome.winner = index;
        outcome.took = now - start;
        return outcome;
      }
      engine.failed(now);
    }
  }
}

constexpr Answer kSilent{Duration::max(), false};

TEST(ConnectionRace, OneThatAnswersInTimeIsAlone) {
  const auto outcome = race({{240ms, true}, {1ms, true}});
  EXPECT_EQ(outcome.winner, 0u);
  EXPECT_EQ(outcome.begun.size(), 1u);
}

TEST(ConnectionRace, ASilentOneCostsAQuarterSecond) {
  const auto outcome = race({kSilent, {20ms, true}});
  EXPECT_EQ(outcome.winner, 1u);
  EXPECT_EQ(outcome.took, 270ms);
}

TEST(ConnectionRace, ASlowOneMayStillWin) {
  const auto outcome = race({{300ms, true}, {100ms, true}, {1ms, true}});
  EXPECT_EQ(outcome.winner, 0u);
  EXPECT_EQ(outcome.begun, (std::vector<Duration>{0ms, 250ms}));
}

TEST(ConnectionRace, ARefusalBeginsTheNextAtOnce) {
  const auto outcome = race({{5ms, false}, {5ms, false}, {5ms, true}});
  EXPECT_EQ(outcome.winner, 2u);
  EXPECT_EQ(outcome.took, 15ms);
}

TEST(ConnectionRace, AllFail) {
  const auto outcome = race({{5ms, false}, {900ms, false}});
  EXPECT_FALSE(outcome.winner);
  EXPECT_EQ(outcome.took, 905ms);
  EXPECT_FALSE(race({}).winner);
}

TEST(ConnectionRace, TenSilentAddressesTakeTwoAndAHalfSeconds) {
  std::vector<Answer> answers(10, kSilent);
  answers.push_back({20ms, true});
  EXPECT_EQ(race(answers).took, 2520ms);
}

TEST(ConnectionRace, NotEveryAddressOfAThousandIsTried) {
  EXPECT_EQ(race(std::vector<Answer>(1000, {1ms, false})).begun.size(),
            ConnectionRace::kMostAddresses);
}

// Whatever the addresses do: each is tried at most once and in turn; the first good one that is
// through wins, no later than its turn by the clock and its own time.
TEST(ConnectionRace, Property) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Answer> answers(1 + random() % 12);
    std::optional<Duration> best;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      Answer& a = answers[i];
      a.after = random() % 3 == 0 ? Duration::max()
                                  : Duration(1ms) * static_cast<std::int64_t>(random() % 1000);
      a.good = a.after != Duration::max() && random() % 2 == 0;
      const Duration turn = ConnectionRace::kAttemptDelay * static_cast<std::int64_t>(i);
      if (a.good) best = std::min(best.value_or(Duration::max()), turn + a.after);
    }
    const auto outcome = race(answers);
    ASSERT_EQ(outcome.winner.has_value(), best.has_value()) << round;
    if (!best) {
      ASSERT_EQ(outcome.begun.size(), answers.size()) << round;
      continue;
    }
    ASSERT_TRUE(answers[*outcome.winner].good) << round;
    ASSERT_LE(outcome.took, *best) << round;
  }
}

TEST(Interleaved, FamiliesTakeTurns) {
  const auto mixed = [](const std::string& ends) {
    const auto out = interleaved(std::span<const char>(ends), [](char c) { return c >= 'a'; });
    return std::string(out.begin(), out.end());
  };
  EXPECT_EQ(mixed("abcd123"), "a1b2c3d");
  EXPECT_EQ(mixed("12a"), "1a2");
  EXPECT_EQ(mixed("123"), "123");
  EXPECT_EQ(mixed(""), "");
}

}  // namespace
}  // namespace paceline::connection_race_test
