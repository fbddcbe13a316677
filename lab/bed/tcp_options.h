// The plain TCP senders by name: what an application sets on its socket to be one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qvid::lab {

// MIN_BUF(A, B): at most A·cwnd + min(B, cwnd) segments in the socket (001).
struct MinBuf {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
};

struct TcpOptions {
  std::string congestion_control = "cubic";
  std::uint32_t segment = 0;         // TCP_MAXSEG; 0: as the path
  std::uint32_t not_sent_lowat = 0;  // bytes; 0: the kernel's default, none
  std::optional<MinBuf> min_buf{};
};

// Nothing: no sender of that name is plain TCP.
std::optional<TcpOptions> tcp_options_of(std::string_view sender);

// To be set before connecting. Throws std::system_error that names the option.
void apply(const TcpOptions& options, int socket);

// Bytes that MIN_BUF leaves room for now; zero or less: none. Asks the kernel (TCP_INFO, SIOCOUTQ).
std::int64_t room(const MinBuf& min_buf, int socket);

}  // namespace qvid::lab
