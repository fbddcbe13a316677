// One engine with one channel; the test plays its peer.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/transport/ledger.h"
#include "transport/session/session_engine.h"
#include "transport/wire/record_parser.h"
#include "transport/wire/write_record.h"

namespace paceline {

struct EngineFixture : testing::Test {
  std::vector<std::byte> produce() {
    WriteBatch batch;
    engine->produce(kFirstChannel, batch, now, 1 << 20);
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
  // A client's end, connected, its hello not answered.
  void start_client(const SessionConfig& config = {}) {
    engine = std::make_unique<SessionEngine>(config, now);
    engine->connected(0, now);
    parser = {};
  }
  // A server's end, established; `active`: the peer's content may come.
  void establish(const SessionConfig& config = {}, const Limits& peer = {}, bool active = true) {
    const Hello hello{.limits = peer, .resume_limit = std::chrono::minutes(10)};
    engine = std::make_unique<SessionEngine>(config, make_credentials(), hello, now);
    parser = {};
    ASSERT_TRUE(engine->established());
    written();
    if (active) feed(Activate{.epoch = 1});
    feed(Ack{1});  // of the ping
    take();
  }
  void feed(const Record& record) {
    std::vector<std::byte> bytes;
    write_record(record, bytes);
    engine->receive(kFirstChannel, bytes, now);
  }
  void feed_text(std::string_view text) {
    engine->receive(kFirstChannel, std::as_bytes(std::span(text)), now);
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
    while (engine->next_timer(now) <= end) {
      now = std::max(now, engine->next_timer(now));
      engine->on_timer(now);
    }
    now = end;
  }

  Timestamp now{std::chrono::seconds(5)};
  std::unique_ptr<SessionEngine> engine;
  RecordParser parser;
  std::vector<std::byte> output;
};

}  // namespace paceline
