#include "transport/session/redial_backoff.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;
using qvid::Timestamp;

TEST(RedialBackoff, DoublesFromATenthOfASecondToTwo) {
  RedialBackoff backoff;
  const Timestamp start{5s};
  EXPECT_LE(backoff.next(), start);
  Timestamp now = start;
  for (const auto wait : {100ms, 200ms, 400ms, 800ms, 1600ms, 2000ms, 2000ms, 2000ms}) {
    backoff.on_failure(now);
    EXPECT_EQ(backoff.next(), now + wait);
    now = backoff.next();
  }
}

TEST(RedialBackoff, ASuccessBeginsAnewAndHastensNothing) {
  RedialBackoff backoff;
  const Timestamp now{5s};
  for (int i = 0; i < 4; ++i) backoff.on_failure(now);
  const Timestamp put_off = backoff.next();
  EXPECT_EQ(put_off, now + 800ms);
  backoff.on_success();
  EXPECT_EQ(backoff.next(), put_off);
  backoff.on_failure(now);  // of several at once, the longest wait holds
  EXPECT_EQ(backoff.next(), put_off);
  backoff.on_failure(put_off);
  EXPECT_EQ(backoff.next(), put_off + 200ms);
}

TEST(RedialBackoff, IsSetWhereTheNextDialIsKnown) {
  RedialBackoff backoff;
  backoff.on_failure(Timestamp(5s));
  backoff.set_next(Timestamp(5s));
  EXPECT_EQ(backoff.next(), Timestamp(5s));
}

}  // namespace
}  // namespace paceline
