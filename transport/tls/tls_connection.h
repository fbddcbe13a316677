// A Connection over TLS whose handshake is done.
#pragma once

#include <memory>

#include "transport/socket/connection.h"
#include "transport/tls/tls_stream.h"

namespace paceline {

std::unique_ptr<Connection> make_tls_connection(std::unique_ptr<TlsStream> stream);

}  // namespace paceline
