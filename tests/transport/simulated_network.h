// A client's engine and a server's, joined by any number of TCP connections in virtual time: an
// hour of network in milliseconds. Each end does what the shell does (session.cc, host.cc): one
// write at a time, a sample before it, timers, dials, and the poll while the gate is shut.
//
// What networks do to sessions is done by calls: stall, outage, cut, dials that fail or take long,
// clocks that jump. Everything that either engine writes is parsed on its way, for tests to see.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

#include "tests/transport/simulated_datagrams.h"
#include "tests/transport/simulated_wire.h"
#include "transport/session/session_engine.h"
#include "transport/wire/write_record.h"

namespace paceline {

class SimulatedNetwork {
 public:
  using Handler = std::function<void(SessionEvent&&)>;
  using Tap = std::function<void(Side from, ChannelId channel, const Record& record)>;

  explicit SimulatedNetwork(const LinkConfig& link = {}, const SessionConfig& client = {},
                            const SessionConfig& server = {})
      : link_(link), server_config_(server), dial_delay(2 * link.delay) {
    client_.engine = std::make_unique<SessionEngine>(client, now_);
    dials_.push_back({.segment = 0, .connects = now_ + dial_delay, .fails = qvid::kNever});
  }

  SessionEngine& client() { return *client_.engine; }
  SessionEngine& server() { return *server_.engine; }
  SessionEngine& engine(Side side) { return side == Side::kClient ? client() : server(); }
  bool has_server() const { return server_.engine != nullptr; }
  void on_client_event(Handler handler) { client_.handler = std::move(handler); }
  void on_server_event(Handler handler) { server_.handler = std::move(handler); }
  void on_record(Tap tap) { tap_ = std::move(tap); }
  Timestamp now() const { return now_; }

  // --- what networks do ---
  LinkConfig& link() { return link_; }
  // Nothing that `from` sends on the channel arrives for that time.
  void stall(ChannelId channel, Side from, Duration time) {
    if (Wire* w = find(channel)) w->out(from).stall(now_ + time);
  }
  void stall(ChannelId channel, Duration time) {
    for (const Side from : {Side::kClient, Side::kServer}) stall(channel, from, time);
  }
  // Nothing arrives at all; dials hang.
  void outage(Duration time) {
    outage_until_ = now_ + time;
    for (auto& w : wires_) {
      w->up.stall(outage_until_);
      w->down.stall(outage_until_);
    }
    for (Dialing& d : dials_) d.connects = std::max(d.connects, outage_until_ + dial_delay);
  }
  // Nothing more arrives on the channel; those of `told` learn of it now, the others never.
  void cut(ChannelId channel, std::initializer_list<Side> told) {
    Wire* w = find(channel);
    if (w == nullptr) return;
    w->up.stall(qvid::kNever);
    w->down.stall(qvid::kNever);
    for (const Side side : told) {
      if (w->has(side)) end(side).engine->lost(channel, "cut", now_);
      w->forget(side);
    }
  }
  void cut_all(std::initializer_list<Side> told) {
    for (const ChannelId c : channels()) cut(c, told);
  }
  // The end of that side reads nothing any more, on old sockets and new ones, or goes on.
  void stop_reading(Side reader, bool stop) {
    end(reader).reads = !stop;
    for (auto& w : wires_) w->out(other_side(reader)).set_reading(!stop);
  }
  // The server's process is another: it knows no session.
  void restart_server() {
    server_.engine.reset();
    for (auto& w : wires_) w->close(Side::kServer, true, now_ + link_.delay);
  }
  void jump(Duration by) { now_ += by; }
  // Bytes that somebody else writes to a new socket of the server. The answer; empty where the
  // server took the socket for the session's.
  std::optional<Close> stranger(std::span<const std::byte> bytes) {
    Greeter greeter;
    const auto greeting = greeter.feed(bytes);
    if (!greeting) return Close{CloseReason::kTimeout, "says too little"};
    if (const auto* failure = std::get_if<RecordParser::Failure>(&*greeting)) {
      return Close{failure->reason, failure->detail};
    }
    const auto* bind = std::get_if<Bind>(&*greeting);
    if (bind == nullptr) return Close{CloseReason::kRefused, "another session"};
    const auto bound = accept(*bind);
    if (!bound) return Close{CloseReason::kRefused, bound.error().message};
    return std::nullopt;
  }

  // --- what tests see ---
  // The channel that takes what `from` sends, by its last activate.
  ChannelId active(Side from) const { return end(from).active; }
  // Channels with a socket at both ends.
  std::vector<ChannelId> channels() const {
    std::vector<ChannelId> all;
    for (const auto& w : wires_) {
      if (w->client && w->server) all.push_back(*w->client);
    }
    return all;
  }
  int dials() const { return dial_count_; }
  // The first bytes of every bind so far.
  const std::vector<std::vector<std::byte>>& binds() const { return binds_; }

