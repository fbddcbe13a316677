// A layer without some of its pictures, as a plain stream. What our own encoder makes is in
// tests/media/recording.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "media/codec/h264/h264_decoder.h"
#include "media/codec/h264/h264_plain.h"
#include "media/codec/h264/h264_sequence.h"

namespace qvid::media::h264_plain_test {
namespace {

constexpr PictureSize kSize{48, 32};
// Of Chromium's encoder, with two temporal layers: a white square that moves. Nothing refers to every
// second one.
constexpr std::string_view kPictures[] = {
    "000000016742c00a8c8d46a4dc0434041e1108d40000000168ce3c80"
    "0000000165b80004000009fffe03e138a1f8a00020a9ffe1fe427f0c03fe45d780",
    "0000000101e0004000be413f043ffff7",
    "0000000161e00040013e409f8107fffee0",
    "0000000101e0008001be41ff043fd1e4d7d4",
    "0000000161e00080023e404fe0e7c4c5eb5555547935f5",
    "0000000101e000c002be40bf5043fd72115750",
    "0000000161e000c0033e406fa8107faff6455e"};

Payload bytes_of(std::string_view hexadecimal) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(16 * digit(hexadecimal[i]) + digit(hexadecimal[i + 1])));
  }
  return Payload::copy_of(bytes);
}

// The picture of that number, as unit `number` of a layer.
CodedUnit unit_of(int picture, int reference) {
  CodedUnit unit{.depends_on = {}, .data = bytes_of(kPictures[picture])};
  if (picture > 0) unit.depends_on.push_back({static_cast<std::uint8_t>(picture - reference), 0});
  return unit;
}

int reference_of(int picture) { return std::max(0, picture % 2 == 0 ? picture - 2 : picture - 1); }

// What a decoder of ours shows of those pictures, once they are a plain stream: luma.
std::vector<std::vector<std::uint8_t>> shown_of(const std::vector<int>& pictures) {
  H264Plain plain;
  H264Decoder decoder;
  std::vector<std::vector<std::uint8_t>> shown;
  for (const int picture : pictures) {
    CodedUnit unit = unit_of(picture, reference_of(picture));
    const auto made = plain.add(FrameNumber(picture), unit);
    EXPECT_TRUE(made) << picture << ": " << made.error().message;
    if (!made) return shown;
    std::vector<std::byte> data;
    if (made->key) data = plain.parameters().sets;
    data.insert(data.end(), made->data.begin(), made->data.end());
    unit.data = Payload::copy_of(data);
    const FrameHeader header{.nominal = kSize, .low = kSize, .sync = {made->key, false}};
    const auto decoded = decoder.decode({.number = FrameNumber(picture),
                                         .header = build_frame_header(header),
                                         .units = {std::move(unit)}});
    EXPECT_TRUE(decoded && *decoded) << picture;
    if (!decoded || !*decoded) return shown;
    auto& luma = shown.emplace_back();
    const auto& plane = (*decoded)->picture.planes[0];
    for (int y = 0; y < kSize.height; ++y) {
      luma.insert(luma.end(), plane.data + y * plane.stride,
                  plane.data + y * plane.stride + kSize.width);
    }
  }
  return shown;
}

TEST(H264Plain, GoesWithoutPicturesThatNoneRefersTo) {
  const auto all = shown_of({0, 1, 2, 3, 4, 5, 6});
  ASSERT_EQ(all.size(), 7U);
  EXPECT_NE(all[0], all[1]);
  // Nothing is held back: each picture is that of its unit.
  const auto some = shown_of({0, 1, 2, 4, 5, 6});
  ASSERT_EQ(some.size(), 6U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(some[i], all[i]) << i;
  for (int i = 3; i < 6; ++i) EXPECT_EQ(some[i], all[i + 1]) << i;
  EXPECT_EQ(shown_of({0, 2, 4, 6}), (std::vector{all[0], all[2], all[4], all[6]}));
}

TEST(H264Plain, RefusesWhatRefersToAPictureThatIsNotThere) {
  H264Plain plain;
  ASSERT_TRUE(plain.add(FrameNumber(0), unit_of(0, 0)));
  ASSERT_TRUE(plain.add(FrameNumber(1), unit_of(1, 0)));
  // None can refer to it, whatever is said.
  EXPECT_FALSE(plain.add(FrameNumber(2), unit_of(2, 1)));
  // And two of them in a row would have the same number.
  EXPECT_FALSE(plain.add(FrameNumber(2), unit_of(1, -1)));
  EXPECT_TRUE(plain.add(FrameNumber(2), unit_of(2, 0)));
  EXPECT_FALSE(plain.add(FrameNumber(4), unit_of(4, 0)));
  EXPECT_TRUE(plain.add(FrameNumber(4), unit_of(4, 2)));
}

TEST(H264Plain, KnowsWhatMayBeReferredTo) {
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(h264_is_reference(bytes_of(kPictures[i]).bytes()), i % 2 == 0) << i;
  }
  EXPECT_FALSE(h264_is_reference({}));
}

}  // namespace
}  // namespace qvid::media::h264_plain_test
