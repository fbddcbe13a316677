// A visitor by HTTP who wants a WebSocket (RFC 6455, section 4): a browser, which has no other way to
// a byte stream.
//
//   GET /paceline HTTP/1.1            Host, Upgrade: websocket, Connection: Upgrade,
//                                     Sec-WebSocket-Version: 13, Sec-WebSocket-Key,
//                                     Sec-WebSocket-Protocol: paceline.2
//   HTTP/1.1 101 Switching Protocols  and from there on frames (web_socket_frames.h)
//
// A page of another origin is refused: its Origin must be the Host it asks for. Over TLS it is a page of
// https. Without TLS it is one of http at an address or localhost, since a name can be made to lead here by
// who owns it, and then the page of that name is of the same origin; or one of https at a name, of a proxy
// that has the certificate. Who sends no Origin is no browser.
//
// Pure. Thread: any.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "transport/socket/http_visit.h"

namespace paceline {

inline constexpr std::string_view kWebSocketPath = "/paceline";
// "paceline/2" of ALPN; a '/' is no character of a token.
inline constexpr std::string_view kWebSocketProtocol = "paceline.2";

// Whether one that has asked wants a WebSocket, in whichever form.
bool asks_for_web_socket(const HttpVisit& visit);

// The head that agrees, or why not. `secure`: it came over TLS.
std::variant<std::string, HttpPage> answer_upgrade(const HttpVisit& visit, bool secure);

// Whether a page of `origin` may come to `host`, both as in their headers.
bool is_same_origin(std::string_view origin, std::string_view host, bool secure);

}  // namespace paceline