  void run_for(Duration time) { run_until(now_ + time); }
  void run_until(Timestamp until) {
    for (;;) {
      settle();
      const Timestamp next = next_event();
      if (next > until) break;
      now_ = std::max(now_, next);
    }
    now_ = std::max(now_, until);
    settle();
  }
  // False: not within `limit`.
  bool run_until(const std::function<bool()>& done, Duration limit) {
    const Timestamp until = now_ + limit;
    for (settle(); !done(); settle()) {
      const Timestamp next = next_event();
      if (next > until) return false;
      now_ = std::max(now_, next);
    }
    return true;
  }

 private:
  static constexpr Duration kGatePoll = std::chrono::milliseconds(5);  // these as in session.cc
  static constexpr Duration kRedialTimeout = std::chrono::seconds(3);
  static constexpr std::size_t kWriteSize = 64 * 1024;

  using Wire = SimulatedWire;

  struct Dialing {
    std::uint32_t segment = 0;
    Timestamp connects;
    Timestamp fails;
  };
  struct End {
    std::unique_ptr<SessionEngine> engine;
    Handler handler = [](SessionEvent&&) {};
    std::vector<SessionEvent> events;
    std::vector<SessionEngine::Ended> ended;
    ChannelId active;
    bool reads = true;
  };
  End& end(Side side) { return side == Side::kClient ? client_ : server_; }
  const End& end(Side side) const { return side == Side::kClient ? client_ : server_; }
  Wire* find(ChannelId channel) {
    const auto it = std::ranges::find_if(wires_, [&](auto& w) { return w->number == channel; });
    return it == wires_.end() ? nullptr : it->get();
  }

  qvid::Result<ChannelId> accept(const Bind& bind) {
    if (!server_.engine) return qvid::Error{"there is no such session (any more)"};
    return server_.engine->accept_bind(bind, now_);
  }
  // As Host does.
  void greet(Wire& w, std::span<const std::byte> bytes) {
    const auto greeting = w.greeting->feed(bytes);
    if (!greeting) return;
    const std::vector<std::byte> rest = w.greeting->take_rest();
    w.greeting.reset();
    if (const auto* hello = std::get_if<Hello>(&*greeting)) {
      server_.engine = std::make_unique<SessionEngine>(server_config_, credentials_, *hello, now_);
      w.server = kFirstChannel;
    } else if (const auto* bind = std::get_if<Bind>(&*greeting)) {
      binds_.emplace_back(bytes.begin(), bytes.end());
      const auto bound = accept(*bind);
      if (!bound) {
        const auto reason = server_.engine ? CloseReason::kRefused : CloseReason::kUnknownSession;
        write_preamble(w.down_pending);
        write_record(Close{reason, bound.error().message}, w.down_pending);
        flush(w, Side::kServer);
        return w.close(Side::kServer, false, now_ + link_.delay);
      }
      w.server = *bound;
    } else {
      throw std::logic_error("an engine greets with garbage");
    }
    server_.engine->receive(*w.server, rest, now_);
  }

