// Which proxy stands between a client and its server, and whether one does: --proxy, the
// environment's HTTPS_PROXY, ALL_PROXY and NO_PROXY.
//
// Pure. Passwords are in no text and no error that these give.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/socket/address.h"

namespace paceline {

struct ProxyServer {
  // HTTP's CONNECT (RFC 9110, section 9.3.6), or SOCKS5 (RFC 1928). Either looks names up itself.
  enum class Kind { http, socks5 };

  Kind kind = Kind::http;
  Address address;
  std::string user;  // both empty: none is given. At most 255 bytes each, no control characters
  std::string password;

  bool has_login() const { return !user.empty() || !password.empty(); }
  // "http://host:port": without user and password.
  std::string text() const;
};

// http://[user[:password]@]host[:port], socks5:// or socks5h:// (which is the same); without a
// scheme it is http. %XX in user and password is decoded. Port 80 and 1080 where none is named.
qvid::Result<ProxyServer> parse_proxy(std::string_view text);

// What was said about proxies, and where.
struct ProxySettings {
  std::string option;       // of --proxy: a URL, "direct" for none whatever the environment says,
                            // or empty
  std::string variable;     // the name of the environment's variable that is set; empty: none is
  std::string environment;  // its value
  std::string exceptions;   // of NO_PROXY
};

struct ChosenProxy {
  ProxyServer server;
  std::string from;  // "--proxy" or the name of the variable
};

// The proxy for a connection to `to`; none: directly. The option counts for every address, the
// environment for none of this machine, no link-local one, and none that NO_PROXY names.
qvid::Result<std::optional<ChosenProxy>> choose_proxy(const ProxySettings& settings,
                                                      const Address& to);

// Entries between commas or spaces: `*` (all), a host or a domain with all that is under it
// (example.org, .example.org, *.example.org), an address, or a network (10.0.0.0/8, fd00::/8),
// which means hosts that are written as an address. What is none of these matches nothing.
bool is_exempt(std::string_view exceptions, const Address& to);

}  // namespace paceline
