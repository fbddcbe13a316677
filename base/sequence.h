// Identifiers and sequence numbers that cannot be mixed up with one another.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace qvid {

// A number with a meaning of its own. `Tag` makes the type; `Rep` holds the value.
template <class Tag, class Rep>
class Number {
 public:
  using rep = Rep;
  constexpr Number() = default;
  constexpr explicit Number(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }
  constexpr Number next() const { return Number(static_cast<Rep>(value_ + 1)); }
  constexpr auto operator<=>(const Number&) const = default;

 private:
  Rep value_ = 0;
};

// Frames of one video, counted from 0 in the order of display. 64 bits never wrap.
using FrameNumber = Number<struct FrameNumberTag, std::int64_t>;

}  // namespace qvid

template <class Tag, class Rep>
struct std::hash<qvid::Number<Tag, Rep>> {
  std::size_t operator()(qvid::Number<Tag, Rep> n) const noexcept {
    return std::hash<Rep>{}(n.value());
  }
};
