// A port here and its session there, with the mailboxes between them turned by hand.
#include "pubsub/server/remote_port.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "tests/pubsub/fake_port.h"

namespace qps {
namespace {

using paceline::MessageArrived;
using paceline::MessageEnded;
using paceline::MessageId;
using paceline::Outcome;
using paceline::SessionClosed;
using paceline::StreamId;

// The session of the other thread: takes all, unless it is told otherwise, under ids of its own.
struct FakeSession : Port {
  Result<MessageId> send(StreamId stream, paceline::Message message) override {
    if (refuses) return qvid::Error{"it does not want to"};
    const MessageId id(next_id += 3);
    sent[id] = {stream, message.payload.byte_count()};
    return id;
  }
  void cancel(MessageId message) override { cancelled.push_back(message); }
  StreamId open_stream() override { return numbers.take(); }
  void close_stream(StreamId stream) override { closed_streams.push_back(stream); }
  qvid::Duration round_trip() const override { return path; }
  void let_in() override { is_let_in = true; }
  ByteCount waiting() const override { return {}; }
  void hold(qvid::Duration time) override { held = time; }
  void close(const std::string& reason) override { closed.push_back(reason); }

  MessageEnded end(MessageId id, Outcome outcome) {
    const auto [stream, size] = sent.at(id);
    sent.erase(id);
    return {.stream = stream, .message = id, .outcome = outcome, .sent = size, .size = size};
  }

  bool refuses = false;
  qvid::Duration path{};
  std::uint64_t next_id = 1000;
  paceline::StreamNumbers numbers{paceline::Side::kServer};
  std::map<MessageId, std::pair<StreamId, ByteCount>> sent;
  std::vector<MessageId> cancelled;
  std::vector<StreamId> closed_streams;
  qvid::Duration held{};
  bool is_let_in = false;
  std::vector<std::string> closed;
};

struct RemotePortTest : testing::Test {
  // The two mailboxes; one turn of each.
  void there() {
    while (!commands.empty()) {
      PortCommand next = std::move(commands.front());
      commands.pop_front();
      remote.carry_out(std::move(next));
    }
  }
  void here() {
    while (!events.empty()) {
      PortEvent next = std::move(events.front());
      events.pop_front();
      port.on_event(std::move(next), [this](paceline::SessionEvent&& event) {
        EXPECT_FALSE(closed) << "an event after the last one";
        if (const auto* e = std::get_if<MessageEnded>(&event)) {
          ended.push_back(*e);
        } else if (const auto* c = std::get_if<SessionClosed>(&event)) {
          closed = *c;
        } else if (const auto* s = std::get_if<paceline::PathRate>(&event)) {
          slowed = s->rate;
        } else {
          ++arrived;
        }
      });
    }
  }
  void both() {
    there();
    here();
  }
  // As a session does: all ends first.
  void close_session() {
    while (!session.sent.empty()) {
      remote.on_event(session.end(session.sent.begin()->first, Outcome::kLost));
    }
    remote.on_event(SessionClosed{paceline::CloseReason::kPeer, "bye"});
  }
  static paceline::Message text(std::size_t size) {
    return {.importance = {}, .position = {}, .payload = Payload::copy_of(std::string(size, 'x'))};
  }

