#include "media/codec/av1/av1_frame_bits.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/media/av1_video.h"

namespace qvid::media {
namespace {

std::vector<std::byte> bytes_of(const Payload& payload) {
  return {payload.bytes().begin(), payload.bytes().end()};
}

TEST(Av1FrameBits, AFrameCutShortIsAnErrorAndNoCrash) {
  const PictureSize size{64, 48};
  const auto encoder = av1_encoder_for(size);
  for (int n = 0; n < 3; ++n) {
    const auto unit = bytes_of(encode(*encoder, draw(size, n), n).units[0].data);
    const auto whole = read_av1_frame_bits(unit);
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(whole->begins, 0u) << "no temporal delimiter is sent";
    EXPECT_EQ(whole->refreshed, n == 0 ? 0xff : n == 1 ? 1 : 2);
    EXPECT_EQ(whole->primary, n == 0 ? Av1FrameBits::kNoPrimary : 0);
    for (std::size_t cut = 0; cut < unit.size(); ++cut) {
      EXPECT_FALSE(read_av1_frame_bits(std::span(unit).first(cut))) << cut;
    }
  }
}

TEST(Av1FrameBits, AnyBytesAreRead) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> bytes(random() % 40);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    const auto read = read_av1_frame_bits(bytes);
    if (read) {
      EXPECT_LT(read->begins, bytes.size());
    }
  }
}

}  // namespace
}  // namespace qvid::media
