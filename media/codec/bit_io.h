// Bits of an H.264 NAL unit without its emulation prevention (H.264, 7.2 and 9.1): most significant
// first, with Exp-Golomb codes.
//
// BitReader never reads past its end: the first read that does not fit sets `failed`, and every
// read from then on gives zero, so a parser checks once, at its end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace qvid::media {

class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // At most 32.
  std::uint32_t bits(int count) {
    std::uint32_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 1 | bit();
    return value;
  }
  bool flag() { return bit() != 0; }
  std::uint32_t ue() {
    int zeros = 0;
    while (!failed_ && bit() == 0) {
      if (++zeros > 31) failed_ = true;
    }
    return failed_ ? 0 : (std::uint32_t{1} << zeros) - 1 + bits(zeros);
  }
  // As ue(), mapped to 0, 1, -1, 2, -2 ...
  std::int32_t se() {
    const std::uint32_t code = ue();
    const auto half = static_cast<std::int32_t>((std::uint64_t{code} + 1) / 2);
    return code % 2 != 0 ? half : -half;
  }

  std::size_t position() const { return position_; }  // in bits
  bool failed() const { return failed_; }

 private:
  std::uint32_t bit() {
    if (failed_ || position_ / 8 >= bytes_.size()) {
      failed_ = true;
      return 0;
    }
    const auto byte = std::to_integer<std::uint32_t>(bytes_[position_ / 8]);
    const std::uint32_t value = byte >> (7 - position_ % 8) & 1;
    ++position_;
    return value;
  }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  bool failed_ = false;
};

class BitWriter {
 public:
  // At most 32.
  void bits(std::uint32_t value, int count) {
    for (int i = count; i-- > 0;) bit(value >> i & 1);
  }
  void flag(bool value) { bit(value ? 1 : 0); }
  // Precondition: below 2^32 - 1.
  void ue(std::uint32_t value) {
    const int length = static_cast<int>(std::bit_width(value + 1));
    bits(0, length - 1);
    bits(value + 1, length);
  }
  // Up to the next byte with ones, as before CABAC data.
  void align_with_ones() {
    while (used_ % 8 != 0) bit(1);
  }
  // Precondition: at the beginning of a byte.
  void bytes(std::span<const std::byte> more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    used_ += more.size() * 8;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void bit(std::uint32_t value) {
    if (used_ % 8 == 0) bytes_.push_back(std::byte{0});
    bytes_.back() |= static_cast<std::byte>(value << (7 - used_ % 8));
    ++used_;
  }

  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;  // bits
};

}  // namespace qvid::media
