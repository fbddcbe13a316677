// engine_bench: what the message layer costs without sockets: two engines back to back in one
// thread, no controller; chunks and messages a second. And what a message costs in the send queue
// alone, by the order in which positions come. Medians of 5 interleaved rounds.
#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "base/clock.h"
#include "transport/session/session_engine.h"

namespace {

using namespace paceline;
using qvid::operator""ms;

constexpr int kRounds = 5;
constexpr Duration kTime = 250ms;  // of one measurement

double median(std::vector<double> v) {
  std::ranges::nth_element(v, v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2));
  return v[v.size() / 2];
}

struct Rates {
  double messages = 0;  // a second
  double chunks = 0;
};

Rates in_memory(std::size_t size, std::uint32_t streams) {
  SessionConfig config;
  config.controller.name = "none";
  config.standby = 0;
  config.separate_directions = false;
  const Timestamp start = qvid::steady_now();
  SessionEngine a(config, start);
  SessionEngine b(config, {}, {.limits = config.limits, .resume_limit = {}}, start);
  a.connected(0, start);
  WriteBatch batch;
  std::vector<SessionEvent> events;
  a.produce(kFirstChannel, batch, start, 0);  // its hello, which b was made from
  const auto move = [&](SessionEngine& from, SessionEngine& to, Timestamp now) {
    batch.clear();
    from.produce(kFirstChannel, batch, now, 256 * 1024);
    batch.for_each([&](std::span<const std::byte> run) { to.receive(kFirstChannel, run, now); });
    from.take_events(events);
    to.take_events(events);
  };
  for (int i = 0; i < 2; ++i) move(b, a, start), move(a, b, start);
  std::vector<StreamId> ids{kFirstStream};
  while (ids.size() < streams) ids.push_back(a.open_stream());
  const std::size_t burst = std::clamp<std::size_t>(128 * 1024 / size, 2, 256);
  std::uint64_t sent = 0;
  Timestamp now = start;
  while (now < start + kTime) {
    for (std::size_t i = 0; i < burst; ++i, ++sent) {
      qvid::PayloadBuilder payload(size);
      Message m{.importance = {}, .position = Position(sent), .payload = std::move(payload).take()};
      if (!a.send(ids[sent % ids.size()], std::move(m), now)) std::abort();
    }
    move(a, b, now);
    move(b, a, now);
    now = qvid::steady_now();
  }
  const double seconds = qvid::to_seconds(now - start);
  const auto done = static_cast<double>(b.signals(now).messages_received);
  const std::size_t chunks = std::max<std::size_t>(1, (size + 16383) / 16384);
  return {done / seconds, done * static_cast<double>(chunks) / seconds};
}

// Nanoseconds a message, in and out again, with so many in the queue at once.
double in_queue(std::uint64_t messages, bool descending) {
  SendQueue queue(ByteCount(64 * 1024 * 1024), ByteCount(64 * 1024 * 1024));
  queue.open_stream(kFirstStream, 1.0);
  const Payload payload = Payload::copy_of(std::string_view("12345678"));
  const Timestamp start = qvid::steady_now();
  for (std::uint64_t i = 0; i < messages; ++i) {
    Message m{
        .importance = {}, .position = Position(descending ? messages - i : i), .payload = payload};
    if (!queue.push(kFirstStream, std::move(m))) std::abort();
  }
  while (queue.pop(1000)) continue;
  return qvid::to_seconds(qvid::steady_now() - start) * 1e9 / static_cast<double>(messages);
}

}  // namespace

int main() {
  std::printf("in memory, two engines, one thread      messages/s       chunks/s        MB/s\n");
  for (const std::size_t size : {64, 1024, 65536}) {
    std::array<std::vector<double>, 2> messages, chunks;
    constexpr std::array<std::uint32_t, 2> kStreams{1, 100};
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < kStreams.size(); ++i) {
        const Rates r = in_memory(size, kStreams[i]);
        messages[i].push_back(r.messages);
        chunks[i].push_back(r.chunks);
      }
    }
    for (std::size_t i = 0; i < kStreams.size(); ++i) {
      const double rate = median(messages[i]);
      std::printf("  %6zu B, %3u streams              %14.0f %14.0f  %10.1f\n", size, kStreams[i],
                  rate, median(chunks[i]), rate * static_cast<double>(size) / 1e6);
    }
  }
  std::printf("send queue, push and pop                  ns/message\n");
  for (const std::uint64_t waiting : {1'000U, 57'344U}) {
    for (const bool descending : {false, true}) {
      std::vector<double> costs;
      for (int round = 0; round < kRounds; ++round) {
        costs.push_back(in_queue(waiting, descending));
      }
      std::printf("  %6llu waiting, %-10s              %14.0f\n",
                  static_cast<unsigned long long>(waiting), descending ? "descending" : "ascending",
                  median(costs));
    }
  }
}
