// A host and a client on real loopback sockets with one event loop: every wait is bounded, and
// nothing is left over at the end.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/transport/event_loop.h"
#include "tests/transport/relay.h"
#include "transport/session/host.h"

namespace paceline {

struct RealSession : testing::Test, EventLoop {
  using tcp = boost::asio::ip::tcp;

  struct End {
    std::shared_ptr<Session> session;
    std::vector<MessageArrived> arrived;
    std::vector<MessageEnded> ended;
    std::vector<FailedOver> failovers;
    int interrupted = 0;
    int resumed = 0;
    bool established = false;
    std::optional<SessionClosed> closed;
    std::function<void(const SessionEvent&)> also;

    Session::Handler handler() {
      return [this](SessionEvent&& e) {
        EXPECT_FALSE(closed) << "an event after the last one";
        established |= std::holds_alternative<SessionEstablished>(e);
        interrupted += std::holds_alternative<SessionInterrupted>(e);
        resumed += std::holds_alternative<SessionResumed>(e);
        if (auto* m = std::get_if<MessageArrived>(&e)) arrived.push_back(*m);
        if (auto* m = std::get_if<MessageEnded>(&e)) ended.push_back(*m);
        if (auto* f = std::get_if<FailedOver>(&e)) failovers.push_back(*f);
        if (auto* c = std::get_if<SessionClosed>(&e)) closed = *c;
        if (also) also(e);
      };
    }
  };

  static Message text(std::size_t size, char fill = 'x') {
    return {.importance = {}, .position = {}, .payload = Payload::copy_of(std::string(size, fill))};
  }

  void listen() {
    HostOptions with = options;
    with.listen = {.host = "127.0.0.1", .port = 0};
    with.session = config;
    auto opened = Host::open(
        io, with,
        [this](const std::shared_ptr<Session>& session) {
          accepting->session = session;
          return accepting->handler();
        },
        [](const std::string& trouble) { ADD_FAILURE() << trouble; });
    ASSERT_TRUE(opened) << opened.error().message;
    host = std::move(*opened);
    ASSERT_NE(host->address().port, 0);
  }
  void dial(const Address& address, std::shared_ptr<Trust> trust = nullptr) {
    client.session = Session::connect(io, {.address = address, .trust = std::move(trust)}, config,
                                      client.handler());
  }
  // With all the sockets it wants.
  void connect(bool by_relay = false) {
    listen();
    if (by_relay) relay.emplace(io, host->address());
    dial(by_relay ? relay->address() : host->address());
    ASSERT_TRUE(run_until([&] { return client.established && server.established && settled(); }));
  }
  bool settled() const {
    const std::size_t wanted = config.standby + (config.separate_directions ? 2 : 1);
    return server.session && server.session->signals().channels == wanted &&
           client.session->signals().channels == wanted;
  }
  // A plain socket that plays a client.
  tcp::socket connect_raw() {
    tcp::socket raw(io);
    raw.connect({boost::asio::ip::make_address("127.0.0.1"), host->address().port});
    return raw;
  }
  void TearDown() override {
    for (End* end : {&client, &server}) {
      end->also = nullptr;
      if (end->session) end->session->close();
      end->session.reset();
    }
    EXPECT_TRUE(run_until([] { return Session::alive() == 0; })) << Session::alive() << " left";
    relay.reset();
    host.reset();
  }

  SessionConfig config;
  HostOptions options;
  End client, server;
  End* accepting = &server;  // the next session of the host
  std::unique_ptr<Host> host;
  std::optional<Relay> relay;
};

}  // namespace paceline
