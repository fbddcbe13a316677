// A call without a broker: the one who waits for the others runs a broker of one room, for itself
// and for them, and joins it as they do.
//
//   Ann: qvid call --host      BrokerServer <--- loopback --- RoomParty
//                                    ^
//   Bob: qvid call qvid://ann        +--- one session ------- RoomParty
//
// Who reaches the address and is admitted may join, up to as many as were said; there is no other
// room. Thread: the io_context's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "app/options/admission.h"
#include "app/options/transport_options.h"
#include "pubsub/server/broker_server.h"
#include "transport/socket/timer.h"

namespace qvid::app {

// Of the command line.
struct HostArguments {
  std::string listen{};  // empty: the usual port of all interfaces
  bool open = false;     // everybody may come
  std::size_t max_parties = 2;
  ServerSecurityArguments security{};
};

struct HostedCallOptions {
  paceline::Address listen;
  std::shared_ptr<paceline::Identity> identity;  // empty: no TLS
  paceline::SessionConfig session;
  std::string passphrase;       // what the others say to come in; empty: nothing
  std::size_t max_parties = 2;  // itself among them
};

// A call that others can reach has a passphrase, the one given or a new one, unless it is said that
// everybody is meant. The error says what is wrong with the command line.
Result<HostedCallOptions> hosted_call_options(const HostArguments& arguments,
                                              const TransportArguments& transport,
                                              const ClientArguments& client,
                                              std::string passphrase);

class HostedCall {
 public:
  // Listens at once. The error says what is wrong with the address, as that it is in use.
  static Result<std::unique_ptr<HostedCall>> open(boost::asio::io_context& io,
                                                  HostedCallOptions options);
  HostedCall(const HostedCall&) = delete;
  HostedCall& operator=(const HostedCall&) = delete;

  // What the others type.
  const Url& url() const { return url_; }
  // And says; empty: nothing.
  const std::string& passphrase() const { return options_.passphrase; }
  // Where the host itself goes.
  Result<Destination> own(const TransportArguments& transport, const ClientArguments& client) const;
  // Logs where it waits, and who may come. `shows_code`: its link for browsers as a QR code, too.
  void announce(bool shows_code) const;
  // The others are told that it is over; then it ends, within a second.
  void close(const std::string& reason);

 private:
  HostedCall(boost::asio::io_context& io, HostedCallOptions options,
             std::unique_ptr<qps::BrokerServer> server);
  void stop_when_told(int turns);

  const HostedCallOptions options_;
  paceline::Timer timer_;
  std::unique_ptr<qps::BrokerServer> server_;
  Url url_;
};

}  // namespace qvid::app
