// One way to a server: TCP to one address, the talk with the proxy where there is one, TLS where
// there is a Trust.
//
// Destroying it gives it up and the callback is not called. Thread: the io_context's; the callback
// comes from the event loop, never from inside a call.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "transport/tls/dial.h"

namespace paceline {

class DialAttempt {
 public:
  // To `end`, which is the server's, or the proxy's where options.proxy is set. It ends by
  // `deadline`. The error has no address in front of its reason where TCP fails.
  DialAttempt(boost::asio::io_context& io, const boost::asio::ip::tcp::endpoint& end,
              const Address& server, const DialOptions& options, qvid::Timestamp deadline,
              OnConnection done);
  ~DialAttempt();
  DialAttempt(const DialAttempt&) = delete;
  DialAttempt& operator=(const DialAttempt&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace paceline
