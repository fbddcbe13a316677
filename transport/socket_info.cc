#include "transport/socket_info.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#if defined(__linux__)
#include <linux/sockios.h>
#endif

#include <array>
#include <string_view>

namespace paceline {

std::optional<SocketSample> sample_socket([[maybe_unused]] int fd) {
#if defined(__linux__)
  tcp_info info{};
  socklen_t size = sizeof info;
  int unacked = 0;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  if (ioctl(fd, SIOCOUTQ, &unacked) != 0) return std::nullopt;
  return SocketSample{.cwnd = info.tcpi_snd_cwnd,
                      .sacked = info.tcpi_sacked,
                      .mss = ByteCount(info.tcpi_snd_mss),
                      .unacked = ByteCount(unacked)};
#else
  return std::nullopt;
#endif
}

std::string prepare_socket(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#if defined(TCP_CONGESTION)
  for (const std::string_view name : {"cubic", "reno"}) {
    if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(),
                   static_cast<socklen_t>(name.size())) == 0) {
      return std::string(name);
    }
  }
  std::array<char, 16> name{};
  socklen_t size = name.size();
  if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), &size) == 0) return name.data();
#endif
  return {};
}

}  // namespace paceline
