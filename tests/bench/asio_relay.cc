// asio_relay: what a broker is measured beside. It copies one publisher's bytes to all subscribers
// of its room, and does nothing else: Asio, one thread, plain TCP.
//
//   asio_relay relay                                   says its port on stderr, until it is killed
//   asio_relay load PORT SUBSCRIBERS ROOMS SECONDS PID     the items of `qvid-lab load` through it;
//   JSON
//
// A socket says first who it is: 'P' or 'S', and its room. What waits for a subscriber is at most
// kMostWaiting; who lets more come is closed.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/payload.h"
#include "base/process.h"
#include "lab/load/load_pattern.h"
#include "lab/load/load_report.h"
#include "transport/socket/timer.h"

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using namespace qvid;
using namespace qvid::lab;

constexpr std::size_t kMostWaiting = 8 * 1024 * 1024;
constexpr std::size_t kReadSize = 64 * 1024;

// --- the relay ---

class Subscriber : public std::enable_shared_from_this<Subscriber> {
 public:
  explicit Subscriber(tcp::socket socket) : socket_(std::move(socket)) {}

  void send(const Payload& bytes) {
    if (waiting_ + bytes.size() > kMostWaiting) return socket_.close();
    waiting_ += bytes.size();
    queue_.push_back(bytes);
    if (!writing_) write();
  }
  bool is_open() const { return socket_.is_open(); }

 private:
  void write() {
    writing_ = true;
    going_.assign(queue_.begin(), queue_.end());
    queue_.clear();
    buffers_.clear();
    for (const Payload& p : going_) buffers_.emplace_back(p.data(), p.size());
    asio::async_write(socket_, buffers_,
                      [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                        self->writing_ = false;
                        self->waiting_ -= bytes;
                        if (error) return self->socket_.close();
                        if (!self->queue_.empty()) self->write();
                      });
  }

  tcp::socket socket_;
  std::deque<Payload> queue_;
  std::vector<Payload> going_;
  std::vector<asio::const_buffer> buffers_;
  std::size_t waiting_ = 0;
  bool writing_ = false;
};

using Room = std::vector<std::shared_ptr<Subscriber>>;

struct Publisher : std::enable_shared_from_this<Publisher> {
  Publisher(tcp::socket s, Room& r) : socket(std::move(s)), room(r) {}
  void read() {
    socket.async_read_some(asio::buffer(input), [self = shared_from_this()](const error_code& error,
                                                                            std::size_t bytes) {
      if (error) return;
      const auto block = Payload::copy_of(std::span<const std::byte>(self->input).first(bytes));
      for (const auto& subscriber : self->room) {
        if (subscriber->is_open()) subscriber->send(block);
      }
      self->read();
    });
  }
  tcp::socket socket;
  Room& room;
  std::array<std::byte, kReadSize> input{};
};

class Relay {
 public:
  explicit Relay(asio::io_context& io)
      : acceptor_(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    fmt::print(stderr, "relay on port {}\n", acceptor_.local_endpoint().port());
    accept();
  }

 private:
  struct Guest {
    explicit Guest(tcp::socket s) : socket(std::move(s)) {}
    tcp::socket socket;
    std::array<char, 2> greeting{};
  };
  void accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error) return;
      socket.set_option(tcp::no_delay(true));
      auto guest = std::make_shared<Guest>(std::move(socket));
      asio::async_read(guest->socket, asio::buffer(guest->greeting),
                       [this, guest](const error_code& e, std::size_t) {
                         if (!e) welcome(*guest);
                       });
      accept();
    });
  }
  void welcome(Guest& guest) {
    Room& room = rooms_[guest.greeting[1]];
    if (guest.greeting[0] == 'P') {
      std::make_shared<Publisher>(std::move(guest.socket), room)->read();
    } else {
      room.push_back(std::make_shared<Subscriber>(std::move(guest.socket)));
    }
  }

  tcp::acceptor acceptor_;
  std::map<char, Room> rooms_;
};

// --- its load ---

// Before the bytes of a part.
struct PartHeader {
  std::int64_t sent = 0;  // ns, steady clock
  std::uint32_t layer = 0;
  std::uint32_t size = 0;  // of what follows
};

tcp::socket connect(asio::io_context& io, std::uint16_t port, char kind, int room) {
  tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), port});
  socket.set_option(tcp::no_delay(true));
  const std::array<char, 2> greeting{kind, static_cast<char>(room)};
  asio::write(socket, asio::buffer(greeting));
  return socket;
}

class Reader {
 public:
  Reader(tcp::socket socket, std::size_t viewer, LoadStatistics& statistics)
      : socket_(std::move(socket)), viewer_(viewer), statistics_(statistics) {
    read();
  }

 private:
  void read() {
    socket_.async_read_some(asio::buffer(input_),
                            [this](const error_code& error, std::size_t bytes) {
                              if (error) return;
                              take(std::span<const std::byte>(input_).first(bytes));
                              read();
                            });
  }
  void take(std::span<const std::byte> bytes) {
    const Timestamp now = steady_now();
    while (!bytes.empty()) {
      if (header_bytes_ < sizeof header_) {
        const std::size_t part = std::min(bytes.size(), sizeof header_ - header_bytes_);
        std::memcpy(reinterpret_cast<std::byte*>(&header_) + header_bytes_, bytes.data(), part);
        header_bytes_ += part;
        bytes = bytes.subspan(part);
        left_ = header_.size;
        continue;
      }
      const std::size_t part = std::min(bytes.size(), left_);
      left_ -= part;
      bytes = bytes.subspan(part);
      if (left_ > 0) continue;
      statistics_.on_part(viewer_, header_.layer, Timestamp(Duration(header_.sent)),
                          ByteCount::of(header_.size), now);
      header_bytes_ = 0;
    }
  }