  FakeSession session;
  std::deque<PortCommand> commands;
  std::deque<PortEvent> events;
  RemotePort port{[this](PortCommand&& command) { commands.push_back(std::move(command)); }};
  RemoteSession remote{session, [this](PortEvent&& event) { events.push_back(std::move(event)); }};
  std::vector<MessageEnded> ended;
  std::optional<SessionClosed> closed;
  qvid::DataRate slowed;
  int arrived = 0;
};

TEST_F(RemotePortTest, ThatThePathHasSlowedIsPassedOn) {
  remote.on_event(paceline::PathRate{qvid::DataRate::from_kbps(600)});
  here();
  EXPECT_EQ(slowed, qvid::DataRate::from_kbps(600));
  EXPECT_EQ(arrived, 0);
}

TEST_F(RemotePortTest, TheRoundTripIsToldWithWhatEnds) {
  const StreamId stream = port.open_stream();
  session.path = std::chrono::milliseconds(30);
  EXPECT_EQ(port.round_trip(), qvid::Duration());
  const auto end_one = [&] {
    ASSERT_TRUE(port.send(stream, text(100)));
    there();
    remote.on_event(session.end(session.sent.begin()->first, Outcome::kDelivered));
    here();
  };
  end_one();
  EXPECT_EQ(port.round_trip(), session.path);
  session.path = std::chrono::milliseconds(50);
  for (int i = 0; i < RemoteSession::kPathEvery; ++i) end_one();
  EXPECT_EQ(port.round_trip(), session.path);
}

TEST_F(RemotePortTest, AStrangerIsLetInThere) {
  port.let_in();
  EXPECT_FALSE(session.is_let_in) << "it is another thread's";
  there();
  EXPECT_TRUE(session.is_let_in);
}

TEST_F(RemotePortTest, WhatWaitsIsCounted) {
  const StreamId stream = port.open_stream();
  ASSERT_TRUE(port.send(stream, text(100)));
  ASSERT_TRUE(port.send(stream, text(50)));
  EXPECT_EQ(port.waiting(), ByteCount(150));
  there();
  remote.on_event(session.end(session.sent.begin()->first, Outcome::kDelivered));
  here();
  EXPECT_EQ(port.waiting(), ByteCount(50));
}

TEST_F(RemotePortTest, MessagesEndUnderTheirOwnNumbers) {
  const StreamId stream = port.open_stream();
  const MessageId a = *port.send(stream, text(100));
  const MessageId b = *port.send(paceline::kFirstStream, text(50));
  EXPECT_NE(a, b);
  there();
  ASSERT_EQ(session.sent.size(), 2u);
  remote.on_event(session.end(session.sent.rbegin()->first, Outcome::kDelivered));
  remote.on_event(session.end(session.sent.begin()->first, Outcome::kCancelled));
  remote.on_event(
      MessageArrived{.stream = StreamId(2), .importance = {}, .position = {}, .payload = {}});
  here();
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].message, b);
  EXPECT_EQ(ended[0].outcome, Outcome::kDelivered);
  EXPECT_EQ(ended[0].size, ByteCount(50));
  EXPECT_EQ(ended[1].message, a);
  EXPECT_EQ(ended[1].stream, stream);
  EXPECT_EQ(ended[1].outcome, Outcome::kCancelled);
  EXPECT_EQ(arrived, 1);
}

TEST_F(RemotePortTest, StreamsHaveTheNumbersThatTheSessionGives) {
  EXPECT_EQ(port.open_stream(), StreamId(1));
  EXPECT_EQ(port.open_stream(), StreamId(3));
  port.close_stream(StreamId(1));
  EXPECT_EQ(port.open_stream(), StreamId(5));
  both();
  EXPECT_EQ(session.closed_streams, std::vector{StreamId(1)});
  EXPECT_TRUE(session.closed.empty());
  // Somebody else opens one there: nothing of it may go where it does not belong.
  (void)session.open_stream();
  EXPECT_EQ(port.open_stream(), StreamId(7));
  both();
  ASSERT_EQ(session.closed.size(), 1u);
  EXPECT_NE(session.closed[0].find("internal error"), std::string::npos);
}

TEST_F(RemotePortTest, WhatTheSessionRefusesEndsAsCancelled) {
  session.refuses = true;
  const StreamId stream = port.open_stream();
  const MessageId id = *port.send(stream, text(77));
  both();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].message, id);
  EXPECT_EQ(ended[0].stream, stream);
  EXPECT_EQ(ended[0].outcome, Outcome::kCancelled);
  EXPECT_EQ(ended[0].size, ByteCount(77));
  EXPECT_EQ(ended[0].sent, ByteCount(0));
  EXPECT_TRUE(session.closed.empty());
  // Of control nothing may be missing.
  ASSERT_TRUE(port.send(paceline::kFirstStream, text(1)));
  both();
  EXPECT_EQ(ended.size(), 2u);
  ASSERT_EQ(session.closed.size(), 1u);
  EXPECT_NE(session.closed[0].find("it takes no messages"), std::string::npos);
}

TEST_F(RemotePortTest, AsMuchWaitsAsMay) {
  const StreamId stream = port.open_stream();
  constexpr std::size_t kPiece = 256 * 1024;
  std::size_t taken = 0;
  while (port.send(stream, text(kPiece))) ++taken;
  EXPECT_EQ(taken, 28u);  // 7 MiB
  std::size_t control = 0;
  while (port.send(paceline::kFirstStream, text(kPiece))) ++control;
  EXPECT_EQ(control, 4u);
  there();
  EXPECT_FALSE(port.send(stream, text(1))) << "that it went over makes no room";
  remote.on_event(session.end(session.sent.begin()->first, Outcome::kDelivered));
  for (int i = 0; i < 4; ++i) {
    remote.on_event(session.end(session.sent.rbegin()->first, Outcome::kDelivered));
  }
  here();
  EXPECT_TRUE(port.send(stream, text(kPiece)));
  EXPECT_FALSE(port.send(stream, text(1)));
}

TEST_F(RemotePortTest, AsManyWaitAsMay) {
  const StreamId stream = port.open_stream();
  std::size_t taken = 0;
  while (port.send(stream, text(0))) ++taken;
  EXPECT_EQ(taken, RemotePort::kMaxMessages - RemotePort::kMessagesForControl);
  while (port.send(paceline::kFirstStream, text(0))) ++taken;
  EXPECT_EQ(taken, RemotePort::kMaxMessages);
}

