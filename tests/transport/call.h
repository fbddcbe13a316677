// Two ends of a session on a simulated network, connected, with their books.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tests/transport/ledger.h"
#include "tests/transport/simulated_network.h"

namespace paceline {

struct Call {
  struct End {
    Ledger ledger;  // what it sent
    std::vector<PathRate> slowed;
    std::vector<FailedOver> failovers;
    std::vector<SessionInterrupted> interruptions;
    std::vector<SessionResumed> resumptions;
    std::optional<SessionClosed> closed;
    int writable = 0;
    // Of one direction.
    std::vector<FailedOver> failovers_of(bool sending) const {
      std::vector<FailedOver> of;
      for (const FailedOver& f : failovers) {
        if (f.sending == sending) of.push_back(f);
      }
      return of;
    }
  };

  explicit Call(const LinkConfig& link = {}, const SessionConfig& client_config = {},
                const SessionConfig& server_config = {})
      : net(link, client_config, server_config) {
    net.on_client_event([this](SessionEvent&& e) { take(e, client, server); });
    net.on_server_event([this](SessionEvent&& e) { take(e, server, client); });
    // The dial, the greeting, the other sockets, and content on its channels.
    net.run_for(20 * link.delay + std::chrono::milliseconds(100));
  }
  End& end(Side side) { return side == Side::kClient ? client : server; }

  std::optional<MessageId> send(Side from, std::size_t size, int importance = 0,
                                Timestamp deadline = qvid::kNever, StreamId stream = kFirstStream) {
    const auto id =
        net.engine(from).send(stream, message(next_tag, size, importance, deadline), net.now());
    if (!id) return std::nullopt;
    end(from).ledger.sent(*id, next_tag++, size);
    return *id;
  }
  // Thirty messages a second in each direction, for `time`.
  void talk(Duration time, std::size_t size = 2000) {
    for (const Timestamp until = net.now() + time; net.now() < until;) {
      for (const Side from : {Side::kClient, Side::kServer}) {
        if (net.has_server() && !net.engine(from).closed()) send(from, size);
      }
      net.run_for(Duration(std::chrono::seconds(1)) / 30);
    }
  }
  // Everything that was sent arrived, once.
  void expect_all_delivered() {
    for (End* e : {&client, &server}) {
      EXPECT_EQ(e->ledger.count(Outcome::kDelivered), e->ledger.total());
      e->ledger.expect_settled();
    }
  }

  SimulatedNetwork net;
  End client, server;
  std::vector<std::uint64_t> order;  // of arrival
  std::function<void(const MessageArrived&)> on_arrived;
  std::uint64_t next_tag = 1;

 private:
  void take(const SessionEvent& event, End& own, End& other) {
    EXPECT_FALSE(own.closed) << "an event after the last one";
    if (const auto* m = std::get_if<MessageArrived>(&event)) {
      order.push_back(m->position.value());
      other.ledger.arrived(*m);
      if (on_arrived) on_arrived(*m);
    }
    if (const auto* m = std::get_if<MessageEnded>(&event)) own.ledger.ended(*m);
    if (const auto* s = std::get_if<PathRate>(&event)) own.slowed.push_back(*s);
    if (const auto* f = std::get_if<FailedOver>(&event)) own.failovers.push_back(*f);
    if (const auto* i = std::get_if<SessionInterrupted>(&event)) own.interruptions.push_back(*i);
    if (const auto* r = std::get_if<SessionResumed>(&event)) own.resumptions.push_back(*r);
    if (const auto* c = std::get_if<SessionClosed>(&event)) own.closed = *c;
    if (std::holds_alternative<SessionWritable>(event)) ++own.writable;
  }
};

}  // namespace paceline
