// A session's datagrams on a real socket.
#include "base/clock.h"
#include "transport/session/session.h"

namespace paceline {
namespace {

constexpr int kMostSentATurn = 64;  // then others have their turn

}  // namespace

// A client's: to where its newest socket goes.
void Session::open_datagrams(Timestamp now) {
  const bool again = engine_->take_wants_port();
  if (!again && (datagrams_ || datagrams_tried_ || !engine_->wants_datagrams())) return;
  datagrams_tried_ = true;
  if (remote_.address.host.empty()) return;  // a server's end: its host has the socket
  const auto address = parse_address(peer_, 0);
  if (!address) return;
  auto socket = DatagramSocket::connect(
      io_, *address,
      [weak = weak_from_this()](const PathAddress& from, std::span<const std::byte> datagram) {
        if (const auto self = weak.lock()) self->on_datagram(from, datagram);
      });
  // Then TCP has to do. A port that was there stays: what its path asks for has to go somewhere.
  if (!socket) return;
  datagrams_ = *std::move(socket);
  engine_->datagrams_to(datagrams_->peer(), now);
}

void Session::on_datagram(const PathAddress& from, std::span<const std::byte> datagram) {
  const Timestamp now = qvid::steady_now();
  // While the other end has to wait, what it sends is lost: it slows down by that.
  if (engine_->closed() || now < held_until_) return;
  engine_->receive_datagram(from, datagram, now);
  schedule_turn();
}

// What the engine lets go now, in as few calls of the system as it takes.
bool Session::write_datagrams(Timestamp now) {
  if (!datagrams_) return false;
  int count = 0;
  for (; count < kMostSentATurn; ++count) {
    const auto to = engine_->produce_datagram(datagram_, now);
    if (!to) break;
    if (batch_.add(*to, datagram_)) continue;
    datagrams_->send(batch_);
    batch_.clear();
    batch_.add(*to, datagram_);
  }
  datagrams_->send(batch_);
  batch_.clear();
  if (count == kMostSentATurn) schedule_turn();
  return count > 0;
}

}  // namespace paceline
