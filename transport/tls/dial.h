// One attempt to connect: name look-up, TCP, the proxy where there is one, and TLS where there is a
// Trust. The addresses of a name race (connection_race.h), all of it included; the first that is
// through wins. A server that is not who it should be ends the race: that is told, not passed over.
//
// Destroying it gives it up and the callback is not called. Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "base/units.h"
#include "transport/proxy/proxy_talk.h"
#include "transport/socket/address.h"
#include "transport/tls/tls.h"

namespace paceline {

struct DialOptions {
  qvid::Duration timeout = std::chrono::seconds(5);  // of all of it
  std::shared_ptr<Trust> trust = {};                 // empty: no TLS
  std::shared_ptr<Proxy> proxy = {};  // empty: directly; else it looks the server's name up
  // "address:port", as Connection::peer has it: where the name still has it, it goes first. Empty:
  // none.
  std::string first = {};
  // The largest segment to be used, both ways (TCP_MAXSEG, which must be set before connecting);
  // zero: the path's.
  int max_segment = 0;
};

class Dial {
 public:
  Dial(boost::asio::io_context& io, const Address& address, const DialOptions& options,
       OnConnection done);
  ~Dial();
  Dial(const Dial&) = delete;
  Dial& operator=(const Dial&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace paceline
