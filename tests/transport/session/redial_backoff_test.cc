#include "transport/session/redial_backoff.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <vector>

namespace paceline {
namespace {

using qvid::Duration;
using qvid::Jitter;
using qvid::operator""ms;
using qvid::operator""s;
using qvid::Timestamp;

TEST(RedialBackoff, WaitsUpToABoundThatDoublesFromATenthOfASecondToTwo) {
  std::vector<Duration> longest(8);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RedialBackoff backoff{Jitter(seed)};
    Timestamp now{5s};
    EXPECT_LE(backoff.next(), now);
    for (Duration& most : longest) {
      backoff.on_failure(now);
      EXPECT_GE(backoff.next(), now);
      most = std::max(most, backoff.next() - now);
      now = backoff.next();
    }
  }
  const Duration bounds[] = {100ms, 200ms, 400ms, 800ms, 1600ms, 2000ms, 2000ms, 2000ms};
  for (std::size_t i = 0; i < longest.size(); ++i) {
    EXPECT_LE(longest[i], bounds[i]);
    EXPECT_GE(longest[i], bounds[i] * 98 / 100);
  }
}

TEST(RedialBackoff, ASuccessBeginsAnewAndHastensNothing) {
  RedialBackoff backoff{Jitter(1)};
  const Timestamp now{5s};
  for (int i = 0; i < 10; ++i) backoff.on_failure(now);
  const Timestamp put_off = backoff.next();
  backoff.on_success();
  EXPECT_EQ(backoff.next(), put_off);
  backoff.on_failure(now - 1s);  // of several at once, the longest wait holds
  EXPECT_EQ(backoff.next(), put_off);
  backoff.on_failure(put_off);
  EXPECT_LE(backoff.next(), put_off + 200ms);
}

TEST(RedialBackoff, IsSetWhereTheNextDialIsKnown) {
  RedialBackoff backoff{Jitter(1)};
  backoff.on_failure(Timestamp(5s));
  backoff.set_next(Timestamp(5s));
  EXPECT_EQ(backoff.next(), Timestamp(5s));
  backoff.set_next_about(Timestamp(5s), 1s);
  EXPECT_GE(backoff.next(), Timestamp(5s) + 500ms);
  EXPECT_LE(backoff.next(), Timestamp(5s) + 1500ms);
}

// A server of one NAT's clients is killed and returns: each greeting takes a while, and of those
// that come while all places are taken none is heard.
struct Herd {
  std::size_t most_in_a_tenth = 0;  // dials after its return
  Duration all_back{};              // after its return
};

Herd herd(std::size_t clients, const std::function<std::uint64_t(std::size_t)>& seed_of) {
  constexpr std::size_t kPlaces = 64;
  constexpr Duration kGreeting = 20ms;
  const Timestamp killed{100s};
  const Timestamp back = killed + 3s;
  std::vector<RedialBackoff> backoffs;
  std::multimap<Timestamp, std::size_t> due;
  for (std::size_t i = 0; i < clients; ++i) {
    backoffs.emplace_back(Jitter(seed_of(i)));
    due.emplace(killed, i);
  }
  Herd result;
  std::multimap<Timestamp, int> places;  // until when they are taken
  std::map<std::int64_t, std::size_t> dials;
  while (!due.empty() && result.all_back < 60s) {
    const auto [now, client] = *due.begin();
    due.erase(due.begin());
    places.erase(places.begin(), places.lower_bound(now));
    if (now >= back) {
      result.most_in_a_tenth =
          std::max(result.most_in_a_tenth, ++dials[(now - back) / Duration(100ms)]);
      result.all_back = now + kGreeting - back;
      if (places.size() < kPlaces) {
        places.emplace(now + kGreeting, 0);
        continue;
      }
    }
    backoffs[client].set_next_about(now, 667ms);  // as ChannelDialing does while nothing is left
    backoffs[client].on_failure(now);
    due.emplace(backoffs[client].next(), client);
  }
  return result;
}

TEST(RedialBackoff, AThousandClientsComeBackSpread) {
  for (std::uint64_t run = 0; run < 20; ++run) {
    const Herd spread = herd(1000, [&](std::size_t i) { return run * 1000 + i; });
    EXPECT_LE(spread.most_in_a_tenth, 250u);
    EXPECT_LE(spread.all_back, 10s);
  }
  // Who all wait the same come as a herd, of which 64 are heard a time.
  const Herd same = herd(1000, [](std::size_t) { return 1; });
  EXPECT_EQ(same.most_in_a_tenth, 1000u);
  EXPECT_GT(same.all_back, 10s);
}

}  // namespace
}  // namespace paceline
