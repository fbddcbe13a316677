// The promises of a session, in virtual time: messages arrive whole, important ones first, and
// every accepted one ends exactly once whatever happens in between.
#include "transport/session_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "tests/transport/counted_new.h"
#include "tests/transport/simulated_pipe.h"

namespace paceline {
namespace {

using qvid::operator""_B;
using qvid::operator""_KiB;
using qvid::operator""_MiB;
using qvid::operator""ms;
using qvid::operator""s;

// The bytes of message `tag`, which travels as its position.
Payload payload(std::uint64_t tag, std::size_t size) {
  qvid::PayloadBuilder b(size);
  for (std::size_t i = 0; i < size; ++i) {
    b.bytes()[i] = static_cast<std::byte>(tag * 31 + i * (tag | 1) + (i >> 8));
  }
  return std::move(b).take();
}
Message message(std::uint64_t tag, std::size_t size, int importance = 0,
                Timestamp deadline = qvid::kNever) {
  return {.importance = Importance(static_cast<std::uint8_t>(importance)),
          .position = Position(tag),
          .deadline = deadline,
          .payload = payload(tag, size)};
}

// Keeps the books of what one end sent and what became of it.
struct Ledger {
  struct Entry {
    std::uint64_t tag;
    std::size_t size;
    int arrived = 0;
    std::vector<Outcome> ended;
  };
  void sent(MessageId id, std::uint64_t tag, std::size_t size) {
    EXPECT_TRUE(by_id.emplace(id, messages.size()).second) << "an id was used twice";
    by_tag[tag] = messages.size();
    messages.push_back({tag, size, 0, {}});
  }
  void arrived(const MessageArrived& m) {
    const auto it = by_tag.find(m.position.value());
    ASSERT_NE(it, by_tag.end());
    Entry& e = messages[it->second];
    ++e.arrived;
    ASSERT_EQ(m.payload.size(), e.size);
    EXPECT_TRUE(std::ranges::equal(m.payload.bytes(), payload(e.tag, e.size).bytes()));
  }
  void ended(const MessageEnded& m) {
    const auto it = by_id.find(m.message);
    ASSERT_NE(it, by_id.end());
    messages[it->second].ended.push_back(m.outcome);
    EXPECT_EQ(m.size.size(), messages[it->second].size);
    EXPECT_LE(m.sent, m.size);
  }
  int count(Outcome outcome) const {
    return static_cast<int>(std::ranges::count_if(
        messages, [&](const Entry& e) { return e.ended == std::vector{outcome}; }));
  }
  void expect_settled() const {
    for (const Entry& e : messages) {
      SCOPED_TRACE(testing::Message() << "message " << e.tag << " of " << e.size << " bytes");
      ASSERT_EQ(e.ended.size(), 1u);
      switch (e.ended[0]) {
        case Outcome::kDelivered: EXPECT_EQ(e.arrived, 1); break;
        case Outcome::kCancelled: EXPECT_EQ(e.arrived, 0); break;
        case Outcome::kLost: EXPECT_LE(e.arrived, 1); break;
      }
    }
  }
  std::vector<Entry> messages;
  std::map<MessageId, std::size_t> by_id;
  std::map<std::uint64_t, std::size_t> by_tag;
};

// Two ends with their ledgers, connected.
struct Call {
  explicit Call(const LinkConfig& link = {}, const SessionConfig& client = {},
                const SessionConfig& server = {})
      : pipe(link, client, server) {
    pipe.on_client_event(
        [this](SessionEvent&& e) { take(e, from_client, from_server, client_end); });
    pipe.on_server_event(
        [this](SessionEvent&& e) { take(e, from_server, from_client, server_end); });
    pipe.run_for(100ms);
  }
  void take(const SessionEvent& event, Ledger& own, Ledger& other,
            std::optional<SessionClosed>& end) {
    EXPECT_FALSE(end) << "an event after the last one";
    if (const auto* m = std::get_if<MessageArrived>(&event)) {
      order.push_back(m->position.value());
      other.arrived(*m);
      if (on_arrived) on_arrived(*m);
    }
    if (const auto* m = std::get_if<MessageEnded>(&event)) own.ended(*m);
    if (const auto* c = std::get_if<SessionClosed>(&event)) end = *c;
    if (std::holds_alternative<SessionWritable>(event)) ++writable;
  }
  std::optional<MessageId> send(std::size_t size, int importance = 0,
                                Timestamp deadline = qvid::kNever, StreamId stream = kFirstStream) {
    return send_from(pipe.client(), from_client, size, importance, deadline, stream);
  }
  std::optional<MessageId> send_from(SessionEngine& end, Ledger& ledger, std::size_t size,
                                     int importance = 0, Timestamp deadline = qvid::kNever,
                                     StreamId stream = kFirstStream) {
    const auto id = end.send(stream, message(next_tag, size, importance, deadline), pipe.now());
    if (!id) return std::nullopt;
    ledger.sent(*id, next_tag++, size);
    return *id;
  }
  SimulatedPipe pipe;
  Ledger from_client, from_server;
  std::optional<SessionClosed> client_end, server_end;
  std::vector<std::uint64_t> order;  // of arrival
  std::function<void(const MessageArrived&)> on_arrived;
  int writable = 0;
  std::uint64_t next_tag = 1;
};

TEST(SessionEngine, EstablishesAndMeasuresTheRoundTrip) {
  Call call;
  EXPECT_TRUE(call.pipe.client().established());
  EXPECT_TRUE(call.pipe.server().established());
  EXPECT_NEAR(qvid::to_ms(call.pipe.client().signals(call.pipe.now()).rtt), 30, 2);
  EXPECT_EQ(call.pipe.client().peer_limits().max_message, Limits{}.max_message);
}

TEST(SessionEngine, MessagesOfManySizesArriveBothWays) {
  Call call({.rate = qvid::DataRate::from_kbps(100'000), .cwnd = 300});
  for (const std::size_t size :
       {0u, 1u, 511u, 512u, 1399u, 1400u, 1401u, 16'384u, 65'536u, 1'000'000u}) {
    EXPECT_TRUE(call.send(size, static_cast<int>(size % 256)));
    EXPECT_TRUE(call.send_from(call.pipe.server(), call.from_server, size));
  }
  call.pipe.run_for(5s);
  EXPECT_EQ(call.from_client.count(Outcome::kDelivered), 10);
  EXPECT_EQ(call.from_server.count(Outcome::kDelivered), 10);
  call.from_client.expect_settled();
  call.from_server.expect_settled();
  EXPECT_EQ(call.pipe.client().signals(call.pipe.now()).unacked, 0_B);
}

TEST(SessionEngine, ImportantMessageOvertakesALargeOne) {
  Call call;
  call.send(500'000, 1);
  call.pipe.run_for(100ms);
  call.send(1000, 2);
  const Timestamp sent = call.pipe.now();
  Timestamp arrived = qvid::kNever;
  call.on_arrived = [&](const auto& m) {
    if (m.position == Position(2)) arrived = call.pipe.now();
  };
  call.pipe.run_for(5s);
  EXPECT_EQ(call.order, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_LT(qvid::to_ms(arrived - sent), 45);  // the delay is 15, the rest of the message takes 450
}

// Three times what the link carries: the top class comes as on an idle link, the lowest makes room.
TEST(SessionEngine, OverloadFallsOnTheLeastImportant) {
  LinkConfig link{.rate = qvid::DataRate::from_kbps(4000), .cwnd = 14};
  Call call(link);
  std::map<std::uint64_t, Timestamp> sent_at;
  std::map<int, std::vector<double>> delays;
  std::map<int, int> sent;
  call.on_arrived = [&](const MessageArrived& m) {
    delays[m.importance.value()].push_back(
        qvid::to_ms(call.pipe.now() - sent_at.at(m.position.value())));
  };
  for (int frame = 0; frame < 30 * 30; ++frame) {  // 30 s
    for (const auto& [importance, bytes] : {std::pair{0, 36'000}, {100, 10'000}, {200, 4'000}}) {
      sent_at[call.next_tag] = call.pipe.now();
      ++sent[importance];
      ASSERT_TRUE(call.send(static_cast<std::size_t>(bytes), importance, call.pipe.now() + 150ms));
    }
    call.pipe.run_for(Duration(1s) / 30);
  }
  call.pipe.run_for(1s);
  call.from_client.expect_settled();
  EXPECT_EQ(delays[200].size(), static_cast<std::size_t>(sent[200]));
  EXPECT_LT(std::ranges::max(delays[200]), 30 + 30);  // one round trip + 30 ms
  EXPECT_GT(delays[100].size(), static_cast<std::size_t>(sent[100] * 9 / 10));
  EXPECT_LT(delays[0].size(), static_cast<std::size_t>(sent[0] / 5));
  EXPECT_GT(call.from_client.count(Outcome::kCancelled), sent[0] * 4 / 5);
  RecordProperty("top_delay_ms", std::to_string(std::ranges::max(delays[200])));
}

// Nothing starts on its way once its deadline has come, also where the timer is late.
TEST(SessionEngine, ExpiredMessageIsNotWritten) {
  Call call;
  call.send(1000, 0, call.pipe.now() + 10ms);
  WriteBatch batch;
  call.pipe.client().produce(batch, call.pipe.now() + 10ms, 64 * 1024);
  std::vector<SessionEvent> events;
  call.pipe.client().take_events(events);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<MessageEnded>(events[0]).outcome, Outcome::kCancelled);
}

// Any interleaving of calls, with links of all sorts, closed or cut at the end.
void run_random(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const LinkConfig link{.rate = qvid::DataRate::from_kbps(500 + pick(8000)),
                        .delay = pick(50) * 1ms,
                        .cwnd = static_cast<std::uint32_t>(1 + pick(30)),
                        .mss = ByteCount(500 + pick(1000)),
                        .send_buffer = ByteCount(4096 + pick(100'000))};
  SessionConfig config;
  config.controller = pick(4) == 0 ? "none" : "sock";
  config.send_capacity = 300_KiB;
  config.limits.max_reassembly = ByteCount(20'000 + pick(100'000));
  Call call(link, config, config);
  call.pipe.run_for(1s);
  struct End {
    SessionEngine& engine;
    Ledger& ledger;
    std::vector<StreamId> streams;
    std::vector<MessageId> ids;
  } ends[] = {{call.pipe.client(), call.from_client, {kFirstStream}, {}},
              {call.pipe.server(), call.from_server, {kFirstStream}, {}}};
  for (int step = 0; step < 1500; ++step) {
    End& end = ends[pick(2)];
    const int action = pick(100);
    if (action < 55) {
      const auto size = static_cast<std::size_t>(pick(8) == 0 ? pick(60'000) : pick(3000));
      const Timestamp deadline =
          pick(3) == 0 ? call.pipe.now() + (1 + pick(300)) * 1ms : qvid::kNever;
      const StreamId stream =
          end.streams[static_cast<std::size_t>(pick(1 << 20)) % end.streams.size()];
      if (const auto id =
              call.send_from(end.engine, end.ledger, size, pick(256), deadline, stream)) {
        end.ids.push_back(*id);
      }
    } else if (action < 70 && !end.ids.empty()) {
      end.engine.cancel(end.ids[static_cast<std::size_t>(pick(1 << 20)) % end.ids.size()]);
    } else if (action < 73 && end.streams.size() < 20) {
      end.streams.push_back(end.engine.open_stream(1 + pick(3)));
    } else if (action < 75 && end.streams.size() > 1) {
      end.engine.close_stream(end.streams.back());
      end.streams.pop_back();
    } else {
      call.pipe.run_for(pick(30) * 1ms);
    }
    if (testing::Test::HasFailure()) return;
  }
  switch (seed % 4) {
    case 0: call.pipe.client().close("done"); break;
    case 1: call.pipe.cut(); break;
    default: call.pipe.run_for(std::chrono::minutes(3));  // all that waits goes out
  }
  if (seed % 4 > 1) {
    EXPECT_FALSE(call.client_end) << call.client_end->detail;
    EXPECT_EQ(call.from_client.count(Outcome::kLost), 0);
    EXPECT_EQ(call.pipe.client().signals(call.pipe.now()).queued, 0_B);
    call.pipe.server().close("done");
  }
  call.pipe.run_for(10s);
  EXPECT_TRUE(call.client_end && call.server_end);
  call.from_client.expect_settled();
  call.from_server.expect_settled();
}

TEST(SessionEngine, EveryMessageEndsOnceWhateverHappens) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    run_random(seed);
    if (testing::Test::HasFailure()) return;
  }
}

// Between two engines back to back: blocks taken for one message of 1 KiB, both payloads included.
TEST(SessionEngine, FewAllocationsPerMessage) {
  SessionConfig config;
  config.controller = "none";
  SessionEngine a(Side::kClient, config, {});
  SessionEngine b(Side::kServer, config, {});
  WriteBatch batch;
  std::vector<SessionEvent> events;
  const auto move = [&](SessionEngine& from, SessionEngine& to) {
    batch.clear();
    from.produce(batch, {}, 64 * 1024);
    batch.for_each([&](auto run) { to.receive(run, {}); });
    to.take_events(events);
    from.take_events(events);
  };
  const auto round = [&] {
    for (std::uint64_t i = 0; i < 32; ++i) {
      qvid::PayloadBuilder bytes(1024);
      ASSERT_TRUE(
          a.send(kFirstStream, {{}, Position(i), qvid::kNever, std::move(bytes).take()}, {}));
    }
    move(a, b);
    move(b, a);
  };
  for (int i = 0; i < 3; ++i) move(a, b), move(b, a);
  for (int i = 0; i < 100; ++i) round();
  const std::size_t before = counted_new::allocations;
  for (int i = 0; i < 100; ++i) round();
  const double per_message = static_cast<double>(counted_new::allocations - before) / 3200;
  RecordProperty("allocations_per_message", std::to_string(per_message));
  EXPECT_LE(per_message, 3);
  EXPECT_EQ(b.signals({}).messages_received, 6400u);
}

}  // namespace
}  // namespace paceline
