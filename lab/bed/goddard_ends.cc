#include "lab/bed/goddard_ends.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "lab/bed/goddard_client.h"
#include "lab/bed/goddard_server.h"
#include "lab/bed/tcp_options.h"

namespace qvid::lab {
namespace {

using boost::asio::ip::tcp;
using boost::asio::ip::udp;
using boost::system::error_code;

using ControlBytes = std::array<std::uint8_t, 3>;
constexpr std::size_t kPairPacket = 1000;  // bytes of payload; the thesis's packets are as large
constexpr std::size_t kHeaders = 20 + 8;   // of IP and UDP, which the link carries too
constexpr Duration kRetryFrame = Duration(2'000'000);  // of a frame for which there was no room

class GoddardNear : public NearEnd {
 public:
  GoddardNear(boost::asio::io_context& io, const FlowSetting& setting,
              std::unique_ptr<NearEnd> media)
      : media_(std::move(media)),
        far_(boost::asio::ip::make_address(kFarAddress)),
        port_(setting.control_port),
        control_(io),
        pairs_(io),
        timer_(io) {}

  void begin() override {
    media_->begin();
    pairs_.open(udp::v4());
    pairs_.connect({far_, port_});
    pairs_.non_blocking(true);
    control_.async_connect({far_, port_}, [this](const error_code& error) {
      if (ended_) return;
      if (error) return fail("could not connect: " + error.message());
      read_request();
    });
  }
  void end() override {
    ended_ = true;
    timer_.cancel();
    error_code ignored;
    control_.close(ignored);
    pairs_.close(ignored);
    media_->end();
  }
  void sample(Timestamp now) override { media_->sample(now); }
  void fill(FlowResult& result) const override {
    media_->fill(result);
    if (result.error.empty()) result.error = error_;
  }

 private:
  void fail(const std::string& why) {
    error_ = "the control connection: " + why;
    end();
  }
  void read_request() {
    boost::asio::async_read(control_, boost::asio::buffer(bytes_),
                            [this](const error_code& error, std::size_t) {
                              if (ended_) return;
                              if (error) return fail(error.message());
                              on_request();
                              read_request();
                            });
  }
  void on_request() {
    const GoddardRequest request{.kind = static_cast<GoddardRequest::Kind>(bytes_[0]),
                                 .scale = bytes_[1],
                                 .buffering = bytes_[2] != 0};
    if (request.kind == GoddardRequest::Kind::kPair) return send_pair();
    server_.on_request(request, RunClock::now());
    serve();
  }
  void send_pair() {
    ++pair_;
    std::array<std::uint8_t, kPairPacket> packet{pair_};
    for (packet[1] = 0; packet[1] < 2; ++packet[1]) {
      error_code ignored;  // what does not go is lost, and asked for again
      pairs_.send(boost::asio::buffer(packet), 0, ignored);
    }
  }
  void serve() {
    const Timestamp now = RunClock::now();
    while (server_.next() <= now) {
      if (!media_->offer(server_.frame(now), now)) return wait_until(now + kRetryFrame);
      server_.sent(now);
    }
    wait_until(server_.next());
  }
  void wait_until(Timestamp at) {
    if (ended_) return;
    timer_.expires_at(at);
    timer_.async_wait([this](const error_code& error) {
      if (!error && !ended_) serve();
    });
  }

