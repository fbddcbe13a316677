// engine_bench: what the message layer costs, in memory and on loopback beside plain TCP.
//
// In memory: two engines back to back in one thread, no socket, no controller; chunks and messages
// a second. On loopback: two threads, one session each, beside asio TCP that writes blocks of the
// same size with async_write, in turns; the ratio is ours over theirs. Medians of 5 interleaved
// rounds.
#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "transport/session.h"
#include "transport/session_engine.h"

namespace {

using namespace paceline;
namespace asio = boost::asio;
using asio::ip::tcp;
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
  config.controller = "none";
  const Timestamp start = qvid::steady_now();
  SessionEngine a(Side::kClient, config, start);
  SessionEngine b(Side::kServer, config, start);
  WriteBatch batch;
  std::vector<SessionEvent> events;
  const auto move = [&](SessionEngine& from, SessionEngine& to, Timestamp now) {
    batch.clear();
    from.produce(batch, now, 256 * 1024);
    batch.for_each([&](std::span<const std::byte> run) { to.receive(run, now); });
    from.take_events(events);
    to.take_events(events);
  };
  for (int i = 0; i < 2; ++i) move(a, b, start), move(b, a, start);
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
  const double chunks = std::max(1.0, static_cast<double>((size + 16383) / 16384));
  return {done / seconds, done * chunks / seconds};
}

// A connected pair on loopback, each on a loop of its own.
struct Pair {
  Pair() {
    tcp::acceptor acceptor(io_b, {asio::ip::make_address("127.0.0.1"), 0});
    a.connect(acceptor.local_endpoint());
    acceptor.accept(b);
    a.set_option(tcp::no_delay(true));
  }
  asio::io_context io_a{1}, io_b{1};
  tcp::socket a{io_a}, b{io_b};
};

// Bytes of payload a second.
double plain_tcp(std::size_t size) {
  Pair pair;
  const std::vector<std::byte> block(size);
  std::vector<std::byte> input(32 * 1024);
  std::uint64_t received = 0;
  const Timestamp start = qvid::steady_now();
  std::function<void()> write = [&] {
    asio::async_write(pair.a, asio::buffer(block), [&](const auto& error, std::size_t) {
      if (error || qvid::steady_now() >= start + kTime) return pair.a.close();
      write();
    });
  };
  std::function<void()> read = [&] {
    pair.b.async_read_some(asio::buffer(input), [&](const auto& error, std::size_t n) {
      received += n;
      if (!error) read();
    });
  };
  std::thread reader([&] {
    read();
    pair.io_b.run();
  });
  write();
  pair.io_a.run();
  reader.join();
  return static_cast<double>(received) / qvid::to_seconds(qvid::steady_now() - start);
}

double paceline_session(std::size_t size, const std::string& controller) {
  Pair pair;
  SessionConfig config;
  config.controller = controller;
  std::uint64_t received = 0;
  const Timestamp start = qvid::steady_now();
  Timestamp end = start;
  std::thread reader([&] {
    auto b = Session::start(std::move(pair.b), Side::kServer, config, [&](SessionEvent&& e) {
      if (const auto* m = std::get_if<MessageArrived>(&e)) {
        received += m->payload.size();
        end = qvid::steady_now();
      }
    });
    pair.io_b.run();
  });
  std::shared_ptr<Session> a;
  std::size_t waiting = 0;  // bytes accepted and not ended
  const auto fill = [&] {
    while (waiting < 2'000'000) {
      qvid::PayloadBuilder payload(size);
      Message m{.importance = {}, .position = {}, .payload = std::move(payload).take()};
      if (!a->send(kFirstStream, std::move(m))) return;
      waiting += size;
    }
  };
  a = Session::start(std::move(pair.a), Side::kClient, config, [&](SessionEvent&& e) {
    if (std::holds_alternative<SessionEstablished>(e)) fill();
    if (!std::holds_alternative<MessageEnded>(e)) return;
    waiting -= size;
    if (qvid::steady_now() >= start + kTime) return a->close();
    if (waiting < 1'000'000) fill();
  });
  pair.io_a.run();
  reader.join();
  return static_cast<double>(received) / qvid::to_seconds(end - start);
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
  std::printf(
      "\nloopback, two threads           plain TCP MB/s   session 'sock' MB/s  ratio"
      "   session 'none' MB/s  ratio\n");
  for (const std::size_t size : {1024, 65536}) {
    std::vector<double> plain, sock, none;
    for (int round = 0; round < kRounds; ++round) {
      plain.push_back(plain_tcp(size) / 1e6);
      sock.push_back(paceline_session(size, "sock") / 1e6);
      none.push_back(paceline_session(size, "none") / 1e6);
    }
    const double base = median(plain);
    std::printf(
        "  %6zu B                         %12.1f          %12.1f  %5.2f          %12.1f  %5.2f\n",
        size, base, median(sock), median(sock) / base, median(none), median(none) / base);
  }
}
