// Reading and writing of wire formats: big-endian integers and the variable-length integers of
// RFC 9000, section 16 (two bits of length, then 6, 14, 30 or 62 bits of value).
//
// ByteReader never reads past its end: the first read that does not fit sets `failed`, and every
// read from then on gives zero, so a parser checks once, at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace qvid {

inline constexpr std::uint64_t kVarintMax = (std::uint64_t{1} << 62) - 1;

// Bytes that `value` takes as a varint: 1, 2, 4 or 8. Precondition: value <= kVarintMax.
constexpr std::size_t varint_size(std::uint64_t value) {
  if (value < (1u << 6)) return 1;
  if (value < (1u << 14)) return 2;
  if (value < (1u << 30)) return 4;
  return 8;
}

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(fixed(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(fixed(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  std::uint64_t u64() { return fixed(8); }
  std::uint64_t varint() {
    if (rest_.empty()) return fail();
    const auto first = std::to_integer<std::uint8_t>(rest_[0]);
    const std::size_t size = std::size_t{1} << (first >> 6);
    const std::uint64_t all = fixed(size);
    return size == 8 ? all & kVarintMax : all & ((std::uint64_t{1} << (size * 8 - 2)) - 1);
  }
  std::span<const std::byte> bytes(std::size_t count) {
    if (count > rest_.size()) return fail(), std::span<const std::byte>{};
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  std::span<const std::byte> rest() { return bytes(rest_.size()); }

  std::size_t remaining() const { return rest_.size(); }
  bool failed() const { return failed_; }

 private:
  std::uint64_t fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }
  std::uint64_t fixed(std::size_t size) {
    if (size > rest_.size()) return fail();
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      value = value << 8 | std::to_integer<std::uint8_t>(rest_[i]);
    }
    rest_ = rest_.subspan(size);
    return value;
  }

  std::span<const std::byte> rest_;
  bool failed_ = false;
};

// Appends to a vector that the caller owns.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& out) : out_(out) {}

  void u8(std::uint8_t v) { fixed(v, 1); }
  void u16(std::uint16_t v) { fixed(v, 2); }
  void u32(std::uint32_t v) { fixed(v, 4); }
  void u64(std::uint64_t v) { fixed(v, 8); }
  // Precondition: value <= kVarintMax.
  void varint(std::uint64_t value) {
    switch (varint_size(value)) {
      case 1: return fixed(value, 1);
      case 2: return fixed(value | 0x4000u, 2);
      case 4: return fixed(value | 0x80000000u, 4);
      default: return fixed(value | 0xC000000000000000u, 8);
    }
  }
  void bytes(std::span<const std::byte> bytes) {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }

 private:
  void fixed(std::uint64_t value, std::size_t size) {
    for (std::size_t i = size; i-- > 0;) {
      out_.push_back(static_cast<std::byte>(value >> (i * 8) & 0xff));
    }
  }
  std::vector<std::byte>& out_;
};

}  // namespace qvid
