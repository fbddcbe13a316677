#include "transport/socket_info.h"

#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#if defined(__linux__)
#include <linux/sockios.h>
#include <linux/tcp.h>  // has more of tcp_info than netinet's
#else
#include <netinet/tcp.h>
#endif

#include <array>
#include <cstddef>
#include <string_view>

namespace paceline {
namespace {

#if defined(__linux__)
// TCP_RTO_MIN_US, of Linux 6.15 and later; older systems' headers do not have it, older kernels
// refuse it.
constexpr int kTcpRtoMinUs = 45;
// A window of few segments falls into time-outs, and the usual minimum of 200 ms is what makes the
// tail of the delay then.
constexpr int kShortestTimeout = 50'000;  // us
#endif
#if defined(SO_MAX_PACING_RATE)
// Any limit makes the kernel pace the socket's segments, with every congestion control, instead of
// sending a window as one train. This one limits nothing else: bytes a second.
constexpr std::uint32_t kPacingRate = 4'000'000'000;
#endif

}  // namespace

std::optional<SocketSample> sample_socket([[maybe_unused]] int fd) {
#if defined(__linux__)
  tcp_info info{};  // of an older kernel less of it is set
  socklen_t size = sizeof info;
  int unacked = 0;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  if (ioctl(fd, SIOCOUTQ, &unacked) != 0) return std::nullopt;
  // Since Linux 4.6; before, a call of its own.
  int unsent = 0;
  if (size >= offsetof(tcp_info, tcpi_notsent_bytes) + sizeof info.tcpi_notsent_bytes) {
    unsent = static_cast<int>(info.tcpi_notsent_bytes);
  } else if (ioctl(fd, SIOCOUTQNSD, &unsent) != 0) {
    unsent = 0;
  }
  return SocketSample{.cwnd = info.tcpi_snd_cwnd,
                      .sacked = info.tcpi_sacked,
                      .mss = ByteCount(info.tcpi_snd_mss),
                      .unacked = ByteCount(unacked),
                      .unsent = ByteCount(unsent)};
#else
  return std::nullopt;
#endif
}

std::string prepare_socket(int fd, [[maybe_unused]] bool paced) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#if defined(__linux__)
  setsockopt(fd, IPPROTO_TCP, kTcpRtoMinUs, &kShortestTimeout, sizeof kShortestTimeout);
#endif
#if defined(SO_MAX_PACING_RATE)
  if (paced) setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &kPacingRate, sizeof kPacingRate);
#endif
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
