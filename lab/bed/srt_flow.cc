#include "lab/bed/srt_flow.h"

#include <arpa/inet.h>
#include <srt/srt.h>

#include <boost/asio/steady_timer.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lab/bed/datagrams.h"
#include "lab/bed/frame_timer.h"
#include "lab/bed/ledger.h"

namespace qvid::lab {
namespace {

constexpr int kLatency = 120;                    // ms, libsrt's default
constexpr std::size_t kPacket = 1316;            // bytes, libsrt's live payload
constexpr Duration kPoll = Duration(1'000'000);  // libsrt has its own threads, and no asio
constexpr Duration kConnectTime = Duration(5'000'000'000);

// The library, while anybody uses it.
struct Library {
  Library() {
    srt_startup();
    srt_setloglevel(LOG_CRIT);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { srt_cleanup(); }
};
std::shared_ptr<Library> library() {
  static const std::shared_ptr<Library> the = std::make_shared<Library>();
  return the;
}

// A socket of the library. Not copyable.
class Socket {
 public:
  Socket() = default;
  explicit Socket(SRTSOCKET socket) : socket_(socket) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  Socket(Socket&& other) noexcept : socket_(std::exchange(other.socket_, SRT_INVALID_SOCK)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }
  ~Socket() { close(); }
  void close() {
    if (socket_ != SRT_INVALID_SOCK) srt_close(socket_);
    socket_ = SRT_INVALID_SOCK;
  }
  SRTSOCKET get() const { return socket_; }

 private:
  SRTSOCKET socket_ = SRT_INVALID_SOCK;
};

void set(SRTSOCKET socket, SRT_SOCKOPT option, int value) {
  if (srt_setsockflag(socket, option, &value, sizeof value) != 0) {
    throw std::runtime_error(std::string("libsrt refuses an option: ") + srt_getlasterror_str());
  }
}

Socket open_socket() {
  Socket socket(srt_create_socket());
  if (socket.get() == SRT_INVALID_SOCK) {
    throw std::runtime_error(std::string("libsrt opens no socket: ") + srt_getlasterror_str());
  }
  const int live = SRTT_LIVE;
  set(socket.get(), SRTO_TRANSTYPE, live);
  set(socket.get(), SRTO_LATENCY, kLatency);
  for (const SRT_SOCKOPT option : {SRTO_SNDSYN, SRTO_RCVSYN}) {
    const bool blocking = false;
    srt_setsockflag(socket.get(), option, &blocking, sizeof blocking);
  }
  return socket;
}

sockaddr_in address(const char* host, std::uint16_t port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(port);
  inet_pton(AF_INET, host, &a.sin_addr);
  return a;
}

class SrtNear : public NearEnd {
 public:
  SrtNear(boost::asio::io_context& io, const FlowSetting& setting)
      : setting_(setting),
        library_(library()),
        video_(setting.spec.rate, setting.seed),
        timer_(io, [this](Timestamp now) { send_frame(now); }) {}

  void begin() override {
    socket_ = open_socket();
    const sockaddr_in to = address(kFarAddress, setting_.port);
    if (srt_connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) ==
        SRT_ERROR) {
      error_ = std::string("libsrt does not connect: ") + srt_getlasterror_str();
      return;
    }
    give_up_ = RunClock::now() + kConnectTime;
    waiting_ = true;
  }
  void end() override {
    waiting_ = false;
    ended_ = true;
    timer_.stop();
    socket_.close();
  }
  void sample(Timestamp now) override {
    if (ended_) return;
    if (!waiting_) {
      const SRT_SOCKSTATUS state = srt_getsockstate(socket_.get());
      if (error_.empty() && (state == SRTS_BROKEN || state == SRTS_CLOSED)) {
        error_ = "libsrt's connection broke";
      }
      return;
    }
    if (srt_getsockstate(socket_.get()) == SRTS_CONNECTED) {
      waiting_ = false;
      timer_.start(now);
    } else if (now > give_up_) {
      waiting_ = false;
      error_ = "libsrt did not connect within 5 s";
    }
  }
  void fill(FlowResult& result) const override {
    if (result.error.empty()) result.error = error_;
  }
  std::uint32_t frames() const override { return frames_; }

 private:
  void send_frame(Timestamp now) {
    frames_ += setting_.clock.frame_counts(now, setting_.spec.window);
    for (const Adu& adu : video_.next(now)) {
      for (const std::vector<std::byte>& datagram : cut(adu, kPacket)) {
        // A full buffer refuses: the unit is lost, as in an application that does not wait.
        srt_sendmsg(socket_.get(), reinterpret_cast<const char*>(datagram.data()),
                    static_cast<int>(datagram.size()), -1, 1);
      }
    }
  }

  FlowSetting setting_;
  std::shared_ptr<Library> library_;
  Socket socket_;
  LayeredVideo video_;
  FrameTimer timer_;
  Timestamp give_up_{};
  bool waiting_ = false;
  bool ended_ = false;
  std::uint32_t frames_ = 0;
  std::string error_;
};

class SrtFar : public FarEnd {
 public:
  SrtFar(boost::asio::io_context& io, const FlowSetting& setting)
      : library_(library()),
        ledger_(setting.clock, setting.spec),
        listener_(open_socket()),
        timer_(io),
        buffer_(kPacket) {
    const sockaddr_in at = address("0.0.0.0", setting.port);
    if (srt_bind(listener_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == SRT_ERROR ||
        srt_listen(listener_.get(), 1) == SRT_ERROR) {
      throw std::runtime_error(std::string("libsrt does not listen: ") + srt_getlasterror_str());
    }
    poll();
  }
  void end() override {
    timer_.cancel();
    socket_.close();
    listener_.close();
  }
  void fill(FlowResult& result, std::uint32_t frames) const override {
    ledger_.fill(result, frames);
  }

 private:
  void poll() {
    if (socket_.get() == SRT_INVALID_SOCK) {
      const SRTSOCKET accepted = srt_accept(listener_.get(), nullptr, nullptr);
      if (accepted != SRT_INVALID_SOCK) socket_ = Socket(accepted);
    } else {
      receive();
    }
    timer_.expires_after(kPoll);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) poll();
    });
  }
  void receive() {
    const Timestamp now = RunClock::now();
    for (;;) {
      const int bytes = srt_recvmsg(socket_.get(), reinterpret_cast<char*>(buffer_.data()),
                                    static_cast<int>(buffer_.size()));
      if (bytes <= 0) return;
      ledger_.on_bytes(bytes, now);
      if (auto adu = collector_.on_datagram({buffer_.data(), static_cast<std::size_t>(bytes)})) {
        ledger_.on_adu(*adu, now);
      }
    }
  }

  std::shared_ptr<Library> library_;
  Ledger ledger_;
  Collector collector_;
  Socket listener_;
  Socket socket_;
  boost::asio::steady_timer timer_;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::unique_ptr<NearEnd> make_srt_near(boost::asio::io_context& io, const FlowSetting& setting) {
  return std::make_unique<SrtNear>(io, setting);
}
std::unique_ptr<FarEnd> make_srt_far(boost::asio::io_context& io, const FlowSetting& setting) {
  return std::make_unique<SrtFar>(io, setting);
}

}  // namespace qvid::lab
