// A Connection over TLS whose handshake is done.
#pragma once

#include <memory>
#include <string>

#include "transport/socket/connection.h"
#include "transport/tls/tls_stream.h"

namespace paceline {

// `peer`: see Connection::peer.
std::unique_ptr<Connection> make_tls_connection(std::unique_ptr<TlsStream> stream,
                                                std::string peer);

}  // namespace paceline
