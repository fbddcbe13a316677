// The codec `h264` from picture to picture. What it stands on: x264 refers to nothing outside the
// declared dependencies, and libavcodec decodes whatever they allow, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "media/picture/downscale.h"
#include "tests/media/codec/h264_coded_video.h"
#include "tests/media/h264_video.h"
#include "tests/media/psnr.h"

namespace qvid::media {
namespace {

TEST(H264Codec, RoundTripIsCloseToTheSourceInBothLayers) {
  const PictureSize size{160, 128};
  const auto encoder = encoder_for(size, 24, 1500);
  const auto both = new_decoder();
  const auto low = new_decoder();
  double high_psnr = 0;
  double low_psnr = 0;
  constexpr int kFrames = 30;
  for (int n = 0; n < kFrames; ++n) {
    VideoFrame source = draw(size, n);
    source.range = ColorRange::kFull;
    source.matrix = ColorMatrix::kBt709;
    source.captured = Timestamp(Duration(n));
    const CodedFrame coded = encode(*encoder, source, n);
    EXPECT_EQ(coded.captured, source.captured);
    const auto high = both->decode(received(coded));
    ASSERT_TRUE(high) << high.error().message;
    ASSERT_TRUE(*high);
    EXPECT_EQ((*high)->layer, 1);
    EXPECT_EQ((*high)->layers, 2);
    EXPECT_EQ((*high)->number, coded.number);
    EXPECT_EQ((*high)->picture.size, size);
    EXPECT_EQ((*high)->picture.range, ColorRange::kFull);
    EXPECT_EQ((*high)->picture.matrix, ColorMatrix::kBt709);
    high_psnr += psnr(source, (*high)->picture) / kFrames;
    const auto small = low->decode(received(coded, {true, false}));
    ASSERT_TRUE(small) << small.error().message;
    ASSERT_TRUE(*small);
    EXPECT_EQ((*small)->layer, 0);
    EXPECT_EQ((*small)->nominal, size);
    EXPECT_EQ((*small)->picture.size, half_size(size));
    low_psnr += psnr(downscale_half(source), (*small)->picture) / kFrames;
  }
  EXPECT_GT(high_psnr, 32);
  EXPECT_GT(low_psnr, 32);
}

TEST(H264Codec, WhatTheDependenciesAllowDecodesBitExactly) {
  for (const unsigned seed : {1u, 2u}) {
    const auto video = coded_video(130, seed, seed == 2 ? 2 : 1);
    const auto whole = whole_hashes(video);
    for (const double loss : {0.02, 0.05, 0.1, 0.2, 0.4}) {
      for (unsigned round = 0; round < 2; ++round) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << " loss " << loss << ' ' << round);
        std::mt19937 random(seed * 1000 + round);
        std::bernoulli_distribution lost(loss);
        std::bernoulli_distribution header_lost(loss / 4);
        const auto both = new_decoder();
        std::array<std::unique_ptr<Decoder>, kLayers> alone = {new_decoder(), new_decoder()};
        Decodable decodable;
        std::array<int, kLayers> shown{};
        for (std::size_t n = 0; n < video.size(); ++n) {
          const bool header = !header_lost(random);
          const auto can =
              decodable.after(video[n], {header && !lost(random), header && !lost(random)});
          for (std::size_t layer = 0; layer < kLayers; ++layer) {
            if (!can[layer]) continue;
            const auto got = alone[layer]->decode(received(video[n], {layer == 0, layer == 1}));
            ASSERT_TRUE(got) << "frame " << n << ": " << got.error().message;
            ASSERT_TRUE(*got);
            ASSERT_EQ(hash((*got)->picture), whole[layer][n])
                << "frame " << n << " layer " << layer;
            ++shown[layer];
          }
          if (!can[0] && !can[1]) continue;
          const auto got = both->decode(received(video[n], can));
          ASSERT_TRUE(got) << "frame " << n << ": " << got.error().message;
          ASSERT_TRUE(*got);
          ASSERT_EQ((*got)->layer, can[1] ? 1 : 0);
          ASSERT_EQ(hash((*got)->picture), whole[(*got)->layer][n]) << "frame " << n;
        }
        // The test shows something: much decodes, and much does not.
        EXPECT_GT(shown[0] + shown[1], loss < 0.3 ? 40 : 4);
        EXPECT_LT(shown[0] + shown[1], 260);
      }
    }
  }
}

