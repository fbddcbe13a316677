// Two engines, their calls, their timers and any bytes from the peer, as the input says. Every
// accepted message ends at most once, and exactly once when the session has ended.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <vector>

#include "transport/session_engine.h"

namespace {

using namespace paceline;

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  std::uint8_t u8() {
    if (rest_.empty()) return 0;
    const std::uint8_t v = rest_[0];
    rest_ = rest_.subspan(1);
    return v;
  }
  std::size_t u16() { return std::size_t{u8()} << 8 | u8(); }
  std::vector<std::byte> bytes(std::size_t count) {
    const auto taken = std::as_bytes(rest_.first(std::min(count, rest_.size())));
    rest_ = rest_.subspan(taken.size());
    return {taken.begin(), taken.end()};
  }

 private:
  std::span<const std::uint8_t> rest_;
};

struct End {
  End(Side side, const SessionConfig& config, Timestamp now) : engine(side, config, now) {}

  void settle_events() {
    std::vector<SessionEvent> events;
    engine.take_events(events);
    for (const SessionEvent& e : events) {
      if (ended) std::abort();  // an event after the last one
      if (const auto* m = std::get_if<MessageEnded>(&e)) {
        const auto it = pending.find(m->message);
        if (it == pending.end() || m->size != it->second || m->sent > m->size) std::abort();
        pending.erase(it);
      }
      if (const auto* c = std::get_if<SessionClosed>(&e)) {
        ended = true;
        reason = c->reason;
      }
    }
    if (ended != engine.closed() || (ended && !pending.empty())) std::abort();
  }
  void produce(Timestamp now, std::size_t at_most) {
    batch.clear();
    engine.produce(batch, now, at_most);
    batch.for_each([&](auto run) { wire.insert(wire.end(), run.begin(), run.end()); });
  }

  SessionEngine engine;
  std::map<MessageId, ByteCount> pending;  // accepted and not ended
  std::vector<MessageId> ids;
  std::vector<std::byte> wire;  // written, not yet given to the other end
  WriteBatch batch;
  bool ended = false;
  CloseReason reason = CloseReason::kLocal;
};

void send(End& end, Input& in, Timestamp now) {
  const StreamId stream(in.u8() % 8);
  const std::size_t size = in.u16() % 40'000;
  Message m{.importance = Importance(in.u8()), .position = Position(in.u8()), .payload = {}};
  if (const auto wait = in.u8(); wait < 128) m.deadline = now + std::chrono::milliseconds(wait);
  m.payload = Payload::copy_of(std::vector<std::byte>(size));
  const auto id = end.engine.send(stream, std::move(m), now);
  if (!id) return;
  if (!end.pending.emplace(*id, ByteCount::of(size)).second) std::abort();
  end.ids.push_back(*id);
}

// What was written so far, or the beginning of it, reaches the other end.
void deliver(End& from, End& to, std::size_t at_most, Timestamp now) {
  const std::vector<std::byte> piece(
      from.wire.begin(),
      from.wire.begin() + static_cast<std::ptrdiff_t>(std::min(at_most, from.wire.size())));
  from.wire.erase(from.wire.begin(), from.wire.begin() + static_cast<std::ptrdiff_t>(piece.size()));
  to.engine.receive(piece, now);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in({data, size});
  Timestamp now{std::chrono::seconds(1)};
  SessionConfig config;
  const std::uint8_t flags = in.u8();
  config.controller = (flags & 1) != 0 ? "none" : "sock";
  config.send_capacity = ByteCount(100'000);
  config.limits = {.max_message = ByteCount(30'000),
                   .max_reassembly = ByteCount((flags & 2) != 0 ? 10'000 : 100'000),
                   .max_streams = 16};
  End ends[] = {End(Side::kClient, config, now), End(Side::kServer, config, now)};
  bool honest = true;  // no bytes of our own have been slipped in
  if ((flags & 4) != 0) {
    for (int i = 0; i < 2; ++i) {
      ends[i].produce(now, 1 << 16);
      deliver(ends[i], ends[1 - i], 1 << 16, now);
    }
  }
  for (int step = 0; step < 500 && !in.empty(); ++step) {
    const std::uint8_t action = in.u8();
    End& end = ends[action & 1];
    End& other = ends[1 - (action & 1)];
    switch (action >> 1 & 15) {
      case 0:
      case 1:
      case 2: send(end, in, now); break;
      case 3:
      case 4: end.produce(now, in.u16()); break;
      case 5:
      case 6: deliver(other, end, in.u16(), now); break;
      case 7:
        if (!end.ids.empty()) end.engine.cancel(end.ids[in.u8() % end.ids.size()]);
        break;
      case 8:
        now += std::chrono::milliseconds(in.u16() % 5000);
        end.engine.on_timer(now);
        break;
      case 9: end.engine.close_stream(StreamId(in.u8() % 8)); break;
      case 10: end.engine.open_stream(1.0 + in.u8()); break;
      case 11:
        end.engine.on_socket({.cwnd = in.u8(),
                              .sacked = in.u8(),
                              .mss = ByteCount::of(in.u16()),
                              .unacked = ByteCount::of(in.u16())},
                             now);
        break;
      case 12:
        honest = false;
        end.engine.receive(in.bytes(in.u8()), now);
        break;
      case 13:
        if (in.u8() == 0) end.engine.close("fuzz");
        break;
      case 14:
        if (in.u8() == 0) end.engine.connection_lost("fuzz");
        break;
      default: (void)end.engine.signals(now); break;
    }
    for (End& e : ends) {
      e.settle_events();
      // An end never breaks the protocol towards another one of its kind.
      if (honest && e.reason == CloseReason::kProtocolError) std::abort();
    }
  }
  for (End& e : ends) {
    e.engine.close("the end");
    e.produce(now, 1 << 16);
    e.settle_events();
  }
  return 0;
}