TEST_F(RemotePortTest, ASessionThatOpensNoStreamsIsClosed) {
  for (std::size_t i = 0; i < RemotePort::kMaxOpening + 10; ++i) port.open_stream();
  EXPECT_EQ(commands.size(), RemotePort::kMaxOpening + 1);
  both();
  ASSERT_EQ(session.closed.size(), 1u);
}

TEST_F(RemotePortTest, CancelsCrossWithEnds) {
  const StreamId stream = port.open_stream();
  const MessageId id = *port.send(stream, text(10));
  both();
  // It ends there while the cancel is on its way.
  remote.on_event(session.end(session.sent.begin()->first, Outcome::kDelivered));
  port.cancel(id);
  port.cancel(id);
  EXPECT_EQ(commands.size(), 1u) << "each is cancelled once";
  both();
  EXPECT_TRUE(session.cancelled.empty());
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].outcome, Outcome::kDelivered);
  port.cancel(id);
  EXPECT_TRUE(commands.empty());
  const MessageId other = *port.send(stream, text(10));
  port.cancel(other);
  there();
  ASSERT_EQ(session.cancelled.size(), 1u);
  EXPECT_EQ(session.cancelled[0], session.sent.begin()->first);
}

TEST_F(RemotePortTest, WhatWasOnItsWayEndsWithTheSession) {
  const StreamId stream = port.open_stream();
  const MessageId a = *port.send(stream, text(10));
  there();
  const MessageId b = *port.send(stream, text(20));
  close_session();
  const MessageId c = *port.send(stream, text(30));
  both();
  ASSERT_EQ(ended.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(ended[i].message, (std::vector{a, b, c})[i]);
  for (const MessageEnded& e : ended) EXPECT_EQ(e.outcome, Outcome::kLost);
  EXPECT_EQ(ended[1].size, ByteCount(20));
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->detail, "bye");
  // Every call is harmless now.
  EXPECT_FALSE(port.send(stream, text(1)));
  port.cancel(a);
  port.open_stream();
  port.close_stream(stream);
  port.close("again");
  EXPECT_TRUE(commands.empty());
}

TEST_F(RemotePortTest, IsClosedOnce) {
  port.close("enough");
  port.close("enough of it");
  there();
  EXPECT_EQ(session.closed, std::vector<std::string>{"enough"});
}

// Whatever happens in whatever order: each message that was taken ends once.
TEST_F(RemotePortTest, EveryMessageEndsOnce) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    FakeSession there_;
    std::deque<PortCommand> to;
    std::deque<PortEvent> back;
    RemotePort near([&](PortCommand&& command) { to.push_back(std::move(command)); });
    RemoteSession far(there_, [&](PortEvent&& event) { back.push_back(std::move(event)); });
    std::map<MessageId, int> ends;
    std::vector<MessageId> all;
    bool over = false;
    const auto take = [&] {
      if (back.empty()) return;
      PortEvent event = std::move(back.front());
      back.pop_front();
      near.on_event(std::move(event), [&](paceline::SessionEvent&& e) {
        EXPECT_FALSE(over);
        if (const auto* end = std::get_if<MessageEnded>(&e)) ++ends[end->message];
        over |= std::holds_alternative<SessionClosed>(e);
      });
    };
    bool session_over = false;
    const StreamId stream = near.open_stream();
    for (int step = 0; step < 300; ++step) {
      switch (random() % 6) {
        case 0:
        case 1:
          if (const auto id = near.send(stream, text(random() % 100))) all.push_back(*id);
          break;
        case 2:
          if (!all.empty()) near.cancel(all[random() % all.size()]);
          break;
        case 3:
          if (to.empty()) break;
          far.carry_out(std::exchange(to.front(), PortClose{}));
          to.pop_front();
          break;
        case 4:
          there_.refuses = random() % 5 == 0;
          if (there_.sent.empty()) break;
          far.on_event(there_.end(there_.sent.begin()->first, Outcome::kDelivered));
          break;
        default: take();
      }
      if (!session_over && step > 200 && random() % 50 == 0) {
        session_over = true;
        while (!there_.sent.empty()) {
          far.on_event(there_.end(there_.sent.begin()->first, Outcome::kLost));
        }
        far.on_event(SessionClosed{});
      }
    }
    if (!session_over) far.on_event(SessionClosed{});
    while (!back.empty()) take();
    EXPECT_TRUE(over);
    EXPECT_EQ(ends.size(), all.size());
    for (const MessageId id : all) EXPECT_EQ(ends[id], 1) << id.value();
  }
}

}  // namespace
}  // namespace qps
