// Looks whether a server's certificate has been replaced: every kEvery, and on SIGHUP.
//
// Thread: the io_context's, which it keeps at work until stop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "app/options/renewed_identity.h"
#include "transport/socket/timer.h"

namespace qvid::app {

class IdentityWatch {
 public:
  static constexpr Duration kEvery = std::chrono::seconds(60);

  IdentityWatch(boost::asio::io_context& io, RenewedIdentity identity, RenewedIdentity::Set set);
  void stop();

 private:
  void look_later();
  void await_signal();

  RenewedIdentity identity_;
  const RenewedIdentity::Set set_;
  boost::asio::signal_set signal_;
  paceline::Timer timer_;
};

}  // namespace qvid::app
