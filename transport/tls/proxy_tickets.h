// The thread on which tickets for proxies are made (transport/proxy/proxy_ticket.h), as that may take
// as long as a realm's key server does not answer. One an io_context, from the first ticket on, as
// Asio's own for names; joined with it.
//
// Bound: kMostWaiting. Thread: the io_context's.
#pragma once

#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <string>

#include "base/result.h"

namespace paceline {

class ProxyTickets : public boost::asio::execution_context::service {
 public:
  using key_type = ProxyTickets;
  static inline boost::asio::execution_context::id id;
  static constexpr int kMostWaiting = 16;

  explicit ProxyTickets(boost::asio::execution_context& of)
      : boost::asio::execution_context::service(of) {}
  static ProxyTickets& of(boost::asio::io_context& io);

  // `done`: on the io_context, in a later turn.
  using Done = std::function<void(const qvid::Result<std::string>&)>;
  void make(boost::asio::io_context& io, const std::string& host, Done done);

 private:
  void shutdown() override;

  boost::asio::thread_pool thread_{1};
  int waiting_ = 0;
};

}  // namespace paceline
