#include "lab/bed/transfers.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cmath>
#include <list>
#include <random>
#include <vector>

#include "lab/bed/ledger.h"
#include "lab/bed/tcp_options.h"

namespace qvid::lab {
namespace {

using tcp = boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kMouse = 20'000;  // bytes
constexpr double kShape = 1.2;
constexpr double kObjectMean = 5000;  // bytes
constexpr std::size_t kMostObject = 5'000'000;
constexpr double kThink = 7;                          // s, mean
constexpr int kObjects = 2;                           // of a page
constexpr Duration kChunk = Duration(4'000'000'000);  // of stored video, as most players ask for
constexpr std::size_t kMostChunk = 200'000'000;       // bytes
constexpr Duration kRetry = Duration(100'000'000);

class TransfersNear : public NearEnd {
 public:
  TransfersNear(boost::asio::io_context& io, const FlowSetting& setting)
      : setting_(setting), socket_(io), timer_(io), random_(setting.seed) {
    if (setting_.spec.sender == "reno") options_.congestion_control = "reno";
  }

  void begin() override { web() ? think() : next(); }
  void end() override {
    ended_ = true;
    timer_.cancel();
    close();
  }
  void fill(FlowResult& result) const override {
    result.transfers = transfer_ms_.size();
    result.transfer_ms = transfer_ms_;
  }

 private:
  bool web() const { return setting_.spec.workload == Workload::kWeb; }
  bool chunks() const { return setting_.spec.workload == Workload::kChunks; }

  std::size_t size() {
    if (chunks()) {
      const double bytes = static_cast<double>(setting_.spec.rate.bps()) / 8 * to_seconds(kChunk);
      return std::min(kMostChunk, static_cast<std::size_t>(bytes) + 1);
    }
    if (!web()) return kMouse;
    const double least = kObjectMean * (kShape - 1) / kShape;
    const double u = std::uniform_real_distribution(1e-9, 1.0)(random_);
    return std::min(kMostObject, static_cast<std::size_t>(least / std::pow(u, 1 / kShape)) + 1);
  }

  void wait(Duration time) {
    if (ended_) return;
    timer_.expires_after(time);
    timer_.async_wait([this](const error_code& error) {
      if (!error) next();
    });
  }
  void think() {
    objects_left_ = kObjects;
    wait(from_seconds(std::exponential_distribution(1 / kThink)(random_)));
  }

  void next() {
    if (ended_) return;
    began_ = RunClock::now();
    socket_.open(tcp::v4());
    apply(options_, socket_.native_handle());
    socket_.async_connect({boost::asio::ip::make_address(kFarAddress), setting_.port},
                          [this](const error_code& error) {
                            if (error) return again();
                            data_.resize(size());
                            boost::asio::async_write(socket_, boost::asio::buffer(data_),
                                                     [this](const error_code& failed, std::size_t) {
                                                       if (failed) return again();
                                                       error_code ignored;
                                                       socket_.shutdown(tcp::socket::shutdown_send,
                                                                        ignored);
                                                       await_end();
                                                     });
                          });
  }
  // The other end closes when it has all.
  void await_end() {
    boost::asio::async_read(
        socket_, boost::asio::buffer(end_), [this](const error_code& error, std::size_t) {
          if (ended_) return;
          const Timestamp now = RunClock::now();
          if (error == boost::asio::error::eof && setting_.clock.measured(now)) {
            transfer_ms_.push_back(static_cast<float>(to_ms(now - began_)));
          }
          close();
          if (chunks()) return wait(std::max(began_ + kChunk - now, Duration{}));
          if (!web() || --objects_left_ > 0) return next();
          think();
        });
  }
  void again() {
    close();
    wait(kRetry);
  }
  void close() {
    error_code ignored;
    socket_.close(ignored);
  }

  FlowSetting setting_;
  TcpOptions options_;
  tcp::socket socket_;
  boost::asio::steady_timer timer_;
  std::mt19937_64 random_;
  std::vector<std::byte> data_;
  std::array<std::byte, 1> end_{};
  std::vector<float> transfer_ms_;
  Timestamp began_{};
  int objects_left_ = kObjects;
  bool ended_ = false;
};

class TransfersFar : public FarEnd {
 public:
  TransfersFar(boost::asio::io_context& io, const FlowSetting& setting)
      : ledger_(setting.clock, setting.spec), acceptor_(io), buffer_(64 * 1024) {
    acceptor_.open(tcp::v4());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind({tcp::v4(), setting.port});
    acceptor_.listen();
    accept();
  }
  void end() override {
    ended_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    sockets_.clear();
  }
  void fill(FlowResult& result, std::uint32_t frames) const override {
    ledger_.fill(result, frames);
  }

 private:
  void accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error || ended_) return;
      read(sockets_.insert(sockets_.end(), std::move(socket)));
      accept();
    });
  }
  void read(std::list<tcp::socket>::iterator socket) {
    socket->async_read_some(boost::asio::buffer(buffer_),
                            [this, socket](const error_code& error, std::size_t bytes) {
                              if (ended_) return;  // and the socket is gone
                              ledger_.on_bytes(static_cast<std::int64_t>(bytes), RunClock::now());
                              if (error) {
                                sockets_.erase(socket);
                              } else {
                                read(socket);
                              }
                            });
  }

  Ledger ledger_;
  tcp::acceptor acceptor_;
  std::list<tcp::socket> sockets_;
  bool ended_ = false;
  std::vector<std::byte> buffer_;  // what comes is only counted
};

}  // namespace

std::unique_ptr<NearEnd> make_transfers_near(boost::asio::io_context& io,
                                             const FlowSetting& setting) {
  return std::make_unique<TransfersNear>(io, setting);
}
std::unique_ptr<FarEnd> make_transfers_far(boost::asio::io_context& io,
                                           const FlowSetting& setting) {
  return std::make_unique<TransfersFar>(io, setting);
}

}  // namespace qvid::lab
