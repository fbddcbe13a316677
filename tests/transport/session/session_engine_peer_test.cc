// A peer that is silent, lies or sends garbage: the session ends with the right reason, and memory
// stays within its bounds. After the end every call is harmless.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/byte_io.h"
#include "tests/transport/engine_fixture.h"

namespace paceline {
namespace {

using qvid::operator""_B;
using qvid::operator""_KiB;
using qvid::operator""h;
using qvid::operator""ms;
using qvid::operator""s;
using PeerTest = EngineFixture;

TEST_F(PeerTest, NoGreetingInTime) {
  start_client();
  EXPECT_EQ(engine->next_timer(now), now + 10s);
  engine->on_timer(now + 10s - 1ms);
  EXPECT_FALSE(engine->closed());
  engine->on_timer(now + 10s);
  EXPECT_EQ(ended(), CloseReason::kTimeout);
  EXPECT_EQ(engine->next_timer(now), qvid::kNever);
}

TEST_F(PeerTest, SilenceEndsTheSessionWhereItIsNotResumed) {
  SessionConfig config;
  config.resume_limit = {};
  establish(config);
  std::uint64_t taken = 1;
  for (int i = 0; i < 60; ++i) {
    wait(900ms);
    for (const Record& r : written()) taken += std::holds_alternative<Ping>(r);
    feed(Ack{taken});
    ASSERT_FALSE(engine->closed());
  }
  wait(10s);
  EXPECT_EQ(ended(), CloseReason::kConnectionLost);
}

TEST_F(PeerTest, SilenceInterruptsAndThenEndsTheSession) {
  establish();
  wait(10s);
  ASSERT_FALSE(engine->closed());
  EXPECT_TRUE(engine->signals(now).interrupted);
  wait(59s);
  EXPECT_FALSE(engine->closed());
  wait(1s);
  EXPECT_EQ(ended(), CloseReason::kTimeout);
}

TEST_F(PeerTest, TalksButAcknowledgesNothing) {
  establish();
  ASSERT_TRUE(engine->send(kFirstStream, message(1, 10), now));
  for (int i = 0; i < 60 && !engine->closed(); ++i) {
    produce();
    feed(Ping{});
    wait(1s);
  }
  EXPECT_EQ(ended(), CloseReason::kTimeout);
}

TEST_F(PeerTest, GarbageInsteadOfAWelcome) {
  start_client();
  feed_text("GET / HTTP/1.1\r\n");
  EXPECT_EQ(ended(), CloseReason::kNotPaceline);
  start_client();
  feed_text("PACELINE\x01");
  EXPECT_EQ(ended(), CloseReason::kVersion);
}

TEST_F(PeerTest, WhatTheProtocolDoesNotAllow) {
  const std::vector<Record> wrong[] = {
      {Ack{2}},  // one record was written
      {Ack{qvid::kVarintMax}},
      {Hello{}},    // greeted twice
      {Bind{}},     // for a socket of its own
      {Welcome{}},  // a client's part
      {Bound{}},
      {Segments{}},                       // a server's part
      {Activate{.epoch = 2, .next = 1}},  // behind a gap
      {Activate{.epoch = 1, .next = 1}},
      {Chunk{.stream = {}, .number = 1, .importance = {}, .position = {}, .bytes = {}}},
      {Chunk{.stream = {},
             .first = true,
             .message_size = 1u << 30,
             .importance = {},
             .position = {},
             .bytes = {}}},
  };
  for (std::size_t i = 0; i < std::size(wrong); ++i) {
    SCOPED_TRACE(i);
    establish();
    for (const Record& r : wrong[i]) feed(r);
    EXPECT_EQ(ended(), CloseReason::kProtocolError);
    const auto last_words = written();
    ASSERT_FALSE(last_words.empty());
    EXPECT_EQ(std::get<Close>(last_words.back()).reason, CloseReason::kProtocolError);
  }
}

TEST_F(PeerTest, ContentOnAChannelThatIsNotActive) {
  for (const Record& r : {Record{Ping{}}, Record{Cancel{}}, Record{StreamClose{}}}) {
    establish({}, {}, false);
    feed(r);
    EXPECT_EQ(ended(), CloseReason::kProtocolError);
  }
}

TEST_F(PeerTest, ContentBeforeTheWelcome) {
  for (const Record& r : {Record{Ping{}}, Record{Ack{}}, Record{Probe{}}, Record{ProbeReply{}},
                          Record{Activate{.epoch = 1}}, Record{Segments{}}, Record{Bound{}}}) {
    start_client();
    feed_text("PACELINE\x02");
    feed(r);
    EXPECT_EQ(ended(), CloseReason::kProtocolError);
  }
}

TEST_F(PeerTest, RefusalOfTheHelloEndsTheSession) {
  start_client();
  feed_text("PACELINE\x02");
  feed(Close{CloseReason::kRefused, "full"});
  EXPECT_EQ(ended(), CloseReason::kRefused);
}

TEST_F(PeerTest, ProbesAreAnswered) {
  establish();
  written();
  feed(Probe{7});
  feed(Probe{8});  // one answer: the newest
  const auto records = written();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(std::get<ProbeReply>(records[0]).id, 8u);
}

TEST_F(PeerTest, LimitsOfThePeerAreKept) {
  establish({}, {.max_message = 100_B, .max_reassembly = 1000_B, .max_streams = 2});
  EXPECT_FALSE(engine->send(kFirstStream, message(1, 101), now));
  EXPECT_TRUE(engine->send(kFirstStream, message(1, 100), now));
  const StreamId second = engine->open_stream();
  const StreamId third = engine->open_stream();
  EXPECT_TRUE(engine->send(second, message(1, 1), now));
  EXPECT_FALSE(engine->send(third, message(1, 1), now));
  engine->close_stream(second);
  EXPECT_TRUE(engine->send(third, message(1, 1), now));
}

TEST_F(PeerTest, MessageThatNeverFitsTheQueueIsNoReasonToWait) {
  SessionConfig config;
  config.send_capacity = 1_KiB;
  establish(config);
  EXPECT_FALSE(engine->send(kFirstStream, message(1, 2000), now));
  produce();
  EXPECT_TRUE(take().empty());  // no SessionWritable: trying again is in vain
}

TEST_F(PeerTest, NothingIsSentOnAStreamThatWasClosed) {
  establish();
  const StreamId stream = engine->open_stream();
  engine->close_stream(stream);
  EXPECT_FALSE(engine->send(stream, message(1, 1), now));
}

TEST_F(PeerTest, RefusalsHaveReasons) {
  start_client();
  EXPECT_FALSE(engine->send(kFirstStream, message(1, 1), now));  // not established
  establish();
  EXPECT_FALSE(engine->send(kFirstStream, message(1, 1, 0, now), now));
  for (const double quality : {0.0, -1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    Message bad = message(1, 1);
    bad.quality = quality;
    EXPECT_FALSE(engine->send(kFirstStream, bad, now));
  }
  engine->close("bye");
  const auto refused = engine->send(kFirstStream, message(1, 1), now);
  ASSERT_FALSE(refused);
  EXPECT_FALSE(refused.error().message.empty());
}

TEST_F(PeerTest, AfterTheEndEveryCallIsHarmless) {
  establish();
  const auto id = engine->send(kFirstStream, message(1, 100'000), now);
  ASSERT_TRUE(id);
  produce();
  feed(Close{CloseReason::kRefused, "no"});
  EXPECT_EQ(ended(), CloseReason::kRefused);
  engine->close("again");
  engine->lost(kFirstChannel, "again", now);
  engine->dial_failed(0, "again", true, now);
  engine->close_stream(kFirstStream);
  engine->close_stream(engine->open_stream());
  EXPECT_FALSE(engine->cancel(*id));
  EXPECT_FALSE(engine->send(kFirstStream, message(1, 1), now));
  EXPECT_FALSE(engine->accept_bind(Bind{}, now));
  EXPECT_FALSE(engine->dial(now));
  feed_text("whatever");
  engine->on_timer(now + 1h);
  engine->on_socket(kFirstChannel, {}, now);
  EXPECT_FALSE(engine->gated_by_socket(now));
  EXPECT_EQ(engine->next_timer(now), qvid::kNever);
  EXPECT_TRUE(produce().empty());
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(engine->signals(now).queued, 0_B);
}

// While nothing can be written, waiting does not pile pings up.
TEST_F(PeerTest, OnePingWaitsAtMost) {
  establish();
  for (int i = 0; i < 8; ++i) wait(1s);
  int pings = 0;
  for (const Record& r : written()) pings += std::holds_alternative<Ping>(r);
  EXPECT_EQ(pings, 1);
}

}  // namespace
}  // namespace paceline
