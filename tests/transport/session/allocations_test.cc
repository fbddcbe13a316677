// The authors' target is at most one memory allocation per message (002). In steady state a sender
// takes none and a receiver the one that holds the message.
#include <gtest/gtest.h>

#include <array>

#include "tests/transport/call.h"
#include "tests/transport/counted_new.h"

namespace paceline {
namespace {

using qvid::operator""ms;

// Two engines back to back, and what each takes.
struct Pair {
  explicit Pair(const SessionConfig& config)
      : client(config, now), server(config, make_credentials(), Hello{}, now) {
    client.connected(0, now);
    // The greetings, without their preambles where the server is greeted already.
    std::vector<std::byte> ignored = written(client);
    for (int i = 0; i < 4; ++i) move(server, client), move(client, server);
  }
  std::vector<std::byte> written(SessionEngine& from) {
    batch.clear();
    from.produce(kFirstChannel, batch, now, 64 * 1024);
    std::vector<std::byte> all;
    batch.for_each([&](auto run) { all.insert(all.end(), run.begin(), run.end()); });
    return all;
  }
  std::size_t& of(const SessionEngine& engine) { return taken[&engine == &client ? 0 : 1]; }
  template <class F>
  void count(const SessionEngine& engine, F&& f) {
    const std::size_t before = counted_new::allocations;
    f();
    of(engine) += counted_new::allocations - before;
  }
  void move(SessionEngine& from, SessionEngine& to) {
    for (;;) {
      batch.clear();
      count(from, [&] { from.produce(kFirstChannel, batch, now, 64 * 1024); });
      if (batch.empty()) break;
      count(to, [&] { batch.for_each([&](auto run) { to.receive(kFirstChannel, run, now); }); });
    }
    count(from, [&] { from.take_events(events); });
    count(to, [&] { to.take_events(other_events); });
    arrived += static_cast<std::size_t>(std::ranges::count_if(
        other_events, [](const auto& e) { return std::holds_alternative<MessageArrived>(e); }));
  }

  Timestamp now{std::chrono::seconds(1)};
  WriteBatch batch;
  std::vector<SessionEvent> events, other_events;
  std::array<std::size_t, 2> taken{};
  std::size_t arrived = 0;
  SessionEngine client, server;
};

void run(const char* controller, std::size_t size) {
  SCOPED_TRACE(testing::Message() << controller << ", messages of " << size);
  SessionConfig config;
  config.controller.name = controller;
  config.separate_directions = false;
  config.standby = 0;
  Pair pair(config);
  ASSERT_TRUE(pair.client.established());
  constexpr std::size_t kEach = 16;
  const auto round = [&] {
    for (std::uint64_t i = 0; i < kEach; ++i) {
      Message m = message(i, size, static_cast<int>(i), pair.now + std::chrono::seconds(1));
      pair.count(pair.client,
                 [&] { EXPECT_TRUE(pair.client.send(kFirstStream, std::move(m), pair.now)); });
    }
    for (int i = 0; i < 4; ++i) {
      pair.now += 5ms;
      pair.move(pair.client, pair.server);
      pair.move(pair.server, pair.client);
    }
  };
  for (int i = 0; i < 200; ++i) round();
  pair.taken = {};
  pair.arrived = 0;
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(pair.arrived, 100 * kEach);
  EXPECT_EQ(pair.taken[0], 0u) << "by the sender";
  EXPECT_LE(pair.taken[1], 100 * kEach) << "by the receiver";
}

TEST(Allocations, NoneBySendersOneByReceivers) {
  run("none", 1000);
  run("pace", 1000);
  run("adapt", 1000);
  run("sock", 1000);
}

TEST(Allocations, ChunksCostNone) {
  run("none", 30'000);
  run("pace", 5'000);
}

}  // namespace
}  // namespace paceline
