// transport_bench: sessions on loopback beside plain TCP (Asio, one async_write a message) and
// ZeroMQ (PUSH/PULL over tcp), in one run; then datagrams beside TCP with TLS.
// `transport_bench datagrams [SECONDS]`: these alone.
//
// Sender and receiver are two threads of this process. Rates are what the receiver got; CPU is that
// of the process, both ends and the kernel's part, for a gigabyte of payload; beside datagrams that of
// each end's thread, for a gigabit. What the kernel does of the way on loopback is the sender's. Each
// figure is the median of kRounds rounds that take turns, since the machine is noisy.
#include <sys/resource.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "transport/session/host.h"

namespace {

using namespace paceline;
namespace asio = boost::asio;
using asio::ip::tcp;
using qvid::operator""ms;
using qvid::operator""s;

constexpr int kRounds = 5;
constexpr Duration kTime = 400ms;  // of one measurement
// Of one with datagrams: a window has to grow.
constexpr Duration kDatagramTime = 2s;
// A frame's part, as video at some Mbit/s has it.
constexpr std::size_t kUnit = 16 * 1024;
// What goes by datagrams has a deadline; here none comes.
constexpr Duration kWorth = 10s;

struct Result {
  double messages = 0;  // a second
  double megabytes = 0;
  double cpu_per_gb = 0;  // seconds
  double sender = 0;      // seconds of its thread, for a gigabit
  double receiver = 0;
};

// `who`: RUSAGE_SELF, RUSAGE_THREAD.
double cpu_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Counts what one measurement received, from its first byte to its last.
class Meter {
 public:
  void add(std::uint64_t bytes) {
    bytes_ += bytes;
    end_ = qvid::steady_now();
  }
  std::uint64_t bytes() const { return bytes_; }
  Result result(std::size_t size) const {
    const double seconds = qvid::to_seconds(end_ - start_);
    const double bytes = static_cast<double>(bytes_);
    return {bytes / static_cast<double>(size) / seconds, bytes / 1e6 / seconds,
            (cpu_seconds(RUSAGE_SELF) - cpu_) / (bytes / 1e9)};
  }

 private:
  Timestamp start_ = qvid::steady_now();
  Timestamp end_ = start_;
  double cpu_ = cpu_seconds(RUSAGE_SELF);
  std::uint64_t bytes_ = 0;
};

Result plain_tcp(std::size_t size) {
  asio::io_context io_a{1}, io_b{1};
  tcp::socket a{io_a}, b{io_b};
  tcp::acceptor acceptor(io_b, {asio::ip::make_address("127.0.0.1"), 0});
  a.connect(acceptor.local_endpoint());
  acceptor.accept(b);
  a.set_option(tcp::no_delay(true));
  const std::vector<std::byte> block(size);
  std::vector<std::byte> input(64 * 1024);
  Meter meter;
  const Timestamp end = qvid::steady_now() + kTime;
  std::function<void()> write = [&] {
    asio::async_write(a, asio::buffer(block), [&](const auto& error, std::size_t) {
      if (error || qvid::steady_now() >= end) return a.close();
      write();
    });
  };
  std::function<void()> read = [&] {
    b.async_read_some(asio::buffer(input), [&](const auto& error, std::size_t n) {
      meter.add(n);
      if (!error) read();
    });
  };
  std::thread reader([&] {
    read();
    io_b.run();
  });
  write();
  io_a.run();
  reader.join();
  return meter.result(size);
}

Result zeromq(std::size_t size) {
  void* context = zmq_ctx_new();
  void* pull = zmq_socket(context, ZMQ_PULL);
  void* push = zmq_socket(context, ZMQ_PUSH);
  const int patience = 500;  // ms without a message: it is over
  zmq_setsockopt(pull, ZMQ_RCVTIMEO, &patience, sizeof patience);
  zmq_bind(pull, "tcp://127.0.0.1:*");
  std::array<char, 64> address{};
  std::size_t length = address.size();
  zmq_getsockopt(pull, ZMQ_LAST_ENDPOINT, address.data(), &length);
  zmq_connect(push, address.data());
  Meter meter;
  std::thread reader([&] {
    zmq_msg_t message;
    zmq_msg_init(&message);
    int got = 0;
    while ((got = zmq_msg_recv(&message, pull, 0)) > 0) meter.add(static_cast<std::uint64_t>(got));
    zmq_msg_close(&message);
  });
  const Timestamp end = qvid::steady_now() + kTime;
  for (std::uint64_t i = 0; i % 64 != 0 || qvid::steady_now() < end; ++i) {
    zmq_msg_t message;
    zmq_msg_init_size(&message, size);
    zmq_msg_send(&message, push, 0);
  }
  const int none = 0;
  zmq_setsockopt(push, ZMQ_LINGER, &none, sizeof none);
  zmq_close(push);
  reader.join();
  zmq_close(pull);
  zmq_ctx_term(context);
  return meter.result(size);
}

struct Variant {
  std::string controller;
  std::shared_ptr<Identity> identity;
  std::size_t streams = 1;
  Datagrams datagrams = Datagrams::kNever;
  bool in_any_order = false;  // with a deadline: so datagrams take them
  Duration time = kTime;
};

// Sends messages of one size as fast as the session takes them, over streams in turn.
class Sender {
 public:
  Sender(asio::io_context& io, const Address& to, std::shared_ptr<Trust> trust,
         const SessionConfig& config, std::size_t size, const Variant& variant)
      : size_(size), variant_(variant) {
    session_ = Session::connect(io, {to, std::move(trust)}, config,
                                [this](SessionEvent&& e) { on_event(e); });
  }

