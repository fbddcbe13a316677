// The codec `h264` from picture to picture. What it stands on: x264 refers to nothing outside the
// declared dependencies, and libavcodec decodes whatever they allow, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "media/picture/downscale.h"
#include "tests/media/h264_video.h"
#include "tests/media/psnr.h"

namespace qvid::media {
namespace {

// A video with scene cuts and random requests for synchronisation points.
std::vector<CodedFrame> coded_video(int frames, unsigned seed, int threads = 1) {
  std::mt19937 random(seed);
  const PictureSize size{112, 80};
  const auto encoder = encoder_for(size, 24, 500, threads);
  std::vector<CodedFrame> video;
  for (int n = 0; n < frames; ++n) {
    if (random() % 40 == 0) encoder->request_sync_point();
    video.push_back(encode(*encoder, draw(size, n, static_cast<unsigned>(n) / 45), n));
  }
  return video;
}

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
  for (const int gop : {-1, 0, 601}) {
    EXPECT_TRUE(refused([&](EncoderOptions& o) { o.gop = gop; })) << gop;
  }
  for (const int threads : {-1, 0, 17}) {
    EXPECT_TRUE(refused([&](EncoderOptions& o) { o.threads = threads; })) << threads;
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

TEST(H264Codec, FramesOutOfOrderOrOfAnotherSizeAreErrors) {
  const auto encoder = encoder_for({64, 48});
  EXPECT_FALSE(encoder->encode(draw({64, 46}, 0), FrameNumber(0)));
  EXPECT_TRUE(encoder->encode(draw({64, 48}, 0), FrameNumber(7)));
  EXPECT_FALSE(encoder->encode(draw({64, 48}, 1), FrameNumber(9)));
  EXPECT_TRUE(encoder->encode(draw({64, 48}, 1), FrameNumber(8)));
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

TEST(Downscale, IsTheRoundedMeanAndRepeatsTheEdge) {
  NewFrame source = allocate_frame({6, 2});
  const std::array<std::uint8_t, 12> luma = {0, 1, 10, 20, 255, 255, 0, 0, 30, 41, 255, 255};
  for (std::ptrdiff_t i = 0; i < 12; ++i) {
    source.writable[0][i / 6 * source.frame.planes[0].stride + i % 6] =
        luma[static_cast<std::size_t>(i)];
  }
  for (std::ptrdiff_t x = 0; x < 3; ++x) {
    source.writable[1][x] = source.writable[2][x] = static_cast<std::uint8_t>(10 * x);
  }
  const VideoFrame half = downscale_half(source.frame);
  EXPECT_EQ(half.size, (PictureSize{4, 2}));
  for (int y = 0; y < 2; ++y) {
    const std::uint8_t* row = half.planes[0].data + y * half.planes[0].stride;
    const bool second = y == 1;  // padding: the last row of the source again
    EXPECT_EQ(row[0], 0);
    EXPECT_EQ(row[1], second ? 36 : 25);
    EXPECT_EQ(row[2], 255);
    EXPECT_EQ(row[3], 255);
  }
  EXPECT_EQ(half.planes[1].data[0], 5);
  EXPECT_EQ(half.planes[2].data[1], 20);
}

}  // namespace
}  // namespace qvid::media
