#include "media/sound/sound_packet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace qvid::media {
namespace {

std::vector<std::byte> octets(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

// CELT, fullband, of 20 ms: configuration 31; `code` as in RFC 6716, section 3.1.
constexpr int celt20(int code) { return 31 << 3 | code; }

std::vector<std::byte> message(const std::vector<std::byte>& opus, int flags = 0) {
  std::vector<std::byte> out = octets({2, flags, 0, 0, 0, 0, 0, 0x0f, 0x42, 0x40});
  out.insert(out.end(), opus.begin(), opus.end());
  return out;
}
Result<SoundPacket> parsed(const std::vector<std::byte>& bytes) {
  return parse_sound_packet(Payload::copy_of(bytes));
}

TEST(SoundPacket, IsReadAsItWasWritten) {
  const SoundPacket packet{.captured = Timestamp(123'456'789us),
                           .duration = 20ms,
                           .last = true,
                           .opus = Payload::copy_of(octets({celt20(0), 1, 2, 3}))};
  const Payload wire = serialise(packet);
  EXPECT_EQ(wire.size(), 14U);
  const auto read = parse_sound_packet(wire);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->captured, packet.captured);
  EXPECT_EQ(read->duration, 20ms);
  EXPECT_TRUE(read->last);
  EXPECT_TRUE(std::ranges::equal(read->opus.bytes(), packet.opus.bytes()));
}

TEST(SoundPacket, TheFormatIsThatOfTheDrawing) {
  const SoundPacket packet{.captured = Timestamp(1s + 999ns),
                           .opus = Payload::copy_of(octets({celt20(0), 7}))};
  EXPECT_TRUE(std::ranges::equal(serialise(packet).bytes(), message(octets({celt20(0), 7}))));
}

TEST(SoundPacket, DurationIsThatOfTheOpusPacket) {
  const auto lasts = [](std::initializer_list<int> opus) {
    return parsed(message(octets(opus)))->duration;
  };
  EXPECT_EQ(lasts({celt20(0)}), 20ms);              // "as before"
  EXPECT_EQ(lasts({28 << 3, 1}), 2500us);           // CELT, 2.5 ms
  EXPECT_EQ(lasts({3 << 3, 1, 2}), 60ms);           // SILK, 60 ms
  EXPECT_EQ(lasts({celt20(1), 1, 2}), 40ms);        // two frames of a size
  EXPECT_EQ(lasts({celt20(3), 3, 1, 2, 3}), 60ms);  // three
}

TEST(SoundPacket, WhatIsMalformedIsRefused) {
  const auto good = octets({celt20(0), 1, 2, 3});
  ASSERT_TRUE(parsed(message(good)));
  EXPECT_FALSE(parsed({}));
  EXPECT_FALSE(parsed(message({}))) << "empty opus";
  const auto whole = message(good);
  for (std::size_t cut = 0; cut <= 10; ++cut) {
    EXPECT_FALSE(parsed({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut)})) << cut;
  }
  EXPECT_FALSE(parsed(message(good, 2))) << "an unknown flag";
  EXPECT_FALSE(parsed(message(good, 0x81))) << "an unknown flag beside a known one";
  auto other = whole;
  other[0] = std::byte{1};
  EXPECT_FALSE(parsed(other)) << "another kind";
  auto absurd = whole;
  absurd[2] = std::byte{0xff};
  EXPECT_FALSE(parsed(absurd)) << "an absurd time";
  EXPECT_FALSE(parsed(message(octets({celt20(1), 1, 2, 3})))) << "halves that are not alike";
  EXPECT_FALSE(parsed(message(octets({celt20(3), 4, 1, 2, 3, 4})))) << "80 ms";
  EXPECT_FALSE(parsed(message(octets({celt20(3), 0})))) << "no frames";
  auto large = good;
  large.resize(1 + kMaxOpusPacket);
  EXPECT_TRUE(parsed(message(large)));
  large.resize(2 + kMaxOpusPacket);
  EXPECT_FALSE(parsed(message(large))) << "a frame that is too large";
  // A frame of a byte, with paddings of 254 bytes: 255 255 .. 0.
  auto padded = octets({celt20(3), 0x41});
  for (int i = 0; i < 20; ++i) padded.push_back(std::byte{255});
  padded.push_back(std::byte{0});
  padded.resize(padded.size() + 20 * 254 + 1);
  EXPECT_FALSE(parsed(message(padded))) << "mostly padding";
  auto endless = good;
  endless.resize(1'000'000);
  EXPECT_FALSE(parsed(message(endless)));
}

}  // namespace
}  // namespace qvid::media