  tcp::socket socket_;
  const std::size_t viewer_;
  LoadStatistics& statistics_;
  std::array<std::byte, 4096> input_{};
  PartHeader header_;
  std::size_t header_bytes_ = 0;
  std::size_t left_ = 0;
};

class Writer {
 public:
  Writer(asio::io_context& io, tcp::socket socket, Duration phase, std::size_t viewers,
         LoadStatistics& statistics)
      : socket_(std::move(socket)),
        timer_(io),
        next_(steady_now() + phase),
        viewers_(viewers),
        statistics_(statistics) {
    timer_.at(next_, [this] { tick(); });
  }

 private:
  void tick() {
    const Timestamp now = steady_now();
    const LoadPattern::Item item = pattern_.next(now);
    bytes_.clear();
    for (std::uint32_t layer = 0; layer < LoadPattern::kLayers; ++layer) {
      const PartHeader header{.sent = now.time_since_epoch().count(),
                              .layer = layer,
                              .size = static_cast<std::uint32_t>(item.parts[layer].size)};
      const auto* raw = reinterpret_cast<const std::byte*>(&header);
      bytes_.insert(bytes_.end(), raw, raw + sizeof header);
      bytes_.resize(bytes_.size() + header.size);
    }
    asio::write(socket_, asio::buffer(bytes_));
    statistics_.on_item(now, viewers_);
    next_ += FrameRate{}.frame_time();
    timer_.at(next_, [this] { tick(); });
  }

  tcp::socket socket_;
  paceline::Timer timer_;
  LoadPattern pattern_{DataRate::from_bps(1'000'000), FrameRate{}};
  std::vector<std::byte> bytes_;
  Timestamp next_;
  std::size_t viewers_;
  LoadStatistics& statistics_;
};

struct Usage {
  Timestamp at = steady_now();
  ProcessUsage own;
  ProcessUsage relay;
  explicit Usage(int pid) : own(*usage_of(::getpid())), relay(*usage_of(pid)) {}
};

double share(Duration cpu, Duration time) { return to_seconds(cpu) / to_seconds(time); }

int load(std::uint16_t port, int subscribers, int rooms, int seconds, int pid) {
  asio::io_context io(1);
  const Usage before(pid);
  LoadStatistics statistics;
  std::vector<std::unique_ptr<Reader>> readers;
  std::vector<std::unique_ptr<Writer>> writers;
  for (int i = 0; i < subscribers; ++i) {
    readers.push_back(std::make_unique<Reader>(connect(io, port, 'S', i % rooms),
                                               static_cast<std::size_t>(i), statistics));
  }
  const Timestamp joined = steady_now();
  for (int i = 0; i < rooms; ++i) {
    const int viewers = subscribers / rooms + (i < subscribers % rooms ? 1 : 0);
    writers.push_back(std::make_unique<Writer>(io, connect(io, port, 'P', i),
                                               FrameRate{}.frame_time() * i / rooms,
                                               static_cast<std::size_t>(viewers), statistics));
  }
  io.run_for(std::chrono::seconds(2));
  const Usage begin(pid);
  statistics.begin(begin.at);
  io.run_for(std::chrono::seconds(seconds));
  const Usage end(pid);
  statistics.end(end.at);
  io.run_for(std::chrono::seconds(1));
  const Duration measured = end.at - begin.at;
  LoadReport report{.publishers = writers.size(),
                    .subscribers = readers.size(),
                    .rooms = writers.size(),
                    .rate = DataRate::from_bps(1'000'000),
                    .joined = readers.size() + writers.size(),
                    .first_loss = "",
                    .join_time = joined - before.at,
                    .measured = measured,
                    .parts = statistics.parts(),
                    .bytes = statistics.bytes(),
                    .base = delay_of(statistics.base()),
                    .all = delay_of(statistics.all()),
                    .load_cpu = share(end.own.cpu - begin.own.cpu, measured)};
  for (std::size_t i = 0; i < report.lost.size(); ++i) report.lost[i] = statistics.lost(i);
  report.broker = {.pid = pid,
                   .cpu = share(end.relay.cpu - begin.relay.cpu, measured),
                   .resident = end.relay.resident,
                   .resident_each = (end.relay.resident - before.relay.resident) /
                                    static_cast<std::int64_t>(report.joined)};
  fmt::print("{}\n", json_of(report).dump());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  raise_file_limit();
  if (mode == "relay") {
    asio::io_context io(1);
    const Relay relay(io);
    io.run();
    return 0;
  }
  if (mode == "load" && argc == 7) {
    return load(static_cast<std::uint16_t>(std::stoi(argv[2])), std::stoi(argv[3]),
                std::stoi(argv[4]), std::stoi(argv[5]), std::stoi(argv[6]));
  }
  fmt::print(stderr, "asio_relay relay | load PORT SUBSCRIBERS ROOMS SECONDS PID\n");
  return 2;
}
