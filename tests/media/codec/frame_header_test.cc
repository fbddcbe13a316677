#include "media/codec/layers/frame_header.h"

#include <gtest/gtest.h>

#include <vector>

namespace qvid::media {
namespace {

FrameHeader typical() {
  FrameHeader h;
  h.nominal = {646, 482};
  h.low = {323, 241};
  h.temporal_class = TemporalClass::kT1;
  h.range = ColorRange::kFull;
  h.matrix = ColorMatrix::kBt709;
  h.sync = {false, true};
  return h;
}

std::vector<std::byte> bytes_of(const FrameHeader& header) {
  const Payload payload = build_frame_header(header);
  return {payload.bytes().begin(), payload.bytes().end()};
}

bool accepted(const FrameHeader& header) {
  return static_cast<bool>(parse_frame_header(build_frame_header(header).bytes(), header.codec));
}

TEST(FrameHeader, ComesBackAsItWas) {
  for (const auto temporal_class : {TemporalClass::kT0, TemporalClass::kT1, TemporalClass::kT2}) {
    for (const auto range : {ColorRange::kLimited, ColorRange::kFull}) {
      for (const auto matrix : {ColorMatrix::kBt601, ColorMatrix::kBt709}) {
        for (unsigned sync = 0; sync < 4; ++sync) {
          FrameHeader h = typical();
          h.temporal_class = temporal_class;
          h.range = range;
          h.matrix = matrix;
          h.sync = {(sync & 1) != 0, (sync & 2) != 0};
          const auto parsed = parse_frame_header(build_frame_header(h).bytes(), h.codec);
          ASSERT_TRUE(parsed);
          EXPECT_EQ(*parsed, h);
        }
      }
    }
  }
}

TEST(FrameHeader, HasTheBytesOfTheDrawing) {
  const std::vector<std::byte> expected = {
      std::byte{1},    std::byte{0x2D}, std::byte{0x02}, std::byte{0x86}, std::byte{0x01},
      std::byte{0xE2}, std::byte{0x01}, std::byte{0x43}, std::byte{0x00}, std::byte{0xF1}};
  EXPECT_EQ(bytes_of(typical()), expected);
}

TEST(FrameHeader, EveryOtherLengthIsRefused) {
  std::vector<std::byte> bytes = bytes_of(typical());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_frame_header(std::span(bytes).first(size), CodecKind::kH264)) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(parse_frame_header(bytes, CodecKind::kH264));
}

TEST(FrameHeader, UnknownVersionClassAndReservedBitsAreRefused) {
  for (const auto& [index, value] :
       {std::pair{0, 0}, {0, 2}, {0, 255}, {1, 0x03}, {1, 0x40}, {1, 0x80}}) {
    std::vector<std::byte> bytes = bytes_of(typical());
    bytes[static_cast<std::size_t>(index)] = static_cast<std::byte>(value);
    EXPECT_FALSE(parse_frame_header(bytes, CodecKind::kH264)) << index << ": " << value;
  }
}

TEST(FrameHeader, SizesAreBounded) {
  FrameHeader h = typical();
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

TEST(FrameHeader, WhatIsAcceptedIsBuiltTheSameAgain) {
  // Every value of every single byte: either refused, or it says exactly what it was made of.
  const std::vector<std::byte> good = bytes_of(typical());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::vector<std::byte> bytes = good;
      bytes[i] = static_cast<std::byte>(value);
      const auto parsed = parse_frame_header(bytes, CodecKind::kH264);
      if (parsed) {
        EXPECT_EQ(bytes_of(*parsed), bytes);
      }
    }
  }
}

FrameHeader of_av1(PictureSize nominal, PictureSize low) {
  return {.codec = CodecKind::kAv1, .nominal = nominal, .low = low};
}

TEST(FrameHeader, OfAv1OneLayerOfFullSizeTakesSixBytes) {
  for (const bool sync : {false, true}) {
    FrameHeader h = of_av1({641, 399}, {641, 399});
    h.matrix = ColorMatrix::kBt709;
    h.sync = {sync, false, false};
    const std::vector<std::byte> expected = {std::byte{2},    std::byte(sync ? 0x18 : 0x08),
                                             std::byte{0x02}, std::byte{0x81},
                                             std::byte{0x01}, std::byte{0x8F}};
    EXPECT_EQ(bytes_of(h), expected);
    const auto parsed = parse_frame_header(expected, CodecKind::kAv1);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(*parsed, h);
    EXPECT_EQ(parsed->layers(), 1u);
  }
}

TEST(FrameHeader, OfAv1WhatCannotHaveBeenBuiltIsRefused) {
  const auto good = bytes_of(of_av1({64, 48}, {64, 48}));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(parse_frame_header(std::span(good).first(size), CodecKind::kAv1));
  }
  EXPECT_FALSE(parse_frame_header(good, CodecKind::kH264));
  EXPECT_FALSE(parse_frame_header(bytes_of(typical()), CodecKind::kAv1));
  auto longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(parse_frame_header(longer, CodecKind::kAv1));
  longer = good;
  longer.insert(longer.end(), good.begin() + 2, good.end());
  EXPECT_FALSE(parse_frame_header(longer, CodecKind::kAv1))
      << "a low layer as large as the highest";
  for (const auto& [at, value] : {std::pair{0, 1}, {0, 3}, {1, 0x20}, {1, 0x40}, {1, 0x80}}) {
    auto bad = good;
    bad[static_cast<std::size_t>(at)] = static_cast<std::byte>(value);
    EXPECT_FALSE(parse_frame_header(bad, CodecKind::kAv1)) << at << ": " << value;
  }
  for (const PictureSize size : {PictureSize{15, 48}, {64, 0}, {4097, 64}, {64, 65535}}) {
    EXPECT_FALSE(accepted(of_av1(size, size)));
  }
}

TEST(FrameHeader, EachLayerIsHalfAsLargeAsTheNext) {
  for (const CodecKind codec : {CodecKind::kH264, CodecKind::kAv1}) {
    FrameHeader h{.codec = codec, .nominal = {646, 482}, .low = {162, 121}, .three = true};
    h.sync = {true, false, true};
    ASSERT_TRUE(accepted(h));
    const auto parsed = parse_frame_header(bytes_of(h), codec);
    EXPECT_EQ(*parsed, h);
    EXPECT_EQ(parsed->layers(), 3u);
    EXPECT_EQ(parsed->size_of(0), (PictureSize{162, 121}));
    EXPECT_EQ(parsed->size_of(1), (PictureSize{323, 241}));
    EXPECT_EQ(parsed->size_of(2), (PictureSize{646, 482}));
    h.low = {323, 241};
    EXPECT_FALSE(accepted(h)) << "of three layers the lowest is a quarter";
    h.three = false;
    EXPECT_FALSE(accepted(h)) << "of two layers there is no third";
    h.sync = {true, true, false};
    EXPECT_TRUE(accepted(h));
    EXPECT_EQ(h.size_of(1), h.nominal);
  }
}

}  // namespace
}  // namespace qvid::media
