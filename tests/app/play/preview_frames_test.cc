// A preview is put together of its parts, in any order; what is not one is dropped.
#include "app/play/preview_frames.h"

#include <gtest/gtest.h>

#include <string>

namespace qvid::app::preview_frames_test {
namespace {

media::WireFrame frame(std::int64_t number, std::size_t unit_bytes = 10) {
  media::CodedFrame coded{.number = FrameNumber(number),
                          .due = Timestamp(Duration(61s)),
                          .header = Payload::copy_of("header"),
                          .units = {}};
  for (std::uint8_t layer = 0; layer < 2; ++layer) {
    coded.units.push_back(
        {.layer = layer, .depends_on = {}, .data = Payload::copy_of(std::string(unit_bytes, 'x'))});
  }
  return media::serialise(std::move(coded));
}
std::uint64_t at(const media::WireFrame& wire, std::uint8_t layer) {
  return media::unit_position(wire.frame.number, layer);
}

class PreviewFramesTest : public testing::Test {
 protected:
  std::optional<PreviewFrame> header(const media::WireFrame& wire) {
    return frames_.on_message(media::header_position(wire.frame.number), wire.header);
  }
  std::optional<PreviewFrame> unit(const media::WireFrame& wire, std::uint8_t layer) {
    return frames_.on_message(at(wire, layer), wire.units[layer]);
  }
  PreviewFrames frames_;
};

TEST_F(PreviewFramesTest, IsWholeWithItsLastPart) {
  const auto first = frame(0);
  EXPECT_FALSE(header(first));
  EXPECT_FALSE(unit(first, 1));
  EXPECT_FALSE(unit(first, 1)) << "twice";
  const auto whole = unit(first, 0);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->place, Duration(61s));
  EXPECT_EQ(whole->frame.header.text(), "header");
  ASSERT_EQ(whole->frame.units.size(), 2u);
  EXPECT_EQ(whole->frame.units[0].layer, 0);
  EXPECT_EQ(whole->frame.units[1].layer, 1);
  const auto second = frame(1);
  EXPECT_FALSE(unit(second, 0));
  EXPECT_FALSE(unit(second, 1));
  EXPECT_TRUE(header(second)) << "the header last";
}

TEST_F(PreviewFramesTest, ANewerOneReplacesIt) {
  const auto old = frame(3);
  const auto young = frame(8);
  header(old);
  unit(old, 0);
  header(young);
  EXPECT_FALSE(unit(old, 1)) << "nobody waits for it any more";
  unit(young, 0);
  EXPECT_TRUE(unit(young, 1));
}

TEST_F(PreviewFramesTest, WhatIsTooLargeOrNoFrameIsDropped) {
  const auto large = frame(0, PreviewFrames::kMostBytes / 2);
  header(large);
  unit(large, 0);
  EXPECT_FALSE(unit(large, 1));
  EXPECT_FALSE(frames_.on_message(16, Payload::copy_of("no frame")));
  media::CodedFrame empty{.number = FrameNumber(2), .header = {}, .units = {}};
  EXPECT_FALSE(header(media::serialise(std::move(empty)))) << "nothing to decode";
  const auto next = frame(3);
  header(next);
  unit(next, 0);
  EXPECT_TRUE(unit(next, 1));
}

}  // namespace
}  // namespace qvid::app::preview_frames_test
