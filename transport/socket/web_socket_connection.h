// A Connection whose bytes go as the binary messages of a WebSocket over another Connection, plain or
// TLS, at whose server's end this is. What is written is one message each time, from where it lies.
//
// It answers pings, and a close; what breaks the rules ends the reading by the error
// protocol_error; a close frame says why, where it goes out before the owner closes. After
// shut_down what comes behind that end is read, for nobody, to the end of the socket. Bounds: nothing that was read is
// kept; of pings the latest waits, while a write is under way; a write waits for a pong that is.
// What the kernel counts of the socket has the frames' headers in it, as it has TLS's records.
#pragma once

#include <memory>

#include "transport/socket/connection.h"

namespace paceline {

// `io`: that of `below`, which has been upgraded (web_socket_upgrade.h) and of which nothing is
// under way.
std::unique_ptr<Connection> make_web_socket_connection(std::unique_ptr<Connection> below,
                                                       boost::asio::io_context& io);

}  // namespace paceline
