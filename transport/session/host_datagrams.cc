// A server's datagrams: one socket for all sessions, told apart by their tags.
#include <boost/asio/post.hpp>

#include "transport/session/host.h"

namespace paceline {
namespace {

namespace asio = boost::asio;

constexpr int kMostMoved = 4096;  // to other threads, under way

}  // namespace

// Without them it is TCP alone, which is no error.
void Host::open_datagrams(const OnTrouble& on_trouble) {
  if (options_.session.datagrams == Datagrams::kNever) return;
  auto socket = DatagramSocket::open(
      io_, address(), [this](const PathAddress& from, std::span<const std::byte> datagram) {
        on_datagram(from, datagram);
      });
  if (socket) {
    datagrams_ = *std::move(socket);
  } else {
    on_trouble(socket.error().message + "; content goes by TCP");
    options_.session.datagrams = Datagrams::kNever;
  }
}

void Host::on_datagram(const PathAddress& from, std::span<const std::byte> datagram) {
  const auto tag = tag_of(datagram);
  const auto it = tag ? by_tag_.find(*tag) : by_tag_.end();
  if (it == by_tag_.end()) return;  // a stranger's, or of a session that is over
  if (&it->second->io == &io_) {
    if (const auto session = it->second->session.lock()) session->on_datagram(from, datagram);
    return;
  }
  if (moved_->load(std::memory_order_relaxed) >= kMostMoved) return;
  ++*moved_;
  asio::post(it->second->io, [tenant = it->second, moved = moved_, from,
                              bytes = std::vector(datagram.begin(), datagram.end())] {
    --*moved;
    if (const auto session = tenant->session.lock()) session->on_datagram(from, bytes);
  });
}

}  // namespace paceline
