// Shows that what is written is read back, that varints are those of RFC 9000, and that a reader
// never goes past its end and stays failed.
#include "base/byte_io.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace qvid {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int v : values) bytes.push_back(static_cast<std::byte>(v));
  return bytes;
}

TEST(ByteIo, IntegersAreBigEndian) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.u8(1);
  out.u16(0x0203);
  out.u32(0x04050607);
  out.u64(0x08090a0b0c0d0e0f);
  EXPECT_EQ(bytes, bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  ByteReader in(bytes);
  EXPECT_EQ(in.u8(), 1);
  EXPECT_EQ(in.u16(), 0x0203);
  EXPECT_EQ(in.u32(), 0x04050607u);
  EXPECT_EQ(in.u64(), 0x08090a0b0c0d0e0fu);
  EXPECT_EQ(in.remaining(), 0u);
  EXPECT_FALSE(in.failed());
}

// RFC 9000, appendix A.1.
TEST(ByteIo, ReadsTheVarintsOfTheRfc) {
  const auto read = [](std::initializer_list<int> values) {
    const auto bytes = bytes_of(values);
    return ByteReader(bytes).varint();
  };
  EXPECT_EQ(read({0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c}), 151'288'809'941'952'652u);
  EXPECT_EQ(read({0x9d, 0x7f, 0x3e, 0x7d}), 494'878'333u);
  EXPECT_EQ(read({0x7b, 0xbd}), 15'293u);
  EXPECT_EQ(read({0x25}), 37u);
  EXPECT_EQ(read({0x40, 0x25}), 37u);
}

TEST(ByteIo, VarintsTakeTheFewestBytesAndComeBack) {
  for (int bit = 0; bit < 62; ++bit) {
    for (const std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1}}) {
      const std::uint64_t value = (std::uint64_t{1} << bit) - near;
      std::vector<std::byte> bytes;
      ByteWriter(bytes).varint(value);
      EXPECT_EQ(bytes.size(), varint_size(value));
      ByteReader in(bytes);
      EXPECT_EQ(in.varint(), value);
      EXPECT_FALSE(in.failed());
      EXPECT_EQ(in.remaining(), 0u);
    }
  }
  EXPECT_EQ(varint_size(63), 1u);
  EXPECT_EQ(varint_size(64), 2u);
  EXPECT_EQ(varint_size(16'383), 2u);
  EXPECT_EQ(varint_size(16'384), 4u);
  EXPECT_EQ(varint_size((1u << 30) - 1), 4u);
  EXPECT_EQ(varint_size(1u << 30), 8u);
  EXPECT_EQ(varint_size(kVarintMax), 8u);
}

TEST(ByteIo, ATruncatedVarintFails) {
  for (const std::uint64_t value : {std::uint64_t{64}, std::uint64_t{1} << 20, kVarintMax}) {
    std::vector<std::byte> bytes;
    ByteWriter(bytes).varint(value);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ByteReader in(std::span<const std::byte>(bytes).first(size));
      EXPECT_EQ(in.varint(), 0u);
      EXPECT_TRUE(in.failed());
    }
  }
}

TEST(ByteIo, AFailureStays) {
  const auto bytes = bytes_of({1, 2, 3});
  ByteReader in(bytes);
  EXPECT_EQ(in.u32(), 0u);
  EXPECT_TRUE(in.failed());
  EXPECT_EQ(in.u8(), 0);
  EXPECT_EQ(in.varint(), 0u);
  EXPECT_TRUE(in.bytes(1).empty());
  EXPECT_EQ(in.remaining(), 0u);
  EXPECT_TRUE(in.failed());
}

TEST(ByteIo, TakesBytesUpToTheEnd) {
  const auto bytes = bytes_of({1, 2, 3, 4});
  ByteReader in(bytes);
  EXPECT_EQ(in.bytes(1).data(), bytes.data());
  EXPECT_EQ(in.rest().size(), 3u);
  EXPECT_TRUE(in.rest().empty());
  EXPECT_TRUE(in.bytes(0).empty());
  EXPECT_FALSE(in.failed());
  EXPECT_TRUE(in.bytes(1).empty());
  EXPECT_TRUE(in.failed());
}

}  // namespace
}  // namespace qvid
