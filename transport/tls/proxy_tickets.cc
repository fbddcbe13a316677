#include "transport/tls/proxy_tickets.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "transport/proxy/proxy_ticket.h"

namespace paceline {

namespace asio = boost::asio;

ProxyTickets& ProxyTickets::of(asio::io_context& io) { return asio::use_service<ProxyTickets>(io); }

void ProxyTickets::make(asio::io_context& io, const std::string& host, Done done) {
  if (waiting_ == kMostWaiting) {
    asio::post(io, [done = std::move(done)] {
      done(qvid::Error{"others wait for theirs: the realm's key server may be out of reach"});
    });
    return;
  }
  ++waiting_;
  asio::post(thread_, [this, &io, host, done = std::move(done)]() mutable {
    asio::post(io, [this, ticket = make_ticket(host), done = std::move(done)] {
      --waiting_;
      done(ticket);
    });
  });
}

void ProxyTickets::shutdown() {
  thread_.stop();
  thread_.join();
}

}  // namespace paceline