  std::unique_ptr<NearEnd> media_;
  boost::asio::ip::address far_;
  std::uint16_t port_;
  tcp::socket control_;
  udp::socket pairs_;
  boost::asio::steady_timer timer_;
  GoddardServer server_;
  ControlBytes bytes_{};
  std::uint8_t pair_ = 0;
  bool ended_ = false;
  std::string error_;
};

class GoddardFar : public FarEnd {
 public:
  GoddardFar(boost::asio::io_context& io, const FlowSetting& setting,
             const std::function<std::unique_ptr<FarEnd>(const FlowSetting&)>& make_media)
      : end_(setting.clock.begin + setting.clock.duration),
        client_(setting.clock.begin, !tcp_options_of(setting.spec.sender)),
        acceptor_(io, tcp::endpoint(tcp::v4(), setting.control_port)),
        control_(io),
        pairs_(io, udp::endpoint(udp::v4(), setting.control_port)),
        timer_(io) {
    FlowSetting with = setting;
    with.on_unit = [this](const Adu& adu, Timestamp now) {
      if (now >= end_) return;  // what still comes is not measured
      client_.on_frame(adu.frame, adu.layer, now);
      act();
    };
    media_ = make_media(with);
    receive();
    acceptor_.async_accept(control_, [this](const error_code& error) {
      if (error || ended_) return;
      control_.set_option(tcp::no_delay(true));
      client_.open(RunClock::now());
      act();
    });
  }

  void end() override {
    ended_ = true;
    timer_.cancel();
    error_code ignored;
    acceptor_.close(ignored);
    control_.close(ignored);
    pairs_.close(ignored);
    media_->end();
  }
  void fill(FlowResult& result, std::uint32_t frames) const override {
    media_->fill(result, frames);
    result.goddard = client_.result(end_);
  }

 private:
  void receive() {
    pairs_.async_receive(boost::asio::buffer(packet_),
                         [this](const error_code& error, std::size_t bytes) {
                           if (error || ended_) return;
                           if (bytes == kPairPacket) on_packet(RunClock::now());
                           receive();
                         });
  }
  void on_packet(Timestamp now) {
    if (packet_[1] == 0) {
      first_ = {packet_[0], now};
    } else if (packet_[0] == first_.first) {
      client_.on_pair(ByteCount::of(kPairPacket + kHeaders), now - first_.second, now);
      act();
    }
  }
  // Passes on what the client wants, and comes back when something is due.
  void act() {
    if (ended_) return;
    if (const auto request = client_.take_request()) {
      waiting_ = ControlBytes{static_cast<std::uint8_t>(request->kind),
                              static_cast<std::uint8_t>(request->scale), request->buffering};
      write();
    }
    const Timestamp at = client_.next_turn();
    if (at == armed_) return;
    armed_ = at;
    timer_.expires_at(at);
    timer_.async_wait([this](const error_code& error) {
      if (error || ended_) return;
      armed_ = kNever;
      const Timestamp now = RunClock::now();
      if (now < end_) client_.turn(now);
      if (now < end_) act();
    });
  }
  void write() {
    if (writing_ || !waiting_) return;
    writing_ = true;
    bytes_ = *std::exchange(waiting_, std::nullopt);
    boost::asio::async_write(control_, boost::asio::buffer(bytes_),
                             [this](const error_code& error, std::size_t) {
                               writing_ = false;
                               if (!error && !ended_) write();
                             });
  }

  Timestamp end_;
  GoddardClient client_;
  tcp::acceptor acceptor_;
  tcp::socket control_;
  udp::socket pairs_;
  boost::asio::steady_timer timer_;
  std::unique_ptr<FarEnd> media_;
  std::array<std::uint8_t, kPairPacket> packet_{};
  std::pair<std::uint8_t, Timestamp> first_{};  // of the pair that is coming
  std::optional<ControlBytes> waiting_;
  ControlBytes bytes_{};
  Timestamp armed_ = kNever;
  bool writing_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<NearEnd> make_goddard_near(boost::asio::io_context& io, const FlowSetting& setting,
                                           std::unique_ptr<NearEnd> media) {
  return std::make_unique<GoddardNear>(io, setting, std::move(media));
}
std::unique_ptr<FarEnd> make_goddard_far(
    boost::asio::io_context& io, const FlowSetting& setting,
    const std::function<std::unique_ptr<FarEnd>(const FlowSetting&)>& make_media) {
  return std::make_unique<GoddardFar>(io, setting, make_media);
}

}  // namespace qvid::lab
