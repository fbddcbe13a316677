// In what order, and when, the addresses of a name are tried: Happy Eyeballs (RFC 8305).
//
//   begins    the first at once; each further kAttemptDelay after the one before (section 5), or as
//             soon as one has failed
//   order     the resolver's, which sorts by RFC 6724, with families taking turns (section 4)
//   wins      who is through with all of it first: TCP, the proxy, TLS. The others are given up
//
// Not of RFC 8305: to begin with one family while the other's look-up is under way, since
// getaddrinfo gives both at once.
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"

namespace paceline {

class ConnectionRace {
 public:
  static constexpr qvid::Duration kAttemptDelay = std::chrono::milliseconds(250);  // section 8
  static constexpr std::size_t kMostAddresses = 32;  // of one name; later ones are not tried

  ConnectionRace(std::size_t addresses, qvid::Timestamp now)
      : addresses_(std::min(addresses, kMostAddresses)), due_(now) {}

  // Which address is to be tried now, counted from 0; ended() or another follows. Empty: none yet.
  std::optional<std::size_t> next(qvid::Timestamp now) {
    if (begun_ == addresses_ || now < due_) return {};
    due_ = now + kAttemptDelay;
    return begun_++;
  }
  // When next() gives one; kNever: all have begun.
  qvid::Timestamp due() const { return begun_ == addresses_ ? qvid::kNever : due_; }
  // One that had begun has failed.
  void failed(qvid::Timestamp now) {
    ++failed_;
    due_ = std::min(due_, now);
  }
  // All have.
  bool lost() const { return failed_ == addresses_; }

 private:
  std::size_t addresses_;
  std::size_t begun_ = 0;
  std::size_t failed_ = 0;
  qvid::Timestamp due_;
};

// The same with families taking turns, the first one's first; within each the order stays.
// `is_v6` tells them apart.
template <class End, class IsV6>
std::vector<End> interleaved(std::span<const End> ends, IsV6 is_v6) {
  std::vector<End> by_family[2];
  for (const End& end : ends) {
    by_family[is_v6(end) == is_v6(ends.front()) ? 0 : 1].push_back(end);
  }
  std::vector<End> mixed;
  for (std::size_t i = 0; mixed.size() < ends.size(); ++i) {
    for (const auto& family : by_family) {
      if (i < family.size()) mixed.push_back(family[i]);
    }
  }
  return mixed;
}

}  // namespace paceline
