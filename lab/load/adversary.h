// Somebody who does what a broker allows to all who reach it, as costly and as often as he can.
//
//   kHandshakes      TLS handshakes, each a full one, and nothing after it
//   kSlowHandshakes  sockets that begin one and do not go on
//   kRequests        a member's requests that change nothing
//   kPublishing      a member who publishes and stops, so that seats have to be found anew
//   kCriteria        a member whose criteria cost the most that they may, over and over
//   kFragments       a publisher of tiny items to kAccomplices
//   kDescending      the same, each before the one that was sent before it
//
// All of it comes from one address. Who is closed comes again.
//
// Bounds: kMostHandshakes of them under way, kMostSlow sockets, kMostQueued bytes unsent; what is
// beyond is left out. Thread: one of its own, which the destructor joins; calls come from one other.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "lab/bed/run_spec.h"
#include "transport/socket/address.h"
#include "transport/socket/timer.h"
#include "transport/tls/tls.h"

namespace qvid::lab {

struct AdversaryOptions {
  BrokerTrouble kind = BrokerTrouble::kNone;
  paceline::Address broker;
  paceline::TrustOptions trust;
  std::string room;  // that the others are in
};

class Adversary {
 public:
  static constexpr std::size_t kMostHandshakes = 64;
  static constexpr std::size_t kMostSlow = 300;  // more than a broker has places
  static constexpr std::size_t kAccomplices = 8;
  static constexpr std::int64_t kMostQueued = 256 * 1024;

  // Begins at once. Precondition: has(options.kind).
  explicit Adversary(AdversaryOptions options);
  ~Adversary();
  Adversary(const Adversary&) = delete;
  Adversary& operator=(const Adversary&) = delete;

  static bool has(BrokerTrouble kind);
  // Handshakes, sockets, requests or items, up to now.
  std::int64_t done() const { return counts_->done; }
  // Times that a session of his was closed.
  std::int64_t closed() const { return counts_->closed; }

  struct Counts {
    std::atomic<std::int64_t> done = 0;
    std::atomic<std::int64_t> closed = 0;
  };
  // What he does, on his thread.
  class Act {
   public:
    virtual ~Act() = default;
    virtual void once() = 0;
  };

 private:
  void tick();

  const std::unique_ptr<Counts> counts_;
  const Duration every_;
  boost::asio::io_context io_{1};
  paceline::Timer timer_{io_};
  Timestamp next_{};
  std::unique_ptr<Act> act_;
  std::jthread thread_;
};

}  // namespace qvid::lab
