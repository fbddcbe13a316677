// A call whose content goes by datagrams, in virtual time.
#pragma once

#include <gtest/gtest.h>

#include "tests/transport/call.h"

namespace paceline {

inline SessionConfig with(Datagrams datagrams) {
  SessionConfig config;
  config.datagrams = datagrams;
  return config;
}

struct ByDatagrams {
  explicit ByDatagrams(Datagrams client = Datagrams::kAuto, Datagrams server = Datagrams::kAuto,
                       const LinkConfig& link = {.delay = std::chrono::milliseconds(30)})
      : call(link, with(client), with(server)) {}
  // Thirty messages a second from the server, each good for `good`.
  void show(Duration time, std::size_t size = 6000, Duration good = std::chrono::seconds(2),
            int importance = 100) {
    for (const Timestamp until = call.net.now() + time; call.net.now() < until;) {
      call.send(Side::kServer, size, importance, call.net.now() + good);
      call.net.run_for(Duration(std::chrono::seconds(1)) / 30);
    }
  }
  SessionSignals signals(Side side) { return call.net.engine(side).signals(call.net.now()); }
  int delivered() { return call.server.ledger.count(Outcome::kDelivered); }
  void expect_settled() {
    call.net.run_for(std::chrono::seconds(5));
    call.server.ledger.expect_settled();
    call.client.ledger.expect_settled();
    EXPECT_FALSE(call.client.closed) << call.client.closed->detail;
    EXPECT_FALSE(call.server.closed) << call.server.closed->detail;
  }

  Call call;
};

}  // namespace paceline
