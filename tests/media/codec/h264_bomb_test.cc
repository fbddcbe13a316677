// Streams that are made to cost their receiver much: refused before libavcodec has seen them.
#include <gtest/gtest.h>

#include <vector>

#include "media/codec/bit_io.h"
#include "media/codec/h264/h264_sequence.h"
#include "media/codec/layers/frame_header.h"
#include "media/codec/picture_memory.h"
#include "tests/media/codec/h264_coded_video.h"
#include "tests/media/h264_video.h"

namespace qvid::media {
namespace {

constexpr int kRounding = 64;

// A sequence parameter set of the high profile, in annex B.
std::vector<std::byte> parameter_set(PictureSize size, std::uint32_t references,
                                     std::uint32_t chroma_format = 1) {
  BitWriter out;
  out.bits(kSpsNal | 3 << 5, 8);
  out.bits(100, 8);
  out.bits(0, 8);
  out.bits(52, 8);  // level
  out.ue(0);
  out.ue(chroma_format);
  out.ue(0);
  out.ue(0);
  out.flag(false);
  out.flag(false);
  out.ue(1);  // frame_num of 5 bits
  out.ue(2);
  out.ue(references);
  out.flag(true);
  out.ue(static_cast<std::uint32_t>(size.width / 16 - 1));
  out.ue(static_cast<std::uint32_t>(size.height / 16 - 1));
  out.flag(true);
  out.flag(true);
  out.flag(false);
  out.flag(false);
  out.align_with_ones();
  std::vector<std::byte> bytes{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{1}};
  bytes.insert(bytes.end(), out.bytes().begin(), out.bytes().end());
  return bytes;
}

TEST(H264Bomb, WhatAStreamNeedsIsReadFromItsParameters) {
  const auto memory = h264_memory_of(parameter_set({1280, 720}, 16), {1280, 720}, kRounding);
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_EQ(**memory, ByteCount(1280 * 720 * 3 / 2 * 18));
  const auto none = h264_memory_of(parameter_set({64, 64}, 1), {64, 64}, kRounding);
  ASSERT_TRUE(none);
  const std::vector<std::byte> slice{std::byte{0}, std::byte{0}, std::byte{1}, std::byte{0x41},
                                     std::byte{0x9a}};
  EXPECT_FALSE(*h264_memory_of(slice, {64, 64}, kRounding));
}

TEST(H264Bomb, ParametersBeyondTheHeaderAreRefused) {
  const auto refusal = [](const std::vector<std::byte>& unit) {
    const auto memory = h264_memory_of(unit, {640, 480}, kRounding);
    return memory ? std::string() : memory.error().message;
  };
  EXPECT_EQ(refusal(parameter_set({640, 480}, 16)), "");
  EXPECT_EQ(refusal(parameter_set({4096, 4096}, 1)),
            "pictures of 4096x4096 where the header says 640x480");
  EXPECT_EQ(refusal(parameter_set({640, 480}, 17)), "a malformed sequence parameter set");
  EXPECT_EQ(refusal(parameter_set({1 << 20, 16}, 1)), "a malformed sequence parameter set");
  EXPECT_NE(refusal(parameter_set({640, 480}, 1, 3)).find("4:2:0"), std::string::npos);
  // The second of two counts, too.
  auto two = parameter_set({640, 480}, 1);
  const auto large = parameter_set({4096, 4096}, 16);
  two.insert(two.end(), large.begin(), large.end());
  EXPECT_NE(refusal(two), "");
}

TEST(H264Bomb, ADecoderIsNotOpenedForOne) {
  const auto video = coded_video(3, 3);
  const auto decoder = new_decoder();
  ReceivedFrame frame = received(video[0]);
  for (CodedUnit& unit : frame.units) {
    auto bytes = parameter_set({4096, 4096}, 16);
    bytes.insert(bytes.end(), unit.data.bytes().begin(), unit.data.bytes().end());
    unit.data = Payload::copy_of(bytes);
  }
  const auto refused = decoder->decode(frame);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("where the header says"), std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(decoder->decode(received(video[0])));  // the next whole one is shown
}

TEST(H264Bomb, AllDecodersShareOneBound) {
  PictureMemory mine;
  ASSERT_TRUE(mine.take(ByteCount(PictureMemory::kMost.value() - 1000)));
  const auto video = coded_video(3, 3);
  const auto decoder = new_decoder();
  const auto refused = decoder->decode(received(video[0]));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("2048 MiB at the most"), std::string::npos)
      << refused.error().message;
  mine.give_back();
  EXPECT_TRUE(decoder->decode(received(video[0])));
}

}  // namespace
}  // namespace qvid::media
