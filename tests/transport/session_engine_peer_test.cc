// A peer that is silent, stalls, lies or sends garbage: the session ends with the right reason, and
// memory stays within its bounds. After the end every call is harmless.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/byte_io.h"
#include "tests/transport/simulated_pipe.h"

namespace paceline {
namespace {

using qvid::operator""_B;
using qvid::operator""_KiB;
using qvid::operator""h;
using qvid::operator""ms;
using qvid::operator""s;

Message message(std::size_t size, std::string_view text = "x") {
  return {
      .importance = {}, .position = {}, .payload = Payload::copy_of(std::string(size, text[0]))};
}

// One engine; the test plays its peer.
struct PeerTest : testing::Test {
  std::vector<std::byte> produce() {
    WriteBatch batch;
    engine->produce(batch, now, 1 << 20);
    std::vector<std::byte> out;
    batch.for_each([&](auto run) { out.insert(out.end(), run.begin(), run.end()); });
    return out;
  }
  // What the engine writes, as records; it must be well formed.
  std::vector<Record> written() {
    output = produce();
    parser.feed(output);
    std::vector<Record> records;
    for (;;) {
      auto step = parser.next();
      EXPECT_FALSE(std::holds_alternative<RecordParser::Failure>(step));
      if (!std::holds_alternative<Record>(step)) return records;
      records.push_back(std::get<Record>(step));
    }
  }
  void start(Side side, const SessionConfig& config = {}) {
    engine.emplace(side, config, now);
    parser = {};
  }
  void feed(const Record& record) {
    std::vector<std::byte> bytes;
    write_record(record, bytes);
    engine->receive(bytes, now);
  }
  void feed_text(std::string_view text) { engine->receive(std::as_bytes(std::span(text)), now); }
  void establish(const SessionConfig& config = {}, const Limits& peer = {}) {
    start(Side::kServer, config);
    std::vector<std::byte> preamble;
    write_preamble(preamble);
    engine->receive(preamble, now);
    Greeting hello;
    hello.limits = peer;
    feed(Hello{hello});
    ASSERT_TRUE(engine->established());
    written();
    feed(Ack{1});  // of the ping
    take();
  }
  std::vector<SessionEvent> take() {
    std::vector<SessionEvent> events;
    engine->take_events(events);
    return events;
  }
  // The reason in the last event; fails where the session goes on.
  CloseReason ended() {
    const auto events = take();
    EXPECT_TRUE(engine->closed());
    if (events.empty() || !std::holds_alternative<SessionClosed>(events.back())) {
      ADD_FAILURE() << "no SessionClosed at the end";
      return CloseReason::kLocal;
    }
    EXPECT_FALSE(std::get<SessionClosed>(events.back()).detail.empty());
    return std::get<SessionClosed>(events.back()).reason;
  }
  void wait(Duration time) {
    const Timestamp end = now + time;
    while (engine->next_timer() <= end) {
      now = std::max(now, engine->next_timer());
      engine->on_timer(now);
    }
    now = end;
  }
  Timestamp now{std::chrono::seconds(5)};
  std::optional<SessionEngine> engine;
  RecordParser parser;
  std::vector<std::byte> output;
};

TEST_F(PeerTest, NoGreetingInTime) {
  for (const Side side : {Side::kClient, Side::kServer}) {
    start(side);
    EXPECT_EQ(engine->next_timer(), now + 10s);
    engine->on_timer(now + 10s - 1ms);
    EXPECT_FALSE(engine->closed());
    engine->on_timer(now + 10s);
    EXPECT_EQ(ended(), CloseReason::kTimeout);
    EXPECT_EQ(engine->next_timer(), qvid::kNever);
  }
}

TEST_F(PeerTest, SilenceEndsTheSession) {
  establish();
  for (int i = 0; i < 30; ++i) {
    wait(900ms);
    feed(Ping{});
    produce();
    ASSERT_FALSE(engine->closed());
  }
  wait(10s);
  EXPECT_EQ(ended(), CloseReason::kTimeout);
}

TEST_F(PeerTest, TalksButAcknowledgesNothing) {
  establish();
  ASSERT_TRUE(engine->send(kFirstStream, message(10), now));
  for (int i = 0; i < 60 && !engine->closed(); ++i) {
    produce();
    feed(Ping{});
    wait(1s);
  }
  EXPECT_EQ(ended(), CloseReason::kTimeout);
}

TEST_F(PeerTest, Garbage) {
  for (const Side side : {Side::kClient, Side::kServer}) {
    start(side);
    feed_text("GET / HTTP/1.1\r\n");
    EXPECT_EQ(ended(), CloseReason::kNotPaceline);
    start(side);
    feed_text("PACELINE\x02");
    EXPECT_EQ(ended(), CloseReason::kVersion);
  }
  const std::vector<Record> wrong[] = {
      {Ack{2}},  // one record was written
      {Ack{qvid::kVarintMax}},
      {Hello{}},    // greeted twice
      {Welcome{}},  // a client's part
      {Chunk{.stream = {}, .number = 1, .importance = {}, .position = {}, .bytes = {}}},
      {Chunk{.stream = {},
             .first = true,
             .message_size = 1u << 30,
             .importance = {},
             .position = {},
             .bytes = {}}},
  };
  for (const auto& records : wrong) {
    establish();
    for (const Record& r : records) feed(r);
    EXPECT_EQ(ended(), CloseReason::kProtocolError);
    const auto last_words = written();
    ASSERT_FALSE(last_words.empty());
    EXPECT_EQ(std::get<Close>(last_words.back()).reason, CloseReason::kProtocolError);
  }
}

TEST_F(PeerTest, ContentBeforeTheGreeting) {
  for (const Record& r : {Record{Ping{}}, Record{Cancel{}}, Record{StreamClose{}}}) {
    start(Side::kServer);
    feed_text("PACELINE\x01");
    feed(r);
    EXPECT_EQ(ended(), CloseReason::kProtocolError);
  }
}

TEST_F(PeerTest, GreetingsOfOtherKindsAreRefused) {
  Greeting fewer_roles;
  fewer_roles.roles = kClientData;
  Greeting resumed;
  resumed.first_sequence = 7;
  for (const Greeting& g : {fewer_roles, resumed}) {
    start(Side::kServer);
    feed_text("PACELINE\x01");
    feed(Hello{g});
    EXPECT_EQ(ended(), CloseReason::kRefused);
    start(Side::kClient);
    feed_text("PACELINE\x01");
    feed(Welcome{g});
    EXPECT_EQ(ended(), CloseReason::kRefused);
  }
}

TEST_F(PeerTest, LimitsOfThePeerAreKept) {
  establish({}, {.max_message = 100_B, .max_reassembly = 1000_B, .max_streams = 2});
  EXPECT_FALSE(engine->send(kFirstStream, message(101), now));
  EXPECT_TRUE(engine->send(kFirstStream, message(100), now));
  const StreamId second = engine->open_stream();
  const StreamId third = engine->open_stream();
  EXPECT_TRUE(engine->send(second, message(1), now));
  EXPECT_FALSE(engine->send(third, message(1), now));
  engine->close_stream(second);
  EXPECT_TRUE(engine->send(third, message(1), now));
}

TEST_F(PeerTest, MessageThatNeverFitsTheQueueIsNoReasonToWait) {
  SessionConfig config;
  config.send_capacity = 1_KiB;
  establish(config);
  EXPECT_FALSE(engine->send(kFirstStream, message(2000), now));
  produce();
  EXPECT_TRUE(take().empty());  // no SessionWritable: trying again is in vain
}

TEST_F(PeerTest, NothingIsSentOnAStreamThatWasClosed) {
  establish();
  const StreamId stream = engine->open_stream();
  engine->close_stream(stream);
  EXPECT_FALSE(engine->send(stream, message(1), now));
}

TEST_F(PeerTest, RefusalsHaveReasons) {
  start(Side::kClient);
  EXPECT_FALSE(engine->send(kFirstStream, message(1), now));  // not established
  establish();
  Message late = message(1);
  late.deadline = now;
  EXPECT_FALSE(engine->send(kFirstStream, late, now));
  engine->close("bye");
  const auto refused = engine->send(kFirstStream, message(1), now);
  ASSERT_FALSE(refused);
  EXPECT_FALSE(refused.error().message.empty());
}

TEST_F(PeerTest, CloseReasonReachesThePeer) {
  SimulatedPipe pipe;
  std::vector<SessionClosed> ends;
  const auto note = [&](SessionEvent&& e) {
    if (auto* c = std::get_if<SessionClosed>(&e)) ends.push_back(*c);
  };
  pipe.on_client_event(note);
  pipe.on_server_event(note);
  pipe.run_for(1s);
  pipe.client().close("enough for today");
  pipe.run_for(1s);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].reason, CloseReason::kLocal);
  EXPECT_EQ(ends[1].reason, CloseReason::kPeer);
  EXPECT_EQ(ends[1].detail, "enough for today");
}

