// Who a connection comes from, as a proxy before a server says it in front of all else: the PROXY
// protocol, versions 1 (text, as nginx sends it) and 2 (binary, as HAProxy does); haproxy.org's
// proxy-protocol.txt.
//
//   2:  0d 0a 0d 0a 00 0d 0a 51 55 49 54 0a | 2 command | family, protocol | length (2) | addresses
//   1:  PROXY TCP4 192.0.2.1 192.0.2.2 56324 443 CR LF
//
// To be believed of trusted proxies only. Pure. Bounded by kMost. Thread: one at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "transport/socket/address.h"

namespace paceline {

class ProxyHeader {
 public:
  enum class State { reading, done, failed };
  static constexpr std::size_t kMost = 2048;  // bytes

  // How many of the bytes are the header's: all while it is read; those behind it are the client's.
  std::size_t receive(std::string_view bytes);
  State state() const { return state_; }
  // Empty: the proxy speaks for itself (a look whether the server lives), or does not know.
  const std::optional<Address>& client() const { return client_; }

 private:
  void on_more();
  void on_line();
  void on_binary();
  std::size_t wanted_ = 1;  // bytes until on_more
  std::string got_;
  State state_ = State::reading;
  std::optional<Address> client_;
};

}  // namespace paceline
