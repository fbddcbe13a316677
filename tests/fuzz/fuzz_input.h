// A fuzzer's bytes as the choices of a test; where they end, zeros follow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace qvid::fuzz {

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

}  // namespace qvid::fuzz
