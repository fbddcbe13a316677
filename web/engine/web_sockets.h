// WebSockets of the browser as connections of a session: a message holds the next bytes of the same
// stream, cut anywhere.
//
// What the browser has taken to send cannot be cancelled any more. So a write is done only once
// nearly all of it has left the browser: what waits, waits in the session, where it can be given up.
//
// Bounds: kMostWaiting bytes wait in the browser to be sent; of what has come and was not read,
// kMostUnread, then the connection is closed: a browser cannot be told to read no further.
// Thread: the io_context's, and that is the only one.
#pragma once

#include <cstddef>
#include <span>

namespace qvid::web {

inline constexpr int kMostWaiting = 16 * 1024;                // bytes
inline constexpr std::size_t kMostUnread = 16 * 1024 * 1024;  // bytes

// What the browser tells of a socket; of one that is not known (any more) it changes nothing.
void on_socket_open(int socket);
void on_socket_message(int socket, std::span<const std::byte> bytes);
void on_socket_closed(int socket);
// Looks which writes are done: the browser tells nobody. Call it every turn.
void look_at_sockets();

}  // namespace qvid::web
