#include "lab/bed/quic_socket.h"

#include <boost/asio/buffer.hpp>
#include <utility>

#include "lab/bed/run_clock.h"

namespace qvid::lab {
namespace {

using boost::asio::ip::udp;

constexpr int kQuicBurst = 10;  // datagrams between two waits for the pacer, RFC 9002 section 7.7
constexpr int kQuicReads = 64;  // datagrams before anything else has its turn

}  // namespace

void QuicSocket::open(const udp::endpoint& at) {
  socket_.open(udp::v4());
  socket_.bind(at);
  socket_.non_blocking(true);
  wait_readable();
}

void QuicSocket::connect(const udp::endpoint& peer, std::unique_ptr<QuicEngine> engine) {
  peer_ = peer;
  engine_ = std::move(engine);
  open({udp::v4(), 0});
  pump();
}

void QuicSocket::listen(const udp::endpoint& at, Accept accept) {
  accept_ = std::move(accept);
  open(at);
}

void QuicSocket::wait_readable() {
  socket_.async_wait(udp::socket::wait_read, [this](const boost::system::error_code& error) {
    if (error || closed_) return;
    read();
    pump();
    wait_readable();
  });
}

void QuicSocket::read() {
  for (int i = 0; i < kQuicReads; ++i) {
    udp::endpoint from;
    boost::system::error_code error;
    const std::size_t size = socket_.receive_from(boost::asio::buffer(buffer_), from, 0, error);
    if (error) return;
    const Timestamp now = RunClock::now();
    const std::span<const std::byte> datagram(buffer_.data(), size);
    if (!engine_ && accept_) {
      engine_ = accept_(datagram, now);
      peer_ = from;
    }
    if (engine_ && from == peer_) engine_->read(datagram, now);
  }
}

void QuicSocket::pump() {
  if (closed_ || !engine_) return;
  const Timestamp now = RunClock::now();
  for (int i = 0; i < kQuicBurst; ++i) {
    const std::size_t size = engine_->write(buffer_, now);
    if (size == 0) break;
    send(size);
  }
  engine_->end_turn(now);
  const Timestamp due = engine_->due();
  if (due == kNever) return;
  timer_.expires_at(due);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || closed_) return;
    engine_->on_time(RunClock::now());
    pump();
  });
}

void QuicSocket::send(std::size_t size) {
  boost::system::error_code lost;
  socket_.send_to(boost::asio::buffer(buffer_.data(), size), peer_, 0, lost);
}

void QuicSocket::close() {
  if (std::exchange(closed_, true)) return;
  if (engine_) {
    const std::size_t size = engine_->close(buffer_, RunClock::now());
    if (size > 0) send(size);
  }
  timer_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace qvid::lab