  // True: something happened, which may cause more at the same instant.
  bool read(Wire& w, Side side) {
    input_.clear();
    w.out(other_side(side)).advance(now_, input_);
    bool busy = !input_.empty();
    if (busy && side == Side::kServer && w.greeting) {
      greet(w, input_);
    } else if (busy && w.has(side)) {
      end(side).engine->receive(*w.id(side), input_, now_);
    }
    if (!w.has(side) && !w.greeting) return busy;
    const SimulatedTcp& in = w.out(other_side(side));
    if (w.hears(side) <= now_ && !in.stalled(now_) && in.drained()) {
      if (!w.has(side)) return w.greeting.reset(), true;
      const ChannelId channel = *w.id(side);
      w.close(side, true, qvid::kNever);
      end(side).engine->lost(channel, "the other end closed the connection", now_);
      busy = true;
    }
    return busy;
  }
  bool write(Wire& w, Side side) {
    const bool busy = flush(w, side);
    if (!w.has(side) || !w.pending(side).empty()) return busy;
    SessionEngine& engine = *end(side).engine;
    if (engine.needs_socket_sample(*w.id(side))) {
      engine.on_socket(*w.id(side), w.out(side).sample(), now_);
    }
    batch_.clear();
    engine.produce(*w.id(side), batch_, now_, kWriteSize);
    batch_.for_each([&](std::span<const std::byte> run) {
      w.pending(side).insert(w.pending(side).end(), run.begin(), run.end());
    });
    watch(w, side);
    return flush(w, side) || busy;
  }
  bool flush(Wire& w, Side side) {
    std::vector<std::byte>& pending = w.pending(side);
    const std::size_t size = std::min(pending.size(), w.out(side).room());
    if (size == 0) return false;
    w.out(side).write(std::span(pending).first(size));
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(size));
    return true;
  }
  void watch(Wire& w, Side side) {
    w.parse_pending(side, [&](const Record& record) {
      if (std::holds_alternative<Activate>(record)) end(side).active = w.number;
      if (tap_) tap_(side, w.number, record);
    });
  }
  bool close_ended(Side side) {
    End& e = end(side);
    e.engine->take_ended(e.ended);
    for (const SessionEngine::Ended& ended : e.ended) {
      for (auto& w : wires_) {
        if (w->id(side) == ended.channel) w->close(side, ended.abort, now_ + link_.delay);
      }
    }
    return !e.ended.empty();
  }
  bool turn(Side side) {
    End& e = end(side);
    bool busy = false;
    for (std::size_t i = 0; i < wires_.size(); ++i) busy |= read(*wires_[i], side);
    if (!e.engine) return busy;
    busy |= read_datagrams(side);
    if (e.engine->next_timer(now_) <= now_) {
      e.engine->on_timer(now_);
      busy = true;
    }
    busy |= close_ended(side);
    busy |= write_datagrams(side);
    for (auto& w : wires_) busy |= write(*w, side);
    busy |= write_datagrams(side);
    e.engine->take_events(e.events);
    busy |= !e.events.empty();
    for (SessionEvent& event : e.events) e.handler(std::move(event));
    busy |= close_ended(side);
    return busy;
  }
  bool read_datagrams(Side side) {
    bool busy = false;
    while (const auto came = udp.arrive(side, now_)) {
      end(side).engine->receive_datagram(came->source, came->bytes, now_);
      busy = true;
    }
    return busy;
  }
  bool write_datagrams(Side side) {
    SessionEngine& engine = *end(side).engine;
    if (side == Side::kClient && engine.take_wants_port()) {
      udp.rebind();
      udp_begun_ = false;
    }
    if (side == Side::kClient && engine.wants_datagrams() && !std::exchange(udp_begun_, true)) {
      engine.datagrams_to(udp.server_address(), now_);
    }
    bool busy = false;
    while (const auto to = engine.produce_datagram(datagram_, now_)) {
      udp.send(side, *to, datagram_, link_, now_);
      busy = true;
    }
    return busy;
  }
  bool dial() {
    bool busy = false;
    for (std::size_t i = 0; i < dials_.size(); ++i) {
      const Dialing d = dials_[i];
      if (std::min(d.connects, d.fails) > now_) continue;
      dials_.erase(dials_.begin() + static_cast<std::ptrdiff_t>(i--));
      busy = true;
      if (d.connects > now_) {
        client().dial_failed(d.segment, "no way there", false, now_);
        continue;
      }
      wires_.push_back(std::make_unique<Wire>(link_, up_free_, down_free_));
      Wire& w = *wires_.back();
      w.number = client().connected(d.segment, now_);
      w.client = w.number;
      w.greeting.emplace();
      w.up.set_reading(server_.reads);
      w.down.set_reading(client_.reads);
    }
    while (const auto segment = client().dial(now_)) {
      ++dial_count_;
      busy = true;
      const Duration delay = delays.empty() ? dial_delay : delays.front();
      if (!delays.empty()) delays.pop_front();
      Dialing d{.segment = *segment,
                .connects = std::max(now_, outage_until_) + delay,
                .fails = now_ + kRedialTimeout};
      if (failing_dials > 0) {
        --failing_dials;
        d.connects = qvid::kNever;
        d.fails = now_ + delay;
      }
      dials_.push_back(d);
    }
    return busy;
  }
  void settle() {
    int turns = 0;
    for (bool busy = true; busy;) {
      busy = turn(Side::kClient);
      busy |= turn(Side::kServer);
      busy |= dial();
      if (++turns > 2000) throw std::logic_error("an engine wants the same instant for ever");
    }
    std::erase_if(wires_, [](auto& w) { return !w->client && !w->server && !w->greeting; });
  }
  Timestamp next_event() {
    Timestamp next = udp.next_event();
    for (const Dialing& d : dials_) next = std::min({next, d.connects, d.fails});
    for (auto& w : wires_) {
      next = std::min({next, w->up.next_event(), w->down.next_event()});
      for (const Side side : {Side::kClient, Side::kServer}) {
        const Timestamp heard = w->hears_at(side);
        if (heard > now_) next = std::min(next, heard);
      }
    }
    for (End* e : {&client_, &server_}) {
      if (!e->engine) continue;
      next = std::min(next, e->engine->next_timer(now_));
      if (e->engine->gated_by_socket(now_)) next = std::min(next, now_ + kGatePoll);
    }
    return next;
  }

  LinkConfig link_;
  SessionConfig server_config_;
  SessionCredentials credentials_ = make_credentials();
  Timestamp now_{std::chrono::seconds(1)};
  Timestamp up_free_{}, down_free_{};
  Timestamp outage_until_{};
  End client_, server_;
  std::vector<std::unique_ptr<Wire>> wires_;
  std::vector<Dialing> dials_;
  Tap tap_;
  WriteBatch batch_;
  std::vector<std::byte> input_;
  std::vector<std::vector<std::byte>> binds_;
  int dial_count_ = 0;
  bool udp_begun_ = false;
  std::vector<std::byte> datagram_;

 public:
  SimulatedDatagrams udp;
  Duration dial_delay;          // of each dial, but for
  std::deque<Duration> delays;  // the next ones
  int failing_dials = 0;        // the next ones end without a socket
};

}  // namespace paceline
