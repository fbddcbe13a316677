// Numbers that the peer cannot guess, from a key that the shell draws: HMAC-SHA256 of a counter.
// So an engine stays pure. Thread: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace paceline {

class Unguessable {
 public:
  using Key = std::array<std::byte, 16>;
  explicit Unguessable(const Key& key) : key_(key) {}
  std::uint64_t next();

 private:
  Key key_;
  std::uint64_t count_ = 0;
};

}  // namespace paceline
