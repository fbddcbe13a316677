// Two session engines joined by a link in virtual time: thirty seconds of network in milliseconds.
//
// Each direction is a TCP sender reduced to what the engine can see of one: a send buffer, a fixed
// congestion window, a bottleneck that serialises segments at a rate, a delay, and kernel
// acknowledgements that come back after another delay. No loss: to the engine, loss is delay. A
// stalled receiver leaves the window shut once its buffer is full. Each end does what the shell
// does (session.cc): one write at a time, a sample before it, timers, and the poll while the gate
// is shut.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "transport/session_engine.h"

namespace paceline {

struct LinkConfig {
  qvid::DataRate rate = qvid::DataRate::from_kbps(8000);
  Duration delay = std::chrono::milliseconds(15);  // one way
  std::uint32_t cwnd = 22;                         // segments
  ByteCount mss{1400};
  ByteCount send_buffer{256 * 1024};
  ByteCount receive_buffer{128 * 1024};
};

// One direction of a TCP connection.
class SimulatedTcp {
 public:
  explicit SimulatedTcp(const LinkConfig& config) : config_(config) {}

  std::size_t room() const {
    const std::size_t held = unacked();
    const std::size_t size = config_.send_buffer.size();
    return held < size ? size - held : 0;
  }
  void write(std::span<const std::byte> bytes) {
    unsent_.insert(unsent_.end(), bytes.begin(), bytes.end());
    written_ += bytes.size();
  }
  SocketSample sample() const {
    return {
        .cwnd = config_.cwnd, .sacked = 0, .mss = config_.mss, .unacked = ByteCount::of(unacked())};
  }
  std::size_t unacked() const { return written_ - acked_; }
  std::size_t delivered() const { return delivered_; }
  void set_reading(bool reading) { reading_ = reading; }

  // What has come by `now`, in order; acknowledges it and sends what the window allows.
  void advance(Timestamp now, std::vector<std::byte>& into) {
    while (!flying_.empty() && flying_.front().arrives <= now) {
      received_.insert(received_.end(), flying_.front().bytes.begin(), flying_.front().bytes.end());
      acks_.push_back({flying_.front().arrives + config_.delay, flying_.front().bytes.size()});
      flying_.pop_front();
    }
    while (!acks_.empty() && acks_.front().first <= now) {
      acked_ += acks_.front().second;
      acks_.pop_front();
    }
    if (reading_) {
      into.insert(into.end(), received_.begin(), received_.end());
      delivered_ += received_.size();
      received_.clear();
    }
    while (!unsent_.empty() && sent_ - acked_ < config_.mss.size() * config_.cwnd &&
           sent_ - delivered_ < config_.receive_buffer.size()) {
      const std::size_t size = std::min(unsent_.size(), config_.mss.size());
      const auto end = unsent_.begin() + static_cast<std::ptrdiff_t>(size);
      free_at_ = std::max(free_at_, now) + config_.rate.transfer_time(ByteCount::of(size));
      flying_.push_back({free_at_ + config_.delay, {unsent_.begin(), end}});
      unsent_.erase(unsent_.begin(), end);
      sent_ += size;
    }
  }
  Timestamp next_event() const {
    Timestamp next = qvid::kNever;
    if (!flying_.empty()) next = flying_.front().arrives;
    if (!acks_.empty()) next = std::min(next, acks_.front().first);
    return next;
  }

 private:
  struct Segment {
    Timestamp arrives;
    std::vector<std::byte> bytes;
  };
  LinkConfig config_;
  std::deque<std::byte> unsent_;
  std::deque<Segment> flying_;
  std::deque<std::pair<Timestamp, std::size_t>> acks_;
  std::vector<std::byte> received_;  // not read by the application
  Timestamp free_at_{};              // when the bottleneck has sent all before
  std::size_t written_ = 0;
  std::size_t sent_ = 0;
  std::size_t acked_ = 0;
  std::size_t delivered_ = 0;
  bool reading_ = true;
};

class SimulatedPipe {
 public:
  using Handler = std::function<void(SessionEvent&&)>;