 private:
  void on_event(const SessionEvent& e) {
    if (std::holds_alternative<SessionEstablished>(e)) {
      ids_.push_back(kFirstStream);
      while (ids_.size() < variant_.streams) ids_.push_back(session_->open_stream());
      end_ = qvid::steady_now() + variant_.time;
      fill();
    }
    if (!std::holds_alternative<MessageEnded>(e)) return;
    waiting_ -= size_;
    if (done_ || waiting_ >= kLow) return;
    if (qvid::steady_now() < end_) return fill();
    done_ = true;
    session_->close();
  }
  void fill() {
    const Timestamp deadline = variant_.in_any_order ? qvid::steady_now() + kWorth : qvid::kNever;
    while (waiting_ < kHigh) {
      qvid::PayloadBuilder payload(size_);
      if (!session_->send(ids_[next_++ % ids_.size()], {.importance = {},
                                                        .position = Position(next_),
                                                        .deadline = deadline,
                                                        .payload = std::move(payload).take(),
                                                        .in_any_order = variant_.in_any_order})) {
        return;
      }
      waiting_ += size_;
    }
  }

  static constexpr std::size_t kHigh = 2'000'000;  // bytes accepted and not ended
  static constexpr std::size_t kLow = 1'000'000;
  const std::size_t size_;
  const Variant& variant_;  // outlives this
  std::shared_ptr<Session> session_;
  std::vector<StreamId> ids_;
  std::size_t next_ = 0;
  std::size_t waiting_ = 0;
  Timestamp end_;
  bool done_ = false;
};

Result paceline_session(const Variant& v, std::size_t size) {
  asio::io_context io_a{1}, io_b{1};
  SessionConfig config;
  config.controller.name = v.controller;
  config.datagrams = v.datagrams;
  Meter meter;
  auto host = Host::open(
      io_b, {.listen = {"127.0.0.1", 0}, .identity = v.identity, .session = config},
      [&](const std::shared_ptr<Session>&) {
        return [&](SessionEvent&& e) {
          if (const auto* m = std::get_if<MessageArrived>(&e)) meter.add(m->payload.size());
          if (std::holds_alternative<SessionClosed>(e)) io_b.stop();
        };
      },
      [](const std::string&) {});
  std::shared_ptr<Trust> trust;
  if (v.identity) {
    TrustOptions options;
    options.fingerprint = v.identity->fingerprint();
    trust = *Trust::make(options);
  }
  double receiver_cpu = 0;
  std::thread reader([&] {
    io_b.run();
    receiver_cpu = cpu_seconds(RUSAGE_THREAD);
  });
  const double sender_cpu = cpu_seconds(RUSAGE_THREAD);
  Sender sender(io_a, (*host)->address(), trust, config, size, v);
  io_a.run();
  reader.join();
  Result result = meter.result(size);
  const double gigabits = 8e-9 * static_cast<double>(meter.bytes());
  result.sender = (cpu_seconds(RUSAGE_THREAD) - sender_cpu) / gigabits;
  result.receiver = receiver_cpu / gigabits;
  return result;
}

Result median_of(std::vector<Result> results) {
  const auto middle = [&](double Result::*field) {
    std::ranges::sort(results, {}, field);
    return results[results.size() / 2].*field;
  };
  return {middle(&Result::messages), middle(&Result::megabytes), middle(&Result::cpu_per_gb),
          middle(&Result::sender), middle(&Result::receiver)};
}

struct Row {
  std::string name;
  std::function<Result(std::size_t)> run;
  std::vector<Result> results;
};

void run_rounds(std::vector<Row>& rows, std::size_t size) {
  for (int round = 0; round < kRounds; ++round) {
    for (Row& row : rows) row.results.push_back(row.run(size));
  }
}

Row session_row(const std::string& name, const Variant& variant) {
  return {name, [variant](std::size_t size) { return paceline_session(variant, size); }, {}};
}

void compare_datagrams(const std::shared_ptr<Identity>& identity, Duration time) {
  std::vector<Row> rows;
  for (const auto& [name, datagrams] :
       {std::pair("TCP, TLS", Datagrams::kNever), std::pair("UDP", Datagrams::kOnly),
        std::pair("UDP where it passes", Datagrams::kAuto)}) {
    rows.push_back(session_row(name, {"pace", identity, 1, datagrams, true, time}));
  }
  run_rounds(rows, kUnit);
  std::printf(
      "\n%6zu B messages with a deadline   Gbit/s     CPU s/Gbit: sender, receiver   to TCP, TLS: "
      "Gbit/s, sender, receiver\n",
      kUnit);
  Result tcp;
  for (Row& row : rows) {
    const Result r = median_of(std::exchange(row.results, {}));
    if (&row == rows.data()) tcp = r;
    std::printf("  %-32s %8.2f %22.3f %10.3f %22.2f %7.2f %9.2f\n", row.name.c_str(),
                8e-3 * r.megabytes, r.sender, r.receiver, r.megabytes / tcp.megabytes,
                r.sender / tcp.sender, r.receiver / tcp.receiver);
  }
}

void compare_with_rivals(const std::shared_ptr<Identity>& identity) {
  std::vector<Row> rows;
  rows.push_back({"plain TCP (Asio)", plain_tcp, {}});
  rows.push_back({"ZeroMQ PUSH/PULL", zeromq, {}});
  for (const auto& [name, variant] : std::vector<std::pair<std::string, Variant>>{
           {"Paceline pace", {"pace", nullptr, 1}},
           {"Paceline pace, 100 streams", {"pace", nullptr, 100}},
           {"Paceline pace, TLS", {"pace", identity, 1}},
           {"Paceline pace, TLS, 100 streams", {"pace", identity, 100}},
           {"Paceline none", {"none", nullptr, 1}},
           {"Paceline none, TLS", {"none", identity, 1}}}) {
    rows.push_back(session_row(name, variant));
  }
  for (const std::size_t size : {64, 1024, 65536}) {
    run_rounds(rows, size);
    const Result tcp = median_of(rows[0].results);
    const Result zmq = median_of(rows[1].results);
    std::printf(
        "\n%6zu B messages                 messages/s     MB/s   CPU s/GB   to TCP  to ZeroMQ\n",
        size);
    for (Row& row : rows) {
      const Result r = median_of(std::exchange(row.results, {}));
      std::printf("  %-32s %10.0f %8.0f   %8.2f   %6.2f  %9.2f\n", row.name.c_str(), r.messages,
                  r.megabytes, r.cpu_per_gb, r.megabytes / tcp.megabytes,
                  r.megabytes / zmq.megabytes);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto folder = std::filesystem::temp_directory_path() / "qvid-transport-bench";
  auto identity = Identity::load_or_generate(folder);
  if (!identity) {
    std::fprintf(stderr, "%s\n", identity.error().message.c_str());
    return 1;
  }
  const bool all = argc < 2 || std::string_view(argv[1]) != "datagrams";
  if (all) compare_with_rivals(*identity);
  compare_datagrams(*identity,
                    argc > 2 ? Duration(std::chrono::seconds(std::atoi(argv[2]))) : kDatagramTime);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}
