// A path of datagrams whose peer has the keys and means harm, or whose network does anything: no
// crash, no memory beyond the bounds, no message twice whole under one number that was honest, and
// nothing sent to who has not proved his address but what is due to him.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "tests/fuzz/fuzz_input.h"
#include "transport/datagram/datagram_path.h"

namespace {

using namespace paceline;
using qvid::fuzz::Input;
using Bytes = std::vector<std::byte>;

PathAddress address(std::uint8_t which) { return {.ip = {which}, .port = 7}; }

class DatagramWorld {
 public:
  explicit DatagramWorld(Input& input)
      : in_(input),
        client_(secret_, DatagramDirection::kToServer, {}),
        server_(secret_, DatagramDirection::kToClient, {}),
        seals_(secret_, DatagramDirection::kToServer) {
    const std::uint8_t kind = in_.u8();
    honest_ = (kind & 1) == 0;
    for (DatagramPath* p : {&client_, &server_}) {
      p->use({.parity = (kind & 2) == 0, .short_fragments = (kind & 4) == 0});
    }
    if (honest_) client_.go_to(address(200), now_);
    for (int i = 0; honest_ && i < 8; ++i) exchange();
  }

  void run() {
    for (int step = 0; step < 300 && !in_.empty(); ++step) this->step();
  }

 private:
  void step() {
    switch (in_.u8() % 8) {
      case 0: add(server_); break;
      case 1: honest_ ? add(client_) : hostile(); break;
      case 2: exchange(); break;
      case 3: now_ += std::chrono::milliseconds(in_.u8()); break;
      case 4: now_ += std::chrono::milliseconds(in_.u8() * 50); break;
      case 5: loss_ = in_.u8(); break;
      case 6: from_ = in_.u8() % 4; break;
      default: timers();
    }
    timers();
  }
  void timers() {
    for (DatagramPath* p : {&client_, &server_}) {
      p->on_timer(now_);
      p->outgoing().expire(now_, p->doubt(), [](const auto&, std::size_t, bool) {});
      if (p->take_left()) p->outgoing().clear();
    }
  }
  void add(DatagramPath& path) {
    const std::size_t size = 1 + in_.u8() * 20u;
    path.outgoing().add({.number = next_++,
                         .id = MessageId(next_),
                         .stream = StreamId(in_.u8()),
                         .importance = Importance(in_.u8()),
                         .position = Position(next_),
                         .deadline = now_ + std::chrono::milliseconds(in_.u8() * 10),
                         .bytes = Payload::copy_of(Bytes(size)),
                         .urgent = size % 3 == 0});
    path.protect(static_cast<DatagramPath::Protection>(size % 7 % 3));
  }
  // Frames that the peer makes up, genuinely sealed.
  void hostile() {
    const Bytes frames = in_.bytes(in_.u8() * 4u);
    Bytes datagram;
    seals_.seal(number_, frames, datagram);
    number_ += 1 + in_.u8() % 3;
    deliver(server_, datagram);
  }
  void deliver(DatagramPath& to, const Bytes& datagram) {
    DatagramPath::News news;
    const bool at_server = &to == &server_;
    if (at_server) received_[from_] += datagram.size();
    to.receive(at_server ? address(from_) : address(200), datagram, now_, news);
    if (honest_ && news.wrong != nullptr) std::abort();
    if (news.acked < ByteCount() || to.outgoing().unacked() < ByteCount()) std::abort();
  }
  void exchange() {
    for (DatagramPath* from : {&client_, &server_}) {
      if (from == &client_ && !honest_) continue;
      Bytes datagram;
      for (int i = 0; i < 50; ++i) {
        const auto written = from->produce(datagram, true, now_);
        if (!written) break;
        if (from == &server_) {
          const std::uint8_t to = written->to.ip[0];
          sent_[to] += datagram.size();
          if (from->peer()) proved_.insert(from->peer()->ip[0]);
          if (!proved_.contains(to) && sent_[to] > 2 * received_[to] + 2 * 64) std::abort();
          if (!honest_) continue;
        }
        seen_ = seen_ * 5 + 1;
        if (seen_ % 256 < loss_) continue;
        deliver(from == &client_ ? server_ : client_, datagram);
      }
    }
  }

  Input& in_;
  SessionSecret secret_{};
  Timestamp now_{std::chrono::seconds(1)};
  DatagramPath client_;
  DatagramPath server_;
  DatagramSeal seals_;
  bool honest_ = true;
  std::uint64_t number_ = 0;
  std::uint64_t next_ = 0;
  std::uint8_t from_ = 0;
  std::uint32_t seen_ = 1;
  std::uint8_t loss_ = 0;
  std::map<std::uint8_t, std::size_t> received_, sent_;
  std::set<std::uint8_t> proved_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(std::span(data, size));
  DatagramWorld(input).run();
  return 0;
}
