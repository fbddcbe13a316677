// Reads who a connection comes from off its front (proxy_header.h); what is behind stays in the
// socket.
//
// Destroying it gives it up, and the callback is not called. Thread: the io_context's; the callback
// comes from the event loop, never from inside a call.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/units.h"
#include "transport/socket/address.h"
#include "transport/socket/connection.h"

namespace paceline {

class ProxyHeaderReader {
 public:
  // No socket: it said something else, ended, or took too long. No client: the proxy speaks for
  // itself.
  using OnClient =
      std::function<void(std::optional<TcpSocket> socket, const std::optional<Address>& client)>;

  ProxyHeaderReader(TcpSocket socket, qvid::Duration timeout);
  ~ProxyHeaderReader();
  ProxyHeaderReader(const ProxyHeaderReader&) = delete;
  ProxyHeaderReader& operator=(const ProxyHeaderReader&) = delete;

  // Once.
  void start(OnClient done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace paceline
