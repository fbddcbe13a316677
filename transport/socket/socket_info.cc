#include "transport/socket/socket_info.h"

#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#if defined(__linux__)
#include <linux/sockios.h>
#include <linux/tcp.h>  // has more of tcp_info than netinet's
#else
#include <netinet/tcp.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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

#if defined(__linux__)
constexpr std::uint32_t kInfinite = 0x7fffffff;  // TCP_INFINITE_SSTHRESH

template <class T>
bool told(const T& field, const tcp_info& info, socklen_t size) {
  const auto* end = reinterpret_cast<const std::byte*>(&field + 1);
  return end <= reinterpret_cast<const std::byte*>(&info) + size;
}
#endif

}  // namespace

// One system call: it is made before every write.
std::optional<SocketSample> sample_socket([[maybe_unused]] int fd) {
#if defined(__linux__)
  tcp_info info{};  // of an older kernel less of it is set
  socklen_t size = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  std::int64_t unsent = 0;
  std::int64_t unacked = 0;
  if (told(info.tcpi_bytes_retrans, info, size)) {  // since Linux 4.19
    unsent = info.tcpi_notsent_bytes;
    // What was acknowledged counts the greeting's byte, too.
    const auto sent = static_cast<std::int64_t>(info.tcpi_bytes_sent - info.tcpi_bytes_retrans);
    const auto acked = static_cast<std::int64_t>(info.tcpi_bytes_acked);
    unacked = unsent + std::max<std::int64_t>(0, sent - acked);
  } else {
    int bytes = 0;
    if (ioctl(fd, SIOCOUTQ, &bytes) != 0) return std::nullopt;
    unacked = bytes;
    if (ioctl(fd, SIOCOUTQNSD, &bytes) == 0) unsent = bytes;
  }
  return SocketSample{.cwnd = info.tcpi_snd_cwnd,
                      .sacked = info.tcpi_sacked,
                      .mss = ByteCount(info.tcpi_snd_mss),
                      .unacked = ByteCount(unacked),
                      .unsent = ByteCount(unsent),
                      .slow_start_over = info.tcpi_snd_ssthresh < kInfinite,
                      .repairs = info.tcpi_ca_state != TCP_CA_Open};
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
  return choose_congestion_control(fd, false);
}

std::string choose_congestion_control([[maybe_unused]] int fd, [[maybe_unused]] bool no_hystart) {
#if defined(TCP_CONGESTION)
  constexpr std::array<std::string_view, 2> kNames = {"cubic", "reno"};
  for (const std::size_t i : {std::size_t{no_hystart}, std::size_t{!no_hystart}}) {
    const std::string_view name = kNames[i];
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
