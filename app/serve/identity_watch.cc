#include "app/serve/identity_watch.h"

#include <csignal>
#include <utility>

namespace qvid::app {

IdentityWatch::IdentityWatch(boost::asio::io_context& io, RenewedIdentity identity,
                             RenewedIdentity::Set set)
    : identity_(std::move(identity)), set_(std::move(set)), signal_(io, SIGHUP), timer_(io) {
  look_later();
  await_signal();
}

void IdentityWatch::look_later() {
  timer_.after(kEvery, [this] {
    identity_.look(set_);
    look_later();
  });
}

void IdentityWatch::await_signal() {
  signal_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    identity_.look(set_);
    await_signal();
  });
}

void IdentityWatch::stop() {
  timer_.cancel();
  signal_.cancel();
}

}  // namespace qvid::app