// The drops that a scheduler makes on purpose: whole classes.
TEST(H264Codec, EveryClassPrefixDecodesBitExactly) {
  const auto video = coded_video(100, 3);
  const auto whole = whole_hashes(video);
  for (const auto top : {TemporalClass::kT0, TemporalClass::kT1}) {
    const auto decoder = new_decoder();
    Decodable decodable;
    int shown = 0;
    for (std::size_t n = 0; n < video.size(); ++n) {
      const bool sent = video[n].temporal_class <= top;
      // The frame's class is L's: only L is sure to be decodable.
      const auto can = decodable.after(video[n], {sent, false});
      ASSERT_EQ(can[0], sent);
      if (!sent) continue;
      const auto got = decoder->decode(received(video[n], {true, false}));
      ASSERT_TRUE(got) << got.error().message;
      ASSERT_TRUE(*got);
      ASSERT_EQ(hash((*got)->picture), whole[0][n]);
      ++shown;
    }
    EXPECT_GT(shown, top == TemporalClass::kT0 ? 24 : 49);
    EXPECT_LT(shown, top == TemporalClass::kT0 ? 40 : 65);
  }
}

TEST(H264Codec, NothingDependsOnAUnitPastNeededFor) {
  const auto video = coded_video(150, 4);
  std::array<int, kLayers> sync_points{};
  for (std::size_t n = 0; n < video.size(); ++n) {
    const CodedFrame& coded = video[n];
    ASSERT_EQ(coded.units.size(), kLayers);
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      const CodedUnit& unit = coded.units[layer];
      EXPECT_EQ(unit.layer, layer);
      EXPECT_GE(unit.needed_for, 0);
      EXPECT_LT(unit.needed_for, 24);
      sync_points[layer] += unit.is_sync_point() ? 1 : 0;
      for (const UnitDependency& d : unit.depends_on) {
        EXPECT_EQ(d.unit, layer) << "the layers are independent";
        ASSERT_GT(d.frames_back, 0);
        ASSERT_LE(d.frames_back, n);
      }
      // Everything that needs this unit, directly or not, found by following the dependencies.
      std::vector<bool> needs(video.size());
      needs[n] = true;
      for (std::size_t later = n + 1; later < video.size(); ++later) {
        for (const UnitDependency& d : video[later].units[layer].depends_on) {
          if (needs[later - d.frames_back]) needs[later] = true;
        }
        if (needs[later]) {
          EXPECT_LE(later - n, static_cast<std::size_t>(unit.needed_for))
              << n << " layer " << layer;
        }
      }
    }
    if (coded.units[0].is_sync_point()) {
      EXPECT_EQ(coded.temporal_class, TemporalClass::kT0);
    }
    if (coded.temporal_class == TemporalClass::kT2) {
      EXPECT_EQ(coded.units[0].needed_for, 0);
    }
  }
  EXPECT_GT(sync_points[0], 6);
  EXPECT_GT(sync_points[1], 6);
}

TEST(H264Codec, SyncPointsAreStaggeredAndComeOnRequest) {
  const PictureSize size{64, 48};
  const auto encoder = encoder_for(size, 16);
  std::array<std::vector<int>, kLayers> at;
  for (int n = 0; n < 60; ++n) {
    if (n == 35) encoder->request_sync_point();
    const CodedFrame coded = encode(*encoder, draw(size, n), n);
    for (const CodedUnit& unit : coded.units) {
      if (unit.is_sync_point()) at[unit.layer].push_back(n);
    }
  }
  EXPECT_EQ(at[0], (std::vector<int>{0, 16, 32, 35, 51}));
  EXPECT_EQ(at[1], (std::vector<int>{0, 8, 24, 35, 43, 59}));
}

TEST(H264Codec, ASceneCutIsASyncPoint) {
  const PictureSize size{128, 96};
  const auto encoder = encoder_for(size, 60, 1000);
  for (int n = 0; n < 26; ++n) {
    const CodedFrame coded = encode(*encoder, draw(size, n, n < 23 ? 0 : 3), n);
    EXPECT_EQ(coded.units[0].is_sync_point(), n == 0 || n == 23) << n;
    EXPECT_EQ(coded.units[1].is_sync_point(), n == 0 || n == 23) << n;
    if (n == 23) {
      EXPECT_EQ(coded.temporal_class, TemporalClass::kT0);
    }
  }
}

TEST(H264Codec, APictureOutlivesItsDecoder) {
  const PictureSize size{64, 48};
  const auto encoder = encoder_for(size);
  auto decoder = new_decoder();
  std::vector<VideoFrame> kept;
  std::vector<std::uint64_t> hashes;
  for (int n = 0; n < 10; ++n) {
    const auto got = decoder->decode(received(encode(*encoder, draw(size, n), n)));
    ASSERT_TRUE(got);
    ASSERT_TRUE(*got);
    kept.push_back((*got)->picture);
    hashes.push_back(hash(kept.back()));
  }
  decoder.reset();
  for (std::size_t n = 0; n < kept.size(); ++n) EXPECT_EQ(hash(kept[n]), hashes[n]);
}

