#include "lab/bed/tcp_options.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace qvid::lab {
namespace {

// A sixtieth of a second at 8 Mbit/s; smaller ones cost throughput on fast paths.
constexpr std::uint32_t kLowat = 16 * 1024;

void set(int socket, int option, const void* value, socklen_t size, const std::string& name) {
  if (setsockopt(socket, IPPROTO_TCP, option, value, size) != 0) {
    throw std::system_error(errno, std::generic_category(), name);
  }
}

}  // namespace

std::optional<TcpOptions> tcp_options_of(std::string_view sender) {
  struct Named {
    std::string_view name;
    TcpOptions options;
  };
  // 001 measured Linux 2.4, whose congestion control was Reno's.
  static const std::array<Named, 7> kNamed = {{
      {"cubic", {}},
      {"reno", {.congestion_control = "reno"}},
      {"bbr", {.congestion_control = "bbr"}},
      {"lowat", {.not_sent_lowat = kLowat}},
      {"m10", {.congestion_control = "reno", .min_buf = MinBuf{1, 0}}},
      {"m13", {.congestion_control = "reno", .min_buf = MinBuf{1, 3}}},
      {"m20", {.congestion_control = "reno", .min_buf = MinBuf{2, 0}}},
  }};
  for (const Named& named : kNamed) {
    if (named.name == sender) return named.options;
  }
  return std::nullopt;
}

void apply(const TcpOptions& options, int socket) {
  set(socket, TCP_CONGESTION, options.congestion_control.data(),
      static_cast<socklen_t>(options.congestion_control.size()),
      "the kernel has no congestion control '" + options.congestion_control + "'");
  const int on = 1;
  set(socket, TCP_NODELAY, &on, sizeof on, "TCP_NODELAY");
  if (options.segment > 0) {
    set(socket, TCP_MAXSEG, &options.segment, sizeof options.segment, "TCP_MAXSEG");
  }
  if (options.not_sent_lowat > 0) {
    set(socket, TCP_NOTSENT_LOWAT, &options.not_sent_lowat, sizeof options.not_sent_lowat,
        "TCP_NOTSENT_LOWAT");
  }
}

std::int64_t room(const MinBuf& min_buf, int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  int queued = 0;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
      ioctl(socket, SIOCOUTQ, &queued) != 0) {
    return 0;
  }
  // With SACK, what has arrived out of order is in the socket and not in the window (001 section
  // 3).
  const std::int64_t segments = std::int64_t{min_buf.a} * info.tcpi_snd_cwnd +
                                std::min(min_buf.b, info.tcpi_snd_cwnd) +
                                std::int64_t{info.tcpi_sacked};
  return segments * info.tcpi_snd_mss - queued;
}

}  // namespace qvid::lab
