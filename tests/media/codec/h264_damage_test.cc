// The codec `h264` given what it should not be given.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/media/codec/h264_coded_video.h"
#include "tests/media/h264_video.h"

namespace qvid::media {
namespace {

TEST(H264Codec, DamageIsSurvivedAndGoneAtTheNextSyncPoint) {
  const auto video = coded_video(100, 5);
  const auto whole = whole_hashes(video);
  int errors = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    const auto decoder = new_decoder();
    std::array<bool, kLayers> sound{};  // since the layer's last sync point
    for (std::size_t n = 0; n < video.size(); ++n) {
      ReceivedFrame frame = received(video[n]);
      for (CodedUnit& unit : frame.units) {
        if (unit.is_sync_point()) sound[unit.layer] = true;
        if (random() % 12 != 0) continue;
        std::vector<std::byte> bytes(unit.data.bytes().begin(), unit.data.bytes().end());
        switch (random() % 4) {
          case 0: bytes.resize(random() % bytes.size()); break;
          case 1:
            for (std::byte& b : bytes) b = static_cast<std::byte>(random());
            break;
          case 2:
            for (int k = 0; k < 3; ++k) {
              bytes[random() % bytes.size()] ^= static_cast<std::byte>(1u << random() % 8);
            }
            break;
          default:  // the parameter sets and slice headers are in front
            bytes[random() % std::min<std::size_t>(bytes.size(), 48)] ^=
                static_cast<std::byte>(1u << random() % 8);
        }
        unit.data = Payload::copy_of(bytes);
        sound[unit.layer] = false;
      }
      const auto got = decoder->decode(frame);
      if (!got) ++errors;
      if (sound[0] || sound[1]) {
        ASSERT_TRUE(got) << n << ": " << got.error().message;
      }
      if (got && *got && sound[(*got)->layer]) {
        ASSERT_EQ(hash((*got)->picture), whole[(*got)->layer][n]) << "seed " << seed << " " << n;
      }
      if (got && *got && sound[1]) {
        ASSERT_EQ((*got)->layer, 1);
      }
      for (std::size_t layer = 0; got && *got && layer < kLayers; ++layer) {
        ASSERT_FALSE(sound[layer] && (*got)->failed[layer]) << n;
      }
    }
  }
  EXPECT_GT(errors, 0);
}

TEST(H264Codec, ALayerThatFailsBesideAnotherIsNamed) {
  const PictureSize size{64, 48};
  const CodedFrame coded = encode(*encoder_for(size), draw(size, 0), 0);
  for (const std::size_t bad : {0u, 1u}) {
    ReceivedFrame frame = received(coded);
    frame.units[bad].data = Payload::copy_of(std::string_view("not H.264"));
    const auto got = new_decoder()->decode(frame);
    ASSERT_TRUE(got);
    ASSERT_TRUE(*got);
    EXPECT_EQ((*got)->layer, 1 - bad);
    EXPECT_EQ((*got)->failed.to_ulong(), 1u << bad);
  }
  const auto whole = new_decoder()->decode(received(coded));
  ASSERT_TRUE(whole && *whole);
  EXPECT_TRUE((*whole)->failed.none());
}

TEST(H264Codec, GarbageHeadersAndLayersAreErrors) {
  const PictureSize size{64, 48};
  const auto encoder = encoder_for(size);
  const CodedFrame coded = encode(*encoder, draw(size, 0), 0);
  const auto decoder = new_decoder();
  ReceivedFrame frame = received(coded);
  frame.header = Payload::copy_of("nonsense");
  EXPECT_FALSE(decoder->decode(frame));
  frame = received(coded);
  frame.units[1].layer = 2;
  EXPECT_FALSE(decoder->decode(frame));
  frame.units[1].layer = 0;
  EXPECT_FALSE(decoder->decode(frame));
  frame.units[1].layer = 1;
  frame.units[0].data = Payload();
  frame.units[1].data = Payload();
  EXPECT_FALSE(decoder->decode(frame));
  // L in the place of H has the wrong size.
  frame = received(coded, {true, false});
  frame.units[0].layer = 1;
  EXPECT_FALSE(decoder->decode(frame));
  const auto nothing = decoder->decode(received(coded, {false, false}));
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(*nothing);
  EXPECT_TRUE(decoder->decode(received(coded)));
}

TEST(H264Codec, AbsurdOptionsAreRefused) {
  EncoderOptions good;
  good.size = {64, 48};
  ASSERT_TRUE(make_encoder("h264", good));
  const auto refused = [&](auto change) {
    EncoderOptions options = good;
    change(options);
    const auto encoder = make_encoder("h264", options);
    return !encoder && !encoder.error().message.empty();
  };
  for (const PictureSize size : {PictureSize{0, 0}, PictureSize{-64, 48}, PictureSize{14, 48},
                                 PictureSize{65, 48}, PictureSize{64, 47}, PictureSize{4098, 48}}) {
    EXPECT_TRUE(refused([&](EncoderOptions& o) { o.size = size; })) << size.width;
  }
  for (const FrameRate rate : {FrameRate{0, 1}, FrameRate{30, 0}, FrameRate{-30, -1},
                               FrameRate{-30, 1}, FrameRate{241, 1}}) {
    EXPECT_TRUE(refused([&](EncoderOptions& o) { o.rate = rate; })) << rate.numerator;
  }
  for (const std::int64_t bps :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{9'999}, std::int64_t{200'000'001}}) {
    EXPECT_TRUE(refused([&](EncoderOptions& o) { o.bitrate = DataRate::from_bps(bps); })) << bps;
  }
  for (const int gop : {-1, 0, kMaxGop + 1}) {
    EXPECT_TRUE(refused([&](EncoderOptions& o) { o.gop = gop; })) << gop;
  }
  for (const int threads : {-1, 0, 17}) {
    EXPECT_TRUE(refused([&](EncoderOptions& o) { o.threads = threads; })) << threads;
  }
}

TEST(H264Codec, FramesOutOfOrderOrOfAnotherSizeAreErrors) {
  const auto encoder = encoder_for({64, 48});
  EXPECT_FALSE(encoder->encode(draw({64, 46}, 0), FrameNumber(0)));
  EXPECT_TRUE(encoder->encode(draw({64, 48}, 0), FrameNumber(7)));
  EXPECT_FALSE(encoder->encode(draw({64, 48}, 1), FrameNumber(9)));
  EXPECT_TRUE(encoder->encode(draw({64, 48}, 1), FrameNumber(8)));
}

}  // namespace
}  // namespace qvid::media
