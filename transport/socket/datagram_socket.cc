#include "transport/socket/datagram_socket.h"

#include <netinet/in.h>
#include <netinet/ip.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace paceline {
namespace {

namespace asio = boost::asio;
using asio::ip::udp;
using boost::system::error_code;

constexpr std::size_t kMostSize = 2048;  // of a datagram; ours are smaller
constexpr std::size_t kAtOnce = 16;      // read with one call
constexpr int kReadsATurn = 8;           // then others have their turn
constexpr int kBuffer = 1 << 20;         // bytes in the kernel, each way

PathAddress path_address(const sockaddr_storage& from) {
  PathAddress a;
  if (from.ss_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in&>(from);
    a.ip[10] = a.ip[11] = 0xff;
    std::memcpy(a.ip.data() + 12, &in.sin_addr, 4);
    a.port = ntohs(in.sin_port);
  } else {
    const auto& in = reinterpret_cast<const sockaddr_in6&>(from);
    std::memcpy(a.ip.data(), &in.sin6_addr, 16);
    a.scope = in.sin6_scope_id;
    a.port = ntohs(in.sin6_port);
  }
  return a;
}

socklen_t system_address(const PathAddress& a, bool v6, sockaddr_storage& to) {
  to = {};
  if (v6) {
    auto& in = reinterpret_cast<sockaddr_in6&>(to);
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(a.port);
    in.sin6_scope_id = a.scope;
    std::memcpy(&in.sin6_addr, a.ip.data(), 16);
    return sizeof in;
  }
  auto& in = reinterpret_cast<sockaddr_in&>(to);
  in.sin_family = AF_INET;
  in.sin_port = htons(a.port);
  std::memcpy(&in.sin_addr, a.ip.data() + 12, 4);
  return sizeof in;
}

void prepare(udp::socket& socket, bool v6) {
  const int fd = socket.native_handle();
  const int probe = IP_PMTUDISC_PROBE;
  if (v6) ::setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &probe, sizeof probe);
  ::setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &probe, sizeof probe);
  for (const int which : {SO_RCVBUF, SO_SNDBUF}) {
    ::setsockopt(fd, SOL_SOCKET, which, &kBuffer, sizeof kBuffer);
  }
  error_code ignored;
  socket.non_blocking(true, ignored);
}

}  // namespace

DatagramSocket::DatagramSocket(asio::io_context& io, OnDatagram on_datagram)
    : socket_(io), on_datagram_(std::move(on_datagram)), input_(kAtOnce * kMostSize) {}

qvid::Result<std::unique_ptr<DatagramSocket>> DatagramSocket::make(asio::io_context& io,
                                                                   const Address& address,
                                                                   bool client,
                                                                   OnDatagram on_datagram) {
  std::unique_ptr<DatagramSocket> made(new DatagramSocket(io, std::move(on_datagram)));
  udp::socket& socket = made->socket_;
  error_code e;
  const auto ip = asio::ip::make_address(address.host, e);
  const udp::endpoint end(ip, address.port);
  if (!e) socket.open(end.protocol(), e);
  if (!e && client) socket.connect(end, e);
  if (!e && !client) socket.bind(end, e);
  if (e) {
    return qvid::Error{std::string("no datagrams ") + (client ? "to " : "at ") + address.text() +
                       " (UDP): " + e.message()};
  }
  if (client) {
    sockaddr_storage to{};
    std::memcpy(&to, end.data(), end.size());
    made->peer_ = path_address(to);
    made->connected_ = true;
  }
  made->v6_ = ip.is_v6();
  prepare(socket, made->v6_);
  made->wait();
  return made;
}

qvid::Result<std::unique_ptr<DatagramSocket>> DatagramSocket::open(asio::io_context& io,
                                                                   const Address& address,
                                                                   OnDatagram on_datagram) {
  return make(io, address, false, std::move(on_datagram));
}

qvid::Result<std::unique_ptr<DatagramSocket>> DatagramSocket::connect(asio::io_context& io,
                                                                      const Address& peer,
                                                                      OnDatagram on_datagram) {
  return make(io, peer, true, std::move(on_datagram));
}

void DatagramSocket::stop_reading() {
  alive_.reset();
  error_code ignored;
  socket_.cancel(ignored);
}

bool DatagramSocket::send(const PathAddress& to, std::span<const std::byte> datagram) {
  const int fd = socket_.native_handle();
  sockaddr_storage address{};
  const socklen_t size = connected_ ? 0 : system_address(to, v6_, address);
  const auto* name = connected_ ? nullptr : reinterpret_cast<const sockaddr*>(&address);
  return ::sendto(fd, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL, name, size) >=
         0;
}

void DatagramSocket::wait() {
  socket_.async_wait(udp::socket::wait_read,
                     [this, alive = std::weak_ptr(alive_)](const error_code& error) {
                       if (error || alive.expired()) return;
                       read();
                       if (!alive.expired()) wait();
                     });
}

// What an unreachable port answers (ICMP) is an error of the next call, and means nothing here: who
// waits for datagrams notices that none come.
void DatagramSocket::read() {
  std::array<mmsghdr, kAtOnce> messages{};
  std::array<iovec, kAtOnce> parts{};
  std::array<sockaddr_storage, kAtOnce> from{};
  const std::weak_ptr alive(alive_);
  for (int reads = 0; reads < kReadsATurn; ++reads) {
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      parts[i] = {.iov_base = input_.data() + i * kMostSize, .iov_len = kMostSize};
      messages[i].msg_hdr = {};
      messages[i].msg_hdr.msg_iov = &parts[i];
      messages[i].msg_hdr.msg_iovlen = 1;
      messages[i].msg_hdr.msg_name = &from[i];
      messages[i].msg_hdr.msg_namelen = sizeof from[i];
    }
    const int count =
        ::recvmmsg(socket_.native_handle(), messages.data(), kAtOnce, MSG_DONTWAIT, nullptr);
    if (count < 0 && errno != EAGAIN) continue;
    if (count <= 0) return;
    const bool more = static_cast<std::size_t>(count) == kAtOnce;
    for (int i = 0; i < count; ++i) {
      const auto n = static_cast<std::size_t>(i);
      if ((messages[n].msg_hdr.msg_flags & MSG_TRUNC) != 0) continue;
      on_datagram_(path_address(from[n]),
                   std::span<const std::byte>(input_).subspan(n * kMostSize, messages[n].msg_len));
      if (alive.expired()) return;
    }
    if (!more) return;
  }
}

}  // namespace paceline
