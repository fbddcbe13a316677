#include "media/codec/h264_header.h"

#include <gtest/gtest.h>

#include <vector>

namespace qvid::media {
namespace {

H264Header typical() {
  H264Header h;
  h.nominal = {646, 482};
  h.low = {323, 241};
  h.temporal_class = TemporalClass::kT1;
  h.range = ColorRange::kFull;
  h.matrix = ColorMatrix::kBt709;
  h.sync = {false, true};
  return h;
}

std::vector<std::byte> bytes_of(const H264Header& header) {
  const Payload payload = build_h264_header(header);
  return {payload.bytes().begin(), payload.bytes().end()};
}

bool accepted(const H264Header& header) {
  return static_cast<bool>(parse_h264_header(build_h264_header(header).bytes()));
}

TEST(H264Header, ComesBackAsItWas) {
  for (const auto temporal_class : {TemporalClass::kT0, TemporalClass::kT1, TemporalClass::kT2}) {
    for (const auto range : {ColorRange::kLimited, ColorRange::kFull}) {
      for (const auto matrix : {ColorMatrix::kBt601, ColorMatrix::kBt709}) {
        for (unsigned sync = 0; sync < 4; ++sync) {
          H264Header h = typical();
          h.temporal_class = temporal_class;
          h.range = range;
          h.matrix = matrix;
          h.sync = {(sync & 1) != 0, (sync & 2) != 0};
          const auto parsed = parse_h264_header(build_h264_header(h).bytes());
          ASSERT_TRUE(parsed);
          EXPECT_EQ(*parsed, h);
        }
      }
    }
  }
}

TEST(H264Header, HasTheBytesOfTheDrawing) {
  const std::vector<std::byte> expected = {
      std::byte{1},    std::byte{0x2D}, std::byte{0x02}, std::byte{0x86}, std::byte{0x01},
      std::byte{0xE2}, std::byte{0x01}, std::byte{0x43}, std::byte{0x00}, std::byte{0xF1}};
  EXPECT_EQ(bytes_of(typical()), expected);
}

TEST(H264Header, EveryOtherLengthIsRefused) {
  std::vector<std::byte> bytes = bytes_of(typical());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_h264_header(std::span(bytes).first(size))) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(parse_h264_header(bytes));
}

TEST(H264Header, UnknownVersionClassAndReservedBitsAreRefused) {
  for (const auto& [index, value] :
       {std::pair{0, 0}, {0, 2}, {0, 255}, {1, 0x03}, {1, 0x40}, {1, 0x80}}) {
    std::vector<std::byte> bytes = bytes_of(typical());
    bytes[static_cast<std::size_t>(index)] = static_cast<std::byte>(value);
    EXPECT_FALSE(parse_h264_header(bytes)) << index << ": " << value;
  }
}

TEST(H264Header, SizesAreBounded) {
  H264Header h = typical();
  for (const PictureSize nominal :
       {PictureSize{0, 0}, PictureSize{14, 64}, PictureSize{64, 14}, PictureSize{4098, 64},
        PictureSize{64, 65534}, PictureSize{647, 482}, PictureSize{646, 481}}) {
    h.nominal = nominal;
    h.low = {8, 8};
    EXPECT_FALSE(accepted(h)) << nominal.width << "x" << nominal.height;
  }
  h.nominal = {64, 48};
  for (const PictureSize low : {PictureSize{0, 0}, PictureSize{7, 24}, PictureSize{32, 7},
                                PictureSize{65, 24}, PictureSize{32, 49}}) {
    h.low = low;
    EXPECT_FALSE(accepted(h)) << low.width << "x" << low.height;
  }
  h.nominal = {kMinSide, kMaxSide};
  h.low = {kMinSide / 2, kMaxSide / 2};
  EXPECT_TRUE(accepted(h));
}

TEST(H264Header, WhatIsAcceptedIsBuiltTheSameAgain) {
  // Every value of every single byte: either refused, or it says exactly what it was made of.
  const std::vector<std::byte> good = bytes_of(typical());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::vector<std::byte> bytes = good;
      bytes[i] = static_cast<std::byte>(value);
      const auto parsed = parse_h264_header(bytes);
      if (parsed) {
        EXPECT_EQ(bytes_of(*parsed), bytes);
      }
    }
  }
}

}  // namespace
}  // namespace qvid::media
