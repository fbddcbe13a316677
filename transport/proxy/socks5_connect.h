// SOCKS5 (RFC 1928), with user and password (RFC 1929) where there are any. A name is sent as it
// is, and looked up by the proxy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "transport/proxy/proxy_talk.h"

namespace paceline {

class Socks5Connect final : public ProxyTalk {
 public:
  Socks5Connect(const ProxyServer& proxy, const Address& to);

 private:
  // What the proxy says next, and how many bytes of it are needed to go on.
  enum class Next { method, login, reply, bound };

  void read(std::string_view& bytes) override;
  void expect(Next next, std::size_t size);
  void on_method(std::uint8_t method);
  void on_reply(std::uint8_t reply);
  void send_login();
  void send_request();

  const ProxyServer& server_;
  const Address address_;
  Next next_ = Next::method;
  std::size_t wanted_ = 2;
  std::string got_;
};

}  // namespace paceline
