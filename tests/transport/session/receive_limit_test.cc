// SessionConfig::receive_limit: how much an end is sent that wants no more, and what that is.
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "tests/transport/call.h"
#include "transport/send/rate_limiter.h"

namespace paceline::receive_limit_test {
namespace {

using qvid::DataRate;
using qvid::operator""ms;
using qvid::operator""s;

constexpr DataRate kLimit = DataRate::from_kbps(500);
constexpr Duration kFrame = Duration(1s) / 30;
constexpr int kDetails = 4;  // messages a frame

SessionConfig config(DataRate limit, Datagrams datagrams) {
  SessionConfig config;
  config.receive_limit = limit;
  config.datagrams = datagrams;
  return config;
}

struct Came {
  int frames = 0;  // that were sent
  ByteCount bytes;
  int base = 0;
  int detail = 0;
  Duration oldest{};  // of what came
  Duration time{};

  DataRate rate() const { return DataRate::of(bytes, time); }
};

// Two layers of 30 frames a second for `time`, 0.2 and 1.2 Mbit/s, from an end to the other, over a
// link that carries all of it.
Came come(Call& call, Side from, Duration time) {
  constexpr std::size_t kBaseSize = 800;
  Came came;
  const Timestamp begun = call.net.now();
  std::map<std::uint64_t, Timestamp> sent;
  call.on_arrived = [&](const MessageArrived& m) {
    if (!sent.contains(m.position.value())) return;
    came.bytes += ByteCount::of(m.payload.size());
    (m.payload.size() == kBaseSize ? came.base : came.detail) += 1;
    came.oldest = std::max(came.oldest, call.net.now() - sent[m.position.value()]);
  };
  for (const Timestamp until = call.net.now() + time; call.net.now() < until;) {
    ++came.frames;
    const Timestamp deadline = call.net.now() + 200ms;
    for (int i = 0; i <= kDetails; ++i) {
      sent[call.next_tag] = call.net.now();
      call.send(from, i == 0 ? kBaseSize : 1300, i == 0 ? 200 : 1, deadline);
    }
    call.net.run_for(kFrame);
  }
  call.net.run_for(300ms);
  came.time = call.net.now() - begun;
  return came;
}

struct ReceiveLimit : testing::TestWithParam<std::tuple<Side, Datagrams>> {
  Side from() const { return std::get<0>(GetParam()); }
  Call call_with(DataRate limit) const {
    const Datagrams by = std::get<1>(GetParam());
    const auto limited = config(limit, by);
    const auto free = config({}, by);
    const LinkConfig link{.rate = DataRate::from_kbps(16'000)};
    return from() == Side::kClient ? Call(link, free, limited) : Call(link, limited, free);
  }
};

TEST_P(ReceiveLimit, WhatMattersComesAndNoMoreThanThat) {
  Call call = call_with(kLimit);
  const Came came = come(call, from(), 10s);
  EXPECT_EQ(came.base, came.frames);
  EXPECT_LT(came.oldest, 300ms);
  EXPECT_LT(came.rate(), kLimit);  // the records' own fields are the rest
  EXPECT_GT(came.rate(), kLimit * .9);
}

TEST_P(ReceiveLimit, IsToldToWhoMakesTheContent) {
  Call call = call_with(kLimit);
  come(call, from(), 5s);
  const auto& told = call.end(from()).slowed;
  EXPECT_GT(told.size(), 40u);
  for (const PathRate& path : told) {
    EXPECT_EQ(path.reason, PathRate::Reason::kLimit);
    EXPECT_LE(path.rate, kLimit);
    EXPECT_GE(path.rate, kLimit * .9);
  }
  Call free = call_with({});
  come(free, from(), 5s);
  EXPECT_TRUE(free.end(from()).slowed.empty());
}

// Repairs, copies and parities count in the limit: who makes the content is to leave them room.
TEST(ReceiveLimitByDatagrams, WhatGoesOnceMoreIsNotTold) {
  const LinkConfig link{.rate = DataRate::from_kbps(16'000)};
  Call call(link, config(kLimit, Datagrams::kAuto), config({}, Datagrams::kAuto));
  call.net.udp.loss = 0.04;
  come(call, Side::kServer, 10s);
  const auto& told = call.end(Side::kServer).slowed;
  ASSERT_GT(told.size(), 80u);
  DataRate sum;
  for (const PathRate& path : std::span(told).last(50)) sum = sum + path.rate;
  EXPECT_LT(sum, kLimit * (50 * .98));
  EXPECT_GT(sum, kLimit * (50 * .9));
}

TEST_P(ReceiveLimit, ThatThePathDoesNotReachIsNotTold) {
  Call call = call_with(DataRate::from_kbps(8000));
  call.net.link().rate = DataRate::from_kbps(600);
  come(call, from(), 5s);
  for (const PathRate& path : call.end(from()).slowed) {
    EXPECT_NE(path.reason, PathRate::Reason::kLimit);
  }
}

TEST_P(ReceiveLimit, IsOfOneDirection) {
  Call call = call_with(kLimit);
  const Came came = come(call, from() == Side::kClient ? Side::kServer : Side::kClient, 3s);
  EXPECT_EQ(came.base, came.frames);
  EXPECT_EQ(came.detail, kDetails * came.frames);
}

TEST_P(ReceiveLimit, OfNextToNothingHoldsUpNoSession) {
  Call call = call_with(DataRate::from_bps(1));
  const Came came = come(call, from(), 60s);
  EXPECT_FALSE(call.client.closed || call.server.closed);
  EXPECT_LT(came.rate(), RateLimiter::kLeast * 1.05);  // with the first burst
  EXPECT_GT(came.base, 60);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, ReceiveLimit,
    testing::Combine(testing::Values(Side::kClient, Side::kServer),
                     testing::Values(Datagrams::kNever, Datagrams::kAuto)),
    [](const auto& info) {
      return std::string(std::get<0>(info.param) == Side::kClient ? "ToServer" : "ToClient") +
             (std::get<1>(info.param) == Datagrams::kNever ? "" : "WithDatagrams");
    });

TEST(RateLimiter, LetsThroughItsRateAndNoMoreAtOnceThanAMoment) {
  constexpr Timestamp t0{Duration(1s)};
  RateLimiter limiter;
  EXPECT_GT(limiter.allowance(t0), ByteCount(100'000'000));
  limiter.set(DataRate::from_kbps(800), t0);
  ByteCount written;
  for (Timestamp now = t0; now < t0 + 10s; now += 1ms) {
    if (limiter.allowance(now) <= ByteCount()) {
      EXPECT_GT(limiter.opens_at(now), now);
      continue;
    }
    EXPECT_LE(limiter.allowance(now), ByteCount(5000));
    limiter.on_written(ByteCount(1400), now);
    written += ByteCount(1400);
  }
  EXPECT_NEAR(static_cast<double>(written.value()), 1'000'000, 7000);
  limiter.set({}, t0 + 10s);
  EXPECT_GT(limiter.allowance(t0 + 10s), ByteCount(100'000'000));
}

}  // namespace
}  // namespace paceline::receive_limit_test