TEST(H264Codec, UnusualSizesAndShortestGroupsWork) {
  for (const auto& [size, gop] : {std::pair{PictureSize{646, 482}, 60},
                                  {PictureSize{16, 16}, 60},
                                  {PictureSize{18, 34}, 3},
                                  {PictureSize{640, 360}, 60},
                                  {PictureSize{128, 16}, 2},
                                  {PictureSize{64, 48}, 1}}) {
    SCOPED_TRACE(testing::Message() << size.width << "x" << size.height << " gop " << gop);
    const auto encoder = encoder_for(size, gop, 3000);
    const auto both = new_decoder();
    const auto low = new_decoder();
    for (int n = 0; n < 7; ++n) {
      const VideoFrame source = draw(size, n);
      const CodedFrame coded = encode(*encoder, source, n);
      const auto high = both->decode(received(coded));
      ASSERT_TRUE(high) << high.error().message;
      ASSERT_TRUE(*high);
      EXPECT_EQ((*high)->picture.size, size);
      EXPECT_GT(psnr(source, (*high)->picture), 22);
      const auto small = low->decode(received(coded, {true, false}));
      ASSERT_TRUE(small) << small.error().message;
      ASSERT_TRUE(*small);
      EXPECT_EQ((*small)->picture.size, half_size(size));
      EXPECT_GT(psnr(downscale_half(source), (*small)->picture), 22);
    }
  }
}

TEST(H264Codec, LowestAndHighestRatesAreEncoded) {
  for (const int kbps : {10, 200'000}) {
    const PictureSize size{64, 48};
    const auto encoder = encoder_for(size, 8, kbps);
    for (int n = 0; n < 12; ++n) encode(*encoder, draw(size, n), n);
    encoder->set_rates(DataRate::from_bps(-5), DataRate::from_bps(-5));  // clamped
    for (int n = 12; n < 16; ++n) encode(*encoder, draw(size, n), n);
  }
}

TEST(H264Codec, SlowestAndFastestFramesAreEncoded) {
  for (const FrameRate rate :
       {FrameRate{1, 1'000'000}, FrameRate{240, 1}, FrameRate{30000, 1001}}) {
    EncoderOptions options;
    options.size = {64, 48};
    options.rate = rate;
    options.bitrate = DataRate::from_kbps(200'000);
    auto encoder = make_encoder("h264", options);
    ASSERT_TRUE(encoder);
    for (int n = 0; n < 6; ++n) encode(**encoder, draw(options.size, n), n);
  }
}

// More than one thread codes a picture as slices.
TEST(H264Codec, SlicesDecodeAsOnePicture) {
  for (const int threads : {2, 4}) {
    const PictureSize size{320, 240};
    const auto encoder = encoder_for(size, 12, 1500, threads);
    const auto decoder = new_decoder();
    for (int n = 0; n < 30; ++n) {
      const VideoFrame source = draw(size, n);
      const auto got = decoder->decode(received(encode(*encoder, source, n)));
      ASSERT_TRUE(got) << threads << " threads, frame " << n << ": " << got.error().message;
      ASSERT_TRUE(*got);
      EXPECT_TRUE((*got)->failed.none());
      EXPECT_EQ((*got)->layer, 1);
      EXPECT_GT(psnr(source, (*got)->picture), 25) << threads << " threads, frame " << n;
    }
  }
}

TEST(H264Codec, NewColoursStartAtASyncPoint) {
  const auto encoder = encoder_for({64, 48});
  const auto decoder = new_decoder();
  for (int n = 0; n < 6; ++n) {
    VideoFrame frame = draw({64, 48}, n);
    frame.range = n < 3 ? ColorRange::kLimited : ColorRange::kFull;
    const CodedFrame coded = encode(*encoder, frame, n);
    EXPECT_EQ(coded.units[0].is_sync_point() && coded.units[1].is_sync_point(), n % 3 == 0);
    const auto got = decoder->decode(received(coded));
    ASSERT_TRUE(got) << got.error().message;
    ASSERT_TRUE(*got);
    EXPECT_EQ((*got)->picture.range, frame.range);
  }
}

TEST(Codec, UnknownNamesListTheKnownOnes) {
  EncoderOptions options;
  options.size = {64, 48};
  const auto encoder = make_encoder("mpeg1", options);
  ASSERT_FALSE(encoder);
  EXPECT_NE(encoder.error().message.find("h264"), std::string::npos);
  const auto decoder = make_decoder("");
  ASSERT_FALSE(decoder);
  EXPECT_NE(decoder.error().message.find("h264"), std::string::npos);
}

}  // namespace
}  // namespace qvid::media