TEST_F(PeerTest, AfterTheEndEveryCallIsHarmless) {
  establish();
  const auto id = engine->send(kFirstStream, message(100'000), now);
  ASSERT_TRUE(id);
  produce();
  feed(Close{CloseReason::kRefused, "no"});
  EXPECT_EQ(ended(), CloseReason::kRefused);
  engine->close("again");
  engine->connection_lost("again");
  engine->close_stream(kFirstStream);
  engine->close_stream(engine->open_stream());
  EXPECT_FALSE(engine->cancel(*id));
  EXPECT_FALSE(engine->send(kFirstStream, message(1), now));
  feed_text("whatever");
  engine->on_timer(now + 1h);
  engine->on_socket({}, now);
  EXPECT_FALSE(engine->gated(now));
  EXPECT_TRUE(produce().empty());
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(engine->signals(now).queued, 0_B);
}

// The peer's socket is full and stays so: what waits is bounded, and the sender hears of it.
TEST(SessionEngineStall, NothingGrowsWhenThePeerStopsReading) {
  SessionConfig config;
  config.send_capacity = 256_KiB;
  SimulatedPipe pipe({}, config, config);
  int accepted = 0;
  int ended = 0;
  std::optional<CloseReason> reason;
  pipe.on_client_event([&](SessionEvent&& e) {
    ended += std::holds_alternative<MessageEnded>(e);
    if (auto* c = std::get_if<SessionClosed>(&e)) reason = c->reason;
  });
  pipe.run_for(1s);
  pipe.stall(Side::kServer, true);
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 10; ++k) {
      accepted += bool(pipe.client().send(kFirstStream, message(10'000), pipe.now()));
    }
    EXPECT_LE(pipe.client().signals(pipe.now()).queued, 256_KiB);
    EXPECT_LE(pipe.client().signals(pipe.now()).unacked, 512_KiB);
    pipe.run_for(1s);
  }
  EXPECT_LT(accepted, 100);
  EXPECT_EQ(reason, CloseReason::kTimeout);
  EXPECT_EQ(ended, accepted);
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
