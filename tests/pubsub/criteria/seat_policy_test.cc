// Seats that stay: nobody moves, nobody is put out within the dwell, near-equals do not flap.
#include "pubsub/criteria/seat_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace qps {
namespace {

using namespace std::chrono_literals;
using qvid::Duration;
using qvid::Timestamp;
using Names = std::vector<std::string>;

constexpr Timestamp at(Duration time) { return Timestamp{} + time; }

Names shown(const SeatPolicy& policy) {
  Names names;
  for (const SeatPolicy::Seat& seat : policy.seats()) names.push_back(seat.publisher);
  return names;
}

Names after(SeatPolicy& policy, const Names& ranking, Duration time) {
  policy.update(ranking, at(time));
  return shown(policy);
}

TEST(SeatPolicy, FillsEmptySeatsAtOnceInTheOrderOfTheRanking) {
  SeatPolicy policy(3);
  EXPECT_EQ(after(policy, {"ann", "bob"}, 0ms), (Names{"ann", "bob", ""}));
  EXPECT_EQ(policy.next_event(), qvid::kNever);
  EXPECT_EQ(after(policy, {"cat", "ann", "bob"}, 1ms), (Names{"ann", "bob", "cat"}));
}

TEST(SeatPolicy, NobodyOfTheBestMoves) {
  SeatPolicy policy(3);
  after(policy, {"ann", "bob", "cat", "dan"}, 0ms);
  EXPECT_EQ(after(policy, {"cat", "bob", "ann", "dan"}, 5s), (Names{"ann", "bob", "cat"}));
  EXPECT_EQ(policy.seats()[0].since, at(0ms));
}

TEST(SeatPolicy, ANewcomerTakesTheSeatOfWhoIsNoLongerOfTheBest) {
  SeatPolicy policy(2);
  after(policy, {"ann", "bob", "cat"}, 0ms);
  EXPECT_EQ(after(policy, {"cat", "ann", "bob"}, 3s), (Names{"ann", "cat"}));
  EXPECT_EQ(policy.next_event(), qvid::kNever);
}

TEST(SeatPolicy, ANewcomerWaitsForTheDwellAndIsToldWhen) {
  SeatPolicy policy(1);
  after(policy, {"ann", "bob"}, 0ms);
  EXPECT_EQ(after(policy, {"bob", "ann"}, 300ms), (Names{"ann"}));
  EXPECT_EQ(policy.next_event(), at(SeatPolicy::kDwell));
  EXPECT_EQ(after(policy, {"bob", "ann"}, 999ms), (Names{"ann"}));
  EXPECT_EQ(after(policy, {"bob", "ann"}, 1s), (Names{"bob"}));
  EXPECT_EQ(policy.seats()[0].since, at(1s));
  EXPECT_EQ(policy.next_event(), qvid::kNever);
}

TEST(SeatPolicy, WhoIsOfTheBestAgainInTimeStays) {
  SeatPolicy policy(1);
  after(policy, {"ann", "bob"}, 0ms);
  after(policy, {"bob", "ann"}, 300ms);
  EXPECT_EQ(after(policy, {"ann", "bob"}, 600ms), (Names{"ann"}));
  EXPECT_EQ(policy.next_event(), qvid::kNever);
  EXPECT_EQ(after(policy, {"ann", "bob"}, 1s), (Names{"ann"}));
}

TEST(SeatPolicy, TheLongestSeatedOfThoseNoLongerOfTheBestGoes) {
  SeatPolicy policy(3);
  after(policy, {"ann"}, 0ms);
  after(policy, {"ann", "bob"}, 10ms);
  after(policy, {"ann", "bob", "cat"}, 20ms);
  EXPECT_EQ(after(policy, {"dan", "cat", "eve"}, 5s), (Names{"dan", "eve", "cat"}));
  SeatPolicy other(2);
  after(other, {"bob"}, 0ms);
  after(other, {"ann", "bob"}, 500ms);
  EXPECT_EQ(after(other, {"cat", "dan"}, 1200ms), (Names{"cat", "ann"}));
  EXPECT_EQ(other.next_event(), at(1500ms));
  EXPECT_EQ(after(other, {"cat", "dan"}, 1500ms), (Names{"cat", "dan"}));
}

TEST(SeatPolicy, WhoLeftTheRoomIsReplacedAtOnce) {
  SeatPolicy policy(2);
  after(policy, {"ann", "bob", "cat"}, 0ms);
  policy.remove("ann");
  policy.remove("nobody");
  policy.remove("");
  EXPECT_EQ(shown(policy), (Names{"", "bob"}));
  EXPECT_EQ(after(policy, {"cat", "bob"}, 100ms), (Names{"cat", "bob"}));
  policy.remove("bob");
  EXPECT_EQ(after(policy, {"cat"}, 200ms), (Names{"cat", ""}));
}

TEST(SeatPolicy, ASeatThatNobodyTakesEmptiesAfterTheDwell) {
  SeatPolicy policy(2);
  after(policy, {"ann", "bob"}, 0ms);
  EXPECT_EQ(after(policy, {"ann"}, 10s), (Names{"ann", "bob"}));
  EXPECT_EQ(policy.next_event(), at(11s));
  EXPECT_EQ(after(policy, {"ann", "bob"}, 10500ms), (Names{"ann", "bob"})) << "about a threshold";
  EXPECT_EQ(after(policy, {"ann"}, 10800ms), (Names{"ann", "bob"}));
  EXPECT_EQ(after(policy, {"ann"}, 11800ms), (Names{"ann", ""}));
  EXPECT_EQ(policy.next_event(), qvid::kNever);
}

TEST(SeatPolicy, NearEqualsChangePlacesOnceInADwell) {
  SeatPolicy policy(1);
  int changes = 0;
  std::string before;
  for (int i = 0; i < 1000; ++i) {  // 10 s
    const Names names =
        after(policy, i % 2 == 0 ? Names{"ann", "bob"} : Names{"bob", "ann"}, i * 10ms);
    if (names[0] != before) ++changes;
    before = names[0];
  }
  EXPECT_LE(changes, 11);
  EXPECT_GE(changes, 5) << "and it is not stuck";
}

TEST(SeatPolicy, FollowsAnotherNumberOfSeats) {
  SeatPolicy policy(3);
  after(policy, {"ann", "bob", "cat"}, 0ms);
  policy.resize(1);
  EXPECT_EQ(after(policy, {"cat", "ann"}, 100ms), (Names{"ann"}));
  EXPECT_EQ(policy.next_event(), at(1s));
  EXPECT_EQ(after(policy, {"cat", "ann"}, 1s), (Names{"cat"}));
  policy.resize(2);
  EXPECT_EQ(after(policy, {"cat", "ann"}, 1001ms), (Names{"cat", "ann"}));
  policy.resize(0);
  EXPECT_EQ(after(policy, {"cat", "ann"}, 2s), Names{});
  EXPECT_EQ(policy.next_event(), qvid::kNever);
}

TEST(SeatPolicy, NamesThatAreNobodyOrCameBeforeGetNoSeat) {
  SeatPolicy policy(3);
  EXPECT_EQ(after(policy, {"", "ann", "ann"}, 0ms), (Names{"ann", "", ""}));
}

// At random: what always holds.
TEST(SeatPolicy, KeepsItsPromisesUnderAnyRankings) {
  std::mt19937 random(7);
  for (int run = 0; run < 50; ++run) {
    SeatPolicy policy(1 + random() % 4);
    Names everybody{"a", "b", "c", "d", "e", "f"};
    Duration now{};
    Names before = shown(policy);
    Names ranking;
    for (int step = 0; step < 300; ++step) {
      // As told, or earlier with another ranking.
      const Duration until =
          policy.next_event() == qvid::kNever ? Duration::max() : policy.next_event() - Timestamp{};
      now = std::min(now + Duration(std::chrono::milliseconds(random() % 700)), until);
      if (now != until) {
        std::shuffle(everybody.begin(), everybody.end(), random);
        ranking.assign(everybody.begin(), everybody.begin() + random() % 7);
      }
      const auto old = policy.seats();
      policy.update(ranking, at(now));
      const auto& seats = policy.seats();
      const std::size_t k = std::min(seats.size(), ranking.size());
      const auto wanted = [&](const std::string& name) {
        return std::find(ranking.begin(), ranking.begin() + static_cast<std::ptrdiff_t>(k), name) !=
               ranking.begin() + static_cast<std::ptrdiff_t>(k);
      };
      for (std::size_t i = 0; i < seats.size(); ++i) {
        if (old[i].publisher != seats[i].publisher) {
          if (!old[i].publisher.empty()) {
            EXPECT_FALSE(wanted(old[i].publisher)) << "of the best, and put out";
            if (!seats[i].publisher.empty()) {
              EXPECT_GE(at(now) - old[i].since, SeatPolicy::kDwell);
            }
          }
          if (!seats[i].publisher.empty()) {
            EXPECT_TRUE(wanted(seats[i].publisher));
          }
        }
        for (std::size_t j = i + 1; j < seats.size(); ++j) {
          if (!seats[i].publisher.empty()) {
            EXPECT_NE(seats[i].publisher, seats[j].publisher);
          }
        }
      }
      EXPECT_GT(policy.next_event(), at(now));
    }
    // Left alone, it comes to rest with the best, all of them and nobody else.
    while (policy.next_event() != qvid::kNever) {
      const Timestamp next = policy.next_event();
      policy.update(ranking, next);
    }
    Names end = shown(policy);
    std::erase(end, "");
    std::sort(end.begin(), end.end());
    Names best(ranking.begin(), ranking.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                      ranking.size(), policy.seats().size())));
    std::sort(best.begin(), best.end());
    EXPECT_EQ(end, best);
  }
}

}  // namespace
}  // namespace qps
