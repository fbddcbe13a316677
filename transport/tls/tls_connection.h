// A Connection over TLS whose handshake is done.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "transport/socket/connection.h"
#include "transport/tls/tls_stream.h"

namespace paceline {

// `peer`: see Connection::peer.
std::unique_ptr<Connection> make_tls_connection(std::unique_ptr<TlsStream> stream,
                                                std::string peer);

// Whether its ALPN chose HTTP/1.1; false without TLS.
bool is_https(const Connection& connection);

// Whether ALPN chose that, one of tls_handles.h.
bool has_chosen(const SSL* ssl, std::span<const unsigned char> protocol);

}  // namespace paceline