  explicit SimulatedPipe(const LinkConfig& link = {}, const SessionConfig& client_config = {},
                         const SessionConfig& server_config = {})
      : client_(Side::kClient, client_config, link, now_),
        server_(Side::kServer, server_config, link, now_) {}

  SessionEngine& client() { return client_.engine; }
  SessionEngine& server() { return server_.engine; }
  void on_client_event(Handler handler) { client_.handler = std::move(handler); }
  void on_server_event(Handler handler) { server_.handler = std::move(handler); }
  Timestamp now() const { return now_; }

  // The end of that side stops reading its socket, or goes on.
  void stall(Side reader, bool stalled) { to(reader).set_reading(!stalled); }
  // Bytes on their way never arrive; nobody is told.
  void cut_silently() { cut_ = true; }
  // Both ends learn of it.
  void cut() {
    cut_ = true;
    client_.engine.connection_lost("cut");
    server_.engine.connection_lost("cut");
  }
  const SimulatedTcp& from_client() const { return client_.out; }

  void run_for(Duration time) { run_until(now_ + time); }
  void run_until(Timestamp end) {
    for (;;) {
      settle();
      const Timestamp next = next_event();
      if (next > end) break;
      now_ = std::max(now_, next);
    }
    now_ = std::max(now_, end);
    settle();
  }

 private:
  static constexpr Duration kGatePoll = std::chrono::milliseconds(5);  // as in session.cc

  struct End {
    End(Side side, const SessionConfig& config, const LinkConfig& link, Timestamp now)
        : engine(side, config, now), out(link) {}

    SessionEngine engine;
    SimulatedTcp out;
    Handler handler = [](SessionEvent&&) {};
    std::vector<std::byte> pending;  // of the write under way: beyond the send buffer
    std::vector<SessionEvent> events;
    WriteBatch batch;
  };
  SimulatedTcp& to(Side reader) { return reader == Side::kClient ? server_.out : client_.out; }

  // True: something happened, which may cause more at the same instant.
  bool turn(End& end, SimulatedTcp& in) {
    bool busy = false;
    if (!cut_) {
      input_.clear();
      in.advance(now_, input_);
      if (!input_.empty()) {
        end.engine.receive(input_, now_);
        busy = true;
      }
    }
    if (end.engine.next_timer() <= now_) {
      end.engine.on_timer(now_);
      busy = true;
    }
    busy |= write(end);
    end.engine.take_events(end.events);
    for (SessionEvent& event : end.events) end.handler(std::move(event));
    return busy || !end.events.empty();
  }
  bool write(End& end) {
    bool busy = flush(end);
    if (!end.pending.empty()) return busy;
    if (end.engine.needs_socket_samples()) end.engine.on_socket(end.out.sample(), now_);
    end.batch.clear();
    end.engine.produce(end.batch, now_, 64 * 1024);
    end.batch.for_each([&](std::span<const std::byte> run) {
      end.pending.insert(end.pending.end(), run.begin(), run.end());
    });
    return flush(end) || busy;
  }
  bool flush(End& end) {
    const std::size_t size = std::min(end.pending.size(), end.out.room());
    if (size == 0) return false;
    end.out.write(std::span(end.pending).first(size));
    end.pending.erase(end.pending.begin(), end.pending.begin() + static_cast<std::ptrdiff_t>(size));
    return true;
  }
  void settle() {
    for (bool busy = true; busy;) {
      busy = turn(client_, server_.out);
      busy |= turn(server_, client_.out);
    }
  }
  Timestamp next_event() const {
    Timestamp next = std::min(client_.engine.next_timer(), server_.engine.next_timer());
    if (!cut_) next = std::min({next, client_.out.next_event(), server_.out.next_event()});
    for (const End* end : {&client_, &server_}) {
      if (end->pending.empty() && end->engine.gated(now_)) next = std::min(next, now_ + kGatePoll);
    }
    return next;
  }

  Timestamp now_{std::chrono::seconds(1)};
  End client_;
  End server_;
  std::vector<std::byte> input_;
  bool cut_ = false;
};

}  // namespace paceline
