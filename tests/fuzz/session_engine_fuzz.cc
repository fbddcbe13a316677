// Two engines, their calls, sockets that come and go between them, their timers and any bytes from
// the peer, as the input says. Every accepted message ends at most once, and exactly once when the
// session has ended; what is said of it is true; and an engine never breaks the protocol towards
// another one, whatever is lost.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tests/fuzz/fuzz_input.h"
#include "transport/session/session_engine.h"
#include "transport/wire/greeter.h"
#include "transport/wire/write_record.h"

namespace {

using namespace paceline;
using qvid::fuzz::Input;
using Bytes = std::vector<std::byte>;

struct Sent {
  ByteCount size;
  std::uint64_t tag = 0;  // travels as its position
};

struct SessionEnd {
  std::unique_ptr<SessionEngine> engine;
  std::map<MessageId, Sent> pending;          // accepted and not ended
  std::map<std::uint64_t, Outcome> outcomes;  // of those that ended, by tag
  std::map<std::uint64_t, int> arrived;       // from the other end, by tag
  std::vector<MessageId> ids;
  bool ended = false;
  CloseReason reason = CloseReason::kLocal;

  void settle_events() {
    std::vector<SessionEvent> events;
    engine->take_events(events);
    for (const SessionEvent& e : events) {
      if (ended) std::abort();  // an event after the last one
      if (const auto* m = std::get_if<MessageArrived>(&e)) ++arrived[m->position.value()];
      if (const auto* m = std::get_if<MessageEnded>(&e)) {
        const auto it = pending.find(m->message);
        if (it == pending.end() || m->size != it->second.size || m->sent > m->size) std::abort();
        outcomes[it->second.tag] = m->outcome;
        pending.erase(it);
      }
      if (const auto* c = std::get_if<SessionClosed>(&e)) {
        ended = true;
        reason = c->reason;
      }
    }
    if (ended != engine->closed() || (ended && !pending.empty())) std::abort();
  }
};

// A connection: what each end calls it, and the bytes on their way.
struct Socket {  // NOLINT(bugprone-reserved-identifier): clang's own names, for the arrays
  std::optional<ChannelId> id[2];  // of the client, of the server
  std::optional<Greeter> greeter = Greeter();
  Bytes wire[2];  // from the client, from the server
};

class SessionWorld {
 public:
  explicit SessionWorld(Input& input) : in_(input) {
    const std::uint8_t flags = in_.u8();
    static constexpr const char* kControllers[] = {"none", "pace", "adapt", "sock"};
    config_.controller.name = kControllers[flags & 3];
    config_.send_capacity = ByteCount(100'000);
    config_.limits = {.max_message = ByteCount(30'000),
                      .max_reassembly = ByteCount((flags & 4) != 0 ? 10'000 : 100'000),
                      .max_streams = 16};
    config_.standby = flags >> 3 & 3;
    config_.separate_directions = (flags & 32) != 0;
    if ((flags & 64) != 0) config_.resume_limit = {};
    ends_[0].engine = std::make_unique<SessionEngine>(config_, now_);
    connect(0);
    if ((flags & 128) == 0) return;
    exchange();  // connected, as most of the time
    settle();
  }

  void run() {
    for (int step = 0; step < 500 && !in_.empty(); ++step) {
      this->step();
      settle();
    }
    for (SessionEnd& e : ends_) {
      if (!e.engine) continue;
      e.engine->close("the end");
      WriteBatch batch;
      e.engine->produce(kFirstChannel, batch, now_, 1 << 16);
      e.settle_events();
    }
    if (honest_) check_books();
  }

 private:
  static constexpr std::size_t kMostSockets = 32;

  void step() {
    const std::uint8_t action = in_.u8();
    const int side = action & 1;
    SessionEnd& end = ends_[side];
    if (!end.engine) return exchange();
    SessionEngine& engine = *end.engine;
    switch (action >> 1 & 31) {
      case 0:
      case 1:
      case 2:
      case 3: send(end); break;
      case 4:
      case 5:
      case 6: produce(any(), side, in_.u16()); break;
      case 7:
      case 8:
      case 9: deliver(any(), side, in_.u16()); break;
      case 10:
      case 11:
      case 12: exchange(); break;
      case 13:
        if (!end.ids.empty()) engine.cancel(end.ids[in_.u8() % end.ids.size()]);
        break;
      case 14:
      case 15: wait(std::chrono::milliseconds(in_.u8())); break;
      case 16: wait(std::chrono::milliseconds(in_.u16() % 20'000)); break;
      case 17: now_ -= std::chrono::milliseconds(in_.u8() % 10); break;
      case 18: engine.close_stream(StreamId(in_.u8() % 8)); break;
      case 19: engine.open_stream(1.0 + in_.u8()); break;
      case 20:
        if (const auto id = any().id[side]) {
          engine.on_socket(*id,
                           {.cwnd = in_.u8(),
                            .sacked = in_.u8(),
                            .mss = ByteCount::of(in_.u16()),
                            .unacked = ByteCount::of(in_.u16()),
                            .unsent = ByteCount::of(in_.u8())},
                           now_);
        }
        break;
      case 21:
      case 22:
      case 23: dial(in_.u8() % 4 == 0); break;
      case 24:
      case 25: lose(any(), side); break;
      case 26: lose(any(), 0), lose(any(), 1); break;
      case 27: {  // garbage
        honest_ = false;
        Socket& s = any();
        const Bytes garbage = in_.bytes(in_.u8());
        s.wire[side].insert(s.wire[side].end(), garbage.begin(), garbage.end());
        break;
      }
      case 28: bind(); break;
      case 29:
        if (in_.u8() == 0) engine.close("fuzz");
        break;
      case 30: engine.lost(ChannelId(in_.u8()), "fuzz", now_); break;
      default: (void)engine.signals(now_); (void)engine.stream_signals();
    }
  }

  Socket& any() { return sockets_[in_.u8() % sockets_.size()]; }

  void send(SessionEnd& end) {
    const StreamId stream(in_.u8() % 8);
    const std::size_t length = in_.u16();
    const std::uint8_t importance = in_.u8();
    // A quarter is urgent, as sound is.
    const bool urgent = importance >= 192;
    const ByteCount size = ByteCount::of(urgent ? length % 1400 : length % 40'000);
    Message m{.importance = Importance(urgent ? std::uint8_t{254} : importance),
              .position = Position(++tags_),
              .payload = {}};
    if (const auto wait = in_.u8(); wait < 128) m.deadline = now_ + std::chrono::milliseconds(wait);
    m.payload = Payload::copy_of(Bytes(size.size()));
    const auto id = end.engine->send(stream, std::move(m), now_);
    if (!id) return;
    if (!end.pending.emplace(*id, Sent{size, tags_}).second) std::abort();
    end.ids.push_back(*id);
  }

  void produce(Socket& s, int side, std::size_t at_most) {
    if (!s.id[side]) return;
    WriteBatch batch;
    ends_[side].engine->produce(*s.id[side], batch, now_, at_most);
    batch.for_each(
        [&](auto run) { s.wire[side].insert(s.wire[side].end(), run.begin(), run.end()); });
  }
  // What `from` wrote so far, or the beginning of it, reaches the other end.
  void deliver(Socket& s, int from, std::size_t at_most) {
    Bytes& wire = s.wire[from];
    const auto end = wire.begin() + static_cast<std::ptrdiff_t>(std::min(at_most, wire.size()));
    const Bytes piece(wire.begin(), end);
    wire.erase(wire.begin(), end);
    const int to = 1 - from;
    if (to == 1 && s.greeter) return greet(s, piece);
    if (s.id[to]) ends_[to].engine->receive(*s.id[to], piece, now_);
  }
  void greet(Socket& s, const Bytes& piece) {
    const auto greeting = s.greeter->feed(piece);
    if (!greeting) return;
    const Bytes rest = s.greeter->take_rest();
    s.greeter.reset();
    auto& server = ends_[1].engine;
    if (const auto* hello = std::get_if<Hello>(&*greeting); hello != nullptr && !server) {
      server = std::make_unique<SessionEngine>(config_, kCredentials, *hello, now_);
      s.id[1] = kFirstChannel;
    } else if (const auto* bind = std::get_if<Bind>(&*greeting); bind != nullptr && server) {
      const auto bound = server->accept_bind(*bind, now_);
      if (bound) {
        s.id[1] = *bound;
      } else {
        write_preamble(s.wire[1]);
        write_record(Close{CloseReason::kRefused, bound.error().message}, s.wire[1]);
      }
    }
    if (s.id[1]) server->receive(*s.id[1], rest, now_);
  }
  // Everything that can be written arrives.
  void exchange() {
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      for (const int side : {0, 1}) {
        produce(sockets_[i], side, 1 << 16);
        deliver(sockets_[i], side, 1 << 20);
      }
    }
  }
  void wait(Duration time) {
    now_ += time;
    for (SessionEnd& e : ends_) {
      if (e.engine && e.engine->next_timer(now_) <= now_) e.engine->on_timer(now_);
    }
  }
  void connect(std::uint32_t segment) {
    sockets_.emplace_back();
    sockets_.back().id[0] = ends_[0].engine->connected(segment, now_);
  }
  void dial(bool fails) {
    if (sockets_.size() >= kMostSockets) return;
    const auto segment = ends_[0].engine->dial(now_);
    if (!segment) return;
    if (fails) return ends_[0].engine->dial_failed(*segment, "fuzz", false, now_);
    connect(*segment);
  }
  void lose(Socket& s, int side) {
    if (!s.id[side]) return;
    ends_[side].engine->lost(*std::exchange(s.id[side], std::nullopt), "fuzz", now_);
  }
  // By somebody else: with proof, a number may be anything; without, it is refused.
  void bind() {
    if (!ends_[1].engine) return;
    Bind bind{
        .session = kCredentials.session, .channel = in_.u8(), .segment = in_.u8(), .proof = {}};
    if (ends_[1].engine->accept_bind(bind, now_)) std::abort();
    if (in_.u8() % 8 != 0) return;
    honest_ = false;
    bind.proof = bind_proof(kCredentials.secret, bind);
    (void)ends_[1].engine->accept_bind(bind, now_);
  }

  void settle() {
    for (const int side : {0, 1}) {
      SessionEnd& e = ends_[side];
      if (!e.engine) continue;
      std::vector<SessionEngine::Ended> ended;
      e.engine->take_ended(ended);
      for (const auto& gone : ended) {
        for (Socket& s : sockets_) {
          if (s.id[side] == gone.channel) s.id[side].reset();
        }
      }
      e.settle_events();
      if (honest_ && e.reason == CloseReason::kProtocolError) std::abort();
      if (e.engine->signals(now_).channels > SessionEngine::kMaxChannels) std::abort();
    }
    std::erase_if(sockets_, [](const Socket& s) {
      return !s.id[0] && !s.id[1] && s.wire[0].empty() && s.wire[1].empty();
    });
    if (sockets_.empty()) sockets_.emplace_back();  // a stranger's
  }
  void check_books() {
    for (const int side : {0, 1}) {
      const auto& arrived = ends_[1 - side].arrived;
      for (const auto& [tag, outcome] : ends_[side].outcomes) {
        const auto it = arrived.find(tag);
        const int times = it == arrived.end() ? 0 : it->second;
        if (times > 1 || (outcome == Outcome::kDelivered && times != 1) ||
            (outcome == Outcome::kCancelled && times != 0)) {
          std::abort();
        }
      }
    }
  }

  static constexpr SessionCredentials kCredentials{};  // the same in every run

  Input& in_;
  Timestamp now_{std::chrono::seconds(1)};
  SessionConfig config_;
  SessionEnd ends_[2];  // the client, the server: once it is greeted
  std::vector<Socket> sockets_;
  std::uint64_t tags_ = 0;
  bool honest_ = true;  // no bytes of our own have been slipped in
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in({data, size});
  SessionWorld(in).run();
  return 0;
}
