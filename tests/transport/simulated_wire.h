// A connection of a simulated network: both directions, and what each end has of it. An end knows
// it as a channel while it has the socket.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "tests/transport/simulated_tcp.h"
#include "transport/send/channel.h"
#include "transport/session/session_config.h"
#include "transport/wire/greeter.h"
#include "transport/wire/record_parser.h"

namespace paceline {

inline Side other_side(Side side) { return side == Side::kClient ? Side::kServer : Side::kClient; }

struct SimulatedWire {
  SimulatedWire(const LinkConfig& link, Timestamp& up_free, Timestamp& down_free)
      : up(link, up_free), down(link, down_free) {}

  SimulatedTcp& out(Side from) { return from == Side::kClient ? up : down; }
  std::vector<std::byte>& pending(Side from) {
    return from == Side::kClient ? up_pending : down_pending;
  }
  std::optional<ChannelId>& id(Side side) { return side == Side::kClient ? client : server; }
  bool has(Side side) { return id(side).has_value(); }
  void forget(Side side) {
    if (side == Side::kServer) greeting.reset();
    id(side).reset();
  }

  // That side closes its socket; the other one hears of it behind what is on its way.
  void close(Side side, bool abort, Timestamp heard) {
    forget(side);
    if (abort) {
      out(side).drop_unsent();
      pending(side).clear();
    }
    hears(other_side(side)) = heard;
  }
  Timestamp& hears(Side side) { return side == Side::kClient ? client_hears : server_hears; }
  // When it does, if nothing is on its way.
  Timestamp hears_at(Side side) {
    const Timestamp at = hears(side);
    if (at == qvid::kNever || !(has(side) || greeting)) return qvid::kNever;
    return std::max(at, out(other_side(side)).stalled_until());
  }

  // Calls f(record) for each record that the write under way completes.
  template <class F>
  void parse_pending(Side side, F&& f) {
    RecordParser& tap = side == Side::kClient ? up_tap : down_tap;
    tap.feed(pending(side));
    for (;;) {
      const auto step = tap.next();
      if (std::holds_alternative<RecordParser::NeedMore>(step)) return;
      if (std::holds_alternative<RecordParser::Failure>(step)) {
        throw std::logic_error("an engine writes what no parser takes");
      }
      f(std::get<Record>(step));
    }
  }

  SimulatedTcp up, down;
  std::vector<std::byte> up_pending, down_pending;  // of the write under way
  std::optional<ChannelId> client, server;
  std::optional<Greeter> greeting;  // the server has not been greeted on it
  Timestamp client_hears = qvid::kNever, server_hears = qvid::kNever;  // that the other closed
  RecordParser up_tap, down_tap;
  ChannelId number;
};

}  // namespace paceline
