// The way of datagrams between two ends in virtual time: a bottleneck with a short queue, chance
// losses, reordering, copies, a firewall that eats all, and a NAT that forgets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "tests/transport/simulated_tcp.h"
#include "transport/session/session_config.h"
#include "transport/wire/path_address.h"

namespace paceline {

class SimulatedDatagrams {
 public:
  explicit SimulatedDatagrams(unsigned seed = 1) : random_(seed) {}

  // --- what networks do ---
  double loss = 0;                   // of each, either way
  double copies = 0;                 // that come twice
  Duration jitter{};                 // later by up to this, so that they overtake each other
  bool blocked = false;              // nothing passes
  std::optional<Side> blocked_from;  // nothing that it sends
  Timestamp held_until{};  // nothing that the server sends arrives sooner: it waits in a queue
  std::size_t largest = 1472;
  // Of what goes to the client: at this rate, with a queue of 100 ms; zero: the link's.
  qvid::DataRate limit;
  // Of the same, what is beyond this rate and two datagrams at once is dropped; zero: nothing.
  qvid::DataRate policed;
  void rebind() { ++client_.port; }  // the client's address is another from now on

  PathAddress server_address() const { return server_; }
  PathAddress client_address() const { return client_; }

  void send(Side from, const PathAddress& to, const std::vector<std::byte>& datagram,
            const LinkConfig& link, Timestamp now) {
    ++sent;
    if (from == Side::kServer) ++sent_by_server;
    const PathAddress source = from == Side::kClient ? client_ : server_;
    const bool known = to == (from == Side::kClient ? server_ : client_);
    if (blocked || blocked_from == from || !known || datagram.size() > largest || chance(loss))
      return;
    if (from == Side::kServer && police(datagram.size(), now)) return;
    Timestamp& free = from == Side::kClient ? up_free_ : down_free_;
    const bool limited = from == Side::kServer && limit > qvid::DataRate();
    const qvid::DataRate rate = limited ? limit : link.rate;
    if (free > now + kQueue) return;
    free = std::max(free, now) + rate.transfer_time(ByteCount::of(datagram.size() + kIpUdp));
    for (int i = chance(copies) ? 2 : 1; i > 0; --i) {
      const Duration late =
          jitter > Duration()
              ? Duration(static_cast<Duration::rep>(random_() % 1000)) * (jitter.count() / 1000)
              : Duration();
      const Timestamp leaves = from == Side::kServer ? std::max(free, held_until) : free;
      way_.emplace(leaves + link.delay + late, Packet{from, source, datagram});
    }
  }
  struct Arrived {
    Side from;
    PathAddress source;
    std::vector<std::byte> bytes;
  };
  std::optional<Arrived> arrive(Side at, Timestamp now) {
    for (auto it = way_.begin(); it != way_.end() && it->first <= now; ++it) {
      if (it->second.from == at) continue;
      Arrived arrived{it->second.from, it->second.source, std::move(it->second.bytes)};
      way_.erase(it);
      return arrived;
    }
    return std::nullopt;
  }
  Timestamp next_event() const { return way_.empty() ? qvid::kNever : way_.begin()->first; }

  int sent = 0;
  int sent_by_server = 0;

 private:
  static constexpr Duration kQueue = std::chrono::milliseconds(100);
  static constexpr std::size_t kIpUdp = 28;

  struct Packet {
    Side from;
    PathAddress source;
    std::vector<std::byte> bytes;
  };
  bool police(std::size_t size, Timestamp now) {
    if (policed == qvid::DataRate()) return false;
    tokens_ = std::min(tokens_ + policed.bytes_in(now - policed_at_), ByteCount(3000));
    policed_at_ = now;
    const bool drops = tokens_ < ByteCount::of(size);
    if (!drops) tokens_ -= ByteCount::of(size);
    return drops;
  }
  bool chance(double p) { return p > 0 && std::uniform_real_distribution<>(0, 1)(random_) < p; }

  std::mt19937 random_;
  PathAddress client_{.ip = {1}, .port = 1000};
  PathAddress server_{.ip = {2}, .port = 7400};
  std::multimap<Timestamp, Packet> way_;
  Timestamp up_free_{}, down_free_{};
  Timestamp policed_at_{};
  ByteCount tokens_{3000};
};

}  // namespace paceline
