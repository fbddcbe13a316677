// The codec `av1` from picture to picture: what it says can be decoded decodes bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "media/codec/av1/av1_quantiser.h"
#include "media/codec/av1/av1_rate_debt.h"
#include "media/codec/av1/drawn_content.h"
#include "media/codec/layers/layer_stream.h"
#include "tests/media/av1_video.h"
#include "tests/media/psnr.h"

namespace qvid::media {
namespace {

constexpr PictureSize kSize{112, 80};

std::vector<CodedFrame> coded_av1(int frames, unsigned seed, int threads = 1) {
  std::mt19937 random(seed);
  const auto encoder = av1_encoder_for(kSize, 24, 500, threads);
  std::vector<CodedFrame> video;
  for (int n = 0; n < frames; ++n) {
    if (random() % 40 == 0) encoder->request_sync_point();
    video.push_back(encode(*encoder, draw(kSize, n, static_cast<unsigned>(n) / 45), n));
  }
  return video;
}

TEST(Av1Codec, RoundTripIsCloseToTheSource) {
  const PictureSize size{160, 128};
  const auto encoder = av1_encoder_for(size, 24, 1500);
  Av1Decoder decoder;
  double quality = 0;
  constexpr int kFrames = 30;
  for (int n = 0; n < kFrames; ++n) {
    VideoFrame source = draw(size, n);
    source.range = ColorRange::kFull;
    source.matrix = ColorMatrix::kBt709;
    source.captured = Timestamp(Duration(n));
    const CodedFrame coded = encode(*encoder, source, n);
    EXPECT_EQ(coded.captured, source.captured);
    const auto got = decoder.decode(received(coded));
    ASSERT_TRUE(got) << got.error().message;
    ASSERT_TRUE(*got);
    EXPECT_EQ((*got)->layer, 0);
    EXPECT_EQ((*got)->layers, 1);
    EXPECT_EQ((*got)->number, coded.number);
    EXPECT_EQ((*got)->nominal, size);
    EXPECT_EQ((*got)->picture.size, size);
    EXPECT_EQ((*got)->picture.range, ColorRange::kFull);
    EXPECT_EQ((*got)->picture.matrix, ColorMatrix::kBt709);
    quality += psnr(source, (*got)->picture) / kFrames;
  }
  EXPECT_GT(quality, 32);
}

TEST(Av1Codec, WhatTheDependenciesAllowDecodesBitExactly) {
  for (const unsigned seed : {1u, 2u}) {
    const auto video = coded_av1(130, seed, seed == 2 ? 2 : 1);
    const auto whole = av1_hashes(video);
    for (const double loss : {0.02, 0.05, 0.1, 0.2, 0.4}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " loss " << loss);
      std::mt19937 random(seed * 1000);
      std::bernoulli_distribution lost(loss);
      Av1Decoder decoder;
      Decodable decodable;
      int shown = 0;
      for (std::size_t n = 0; n < video.size(); ++n) {
        if (!decodable.after(video[n], {!lost(random), false})[0]) continue;
        const auto got = decoder.decode(received(video[n]));
        ASSERT_TRUE(got) << n << ": " << got.error().message;
        ASSERT_TRUE(*got);
        ASSERT_EQ(hash((*got)->picture), whole[n]) << n;
        ++shown;
      }
      EXPECT_GT(shown, 4);
      EXPECT_LT(shown, 130);
    }
  }
}

TEST(Av1Codec, SizesOddAndSmallGoRound) {
  for (const PictureSize size :
       {PictureSize{16, 16}, {17, 19}, {31, 16}, {16, 200}, {98, 66}, {161, 91}, {320, 17}}) {
    SCOPED_TRACE(testing::Message() << size.width << 'x' << size.height);
    const auto encoder = av1_encoder_for(size, 8, 300);
    Av1Decoder decoder;
    for (int n = 0; n < 12; ++n) {
      const VideoFrame source = draw(size, n);
      const auto got = decoder.decode(received(encode(*encoder, source, n)));
      ASSERT_TRUE(got) << n << ": " << got.error().message;
      ASSERT_TRUE(*got);
      ASSERT_EQ((*got)->picture.size, size);
      EXPECT_GT(psnr(source, (*got)->picture), 20) << n;
    }
  }
}

TEST(Av1Codec, SyncPointsComeWithTheGroupAndOnDemand) {
  const auto encoder = av1_encoder_for(kSize, 10);
  std::vector<int> at;
  for (int n = 0; n < 40; ++n) {
    if (n == 5) encoder->request_sync_point(0);
    if (n == 7) encoder->request_sync_point(1);  // there is none
    if (n == 23) encoder->request_sync_point();
    if (n == 24) encoder->set_gop(600);
    const CodedFrame coded = encode(*encoder, draw(kSize, n), n);
    ASSERT_EQ(coded.units.size(), 1u);
    const auto header = parse_frame_header(coded.header.bytes(), CodecKind::kAv1);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->sync[0], coded.units[0].is_sync_point());
    if (header->sync[0]) at.push_back(n);
  }
  EXPECT_EQ(at, (std::vector<int>{0, 5, 15, 23, 33}));
}

TEST(Av1Codec, NothingDependsOnAUnitPastNeededFor) {
  const auto video = coded_av1(100, 4);
  for (std::size_t n = 0; n < video.size(); ++n) {
    const CodedUnit& unit = video[n].units[0];
    EXPECT_GE(unit.needed_for, 0);
    EXPECT_LT(unit.needed_for, 24);
    std::size_t last = n;  // a frame refers to the one before: all up to the next beginning
    while (last + 1 < video.size() && !video[last + 1].units[0].is_sync_point()) ++last;
    EXPECT_LE(last - n, static_cast<std::size_t>(unit.needed_for)) << n;
  }
}

TEST(Av1Codec, OtherColoursBeginAnew) {
  const auto encoder = av1_encoder_for(kSize, 600);
  Av1Decoder decoder;
  for (int n = 0; n < 9; ++n) {
    VideoFrame source = draw(kSize, n);
    if (n >= 3) source.range = ColorRange::kFull;
    if (n >= 6) source.matrix = ColorMatrix::kBt709;
    const CodedFrame coded = encode(*encoder, source, n);
    EXPECT_EQ(coded.units[0].is_sync_point(), n % 3 == 0) << n;
    const auto got = decoder.decode(received(coded));
    ASSERT_TRUE(got && *got);
    EXPECT_EQ((*got)->picture.range, source.range);
    EXPECT_EQ((*got)->picture.matrix, source.matrix);
  }
}

TEST(Av1Codec, AnotherSizeTakesAnotherEncoderAndTheDecoderFollows) {
  Av1Decoder decoder;
  int n = 0;
  for (const PictureSize size : {PictureSize{112, 80}, {64, 48}, {160, 120}}) {
    const auto encoder = av1_encoder_for(size);
    for (int i = 0; i < 3; ++i, ++n) {
      const auto got = decoder.decode(received(encode(*encoder, draw(size, n), n)));
      ASSERT_TRUE(got && *got) << n;
      EXPECT_EQ((*got)->picture.size, size);
    }
    EXPECT_FALSE(encoder->encode(draw({96, 96}, n), FrameNumber(n)));
  }
}

TEST(Av1Codec, FramesOutOfOrderAreRefused) {
  const auto encoder = av1_encoder_for(kSize);
  encode(*encoder, draw(kSize, 0), 0);
  EXPECT_FALSE(encoder->encode(draw(kSize, 2), FrameNumber(2)));
}

TEST(Av1Codec, OptionsOutOfRangeAreRefused) {
  EncoderOptions good;
  good.size = {64, 48};
  ASSERT_TRUE(make_encoder("av1", good));
  const auto with = [&](auto change) {
    EncoderOptions options = good;
    change(options);
    return !make_encoder("av1", options);
  };
  EXPECT_TRUE(with([](auto& o) { o.size = {15, 48}; }));
  EXPECT_TRUE(with([](auto& o) { o.size = {64, 4098}; }));
  EXPECT_TRUE(with([](auto& o) { o.rate = {0, 1}; }));
  EXPECT_TRUE(with([](auto& o) { o.rate = {241, 1}; }));
  EXPECT_TRUE(with([](auto& o) { o.bitrate = DataRate::from_kbps(9); }));
  EXPECT_TRUE(with([](auto& o) { o.bitrate = DataRate::from_kbps(200'001); }));
  EXPECT_TRUE(with([](auto& o) { o.gop = 0; }));
  EXPECT_TRUE(with([](auto& o) { o.gop = kMaxGop + 1; }));
  EXPECT_TRUE(with([](auto& o) { o.threads = 17; }));
}

TEST(Av1Codec, DamageIsSurvivedAndGoneAtTheNextSyncPoint) {
  const auto video = coded_av1(100, 5);
  const auto whole = av1_hashes(video);
  int errors = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    Av1Decoder decoder;
    bool sound = false;
    for (std::size_t n = 0; n < video.size(); ++n) {
      ReceivedFrame frame = received(video[n]);
      CodedUnit& unit = frame.units[0];
      sound = sound || unit.is_sync_point();
      if (random() % 20 == 0) {
        std::vector<std::byte> bytes(unit.data.bytes().begin(), unit.data.bytes().end());
        if (random() % 3 == 0) {
          bytes.resize(random() % bytes.size());
        } else {
          const std::size_t most = random() % 2 == 0 ? bytes.size() : 16;
          for (int k = 0; k < 3; ++k) {
            bytes[random() % std::min(bytes.size(), most)] ^=
                static_cast<std::byte>(1u << random() % 8);
          }
        }
        unit.data = Payload::copy_of(bytes);
        sound = false;
      }
      const auto got = decoder.decode(frame);
      if (!got) ++errors;
      if (!sound) continue;
      ASSERT_TRUE(got && *got) << n;
      ASSERT_EQ(hash((*got)->picture), whole[n]) << "seed " << seed << " " << n;
    }
  }
  EXPECT_GT(errors, 0);
}

TEST(Av1Codec, WhatTheHeaderDoesNotAnnounceIsRefused) {
  const auto big = encode(*av1_encoder_for({256, 256}), draw({256, 256}, 0), 0);
  const auto small = encode(*av1_encoder_for({64, 48}), draw({64, 48}, 0), 0);
  Av1Decoder decoder;
  ReceivedFrame frame = received(big);
  frame.header = small.header;  // dav1d is told the header's size as the largest
  EXPECT_FALSE(decoder.decode(frame));
  frame = received(small);
  frame.header = big.header;
  EXPECT_FALSE(decoder.decode(frame));
  frame = received(small);
  frame.header = Payload::copy_of("nonsense");
  EXPECT_FALSE(decoder.decode(frame));
  frame = received(small);
  frame.units[0].layer = 1;
  EXPECT_FALSE(decoder.decode(frame));
  frame = received(small);
  frame.units.push_back(frame.units[0]);
  EXPECT_FALSE(decoder.decode(frame));
  frame = received(small);
  frame.units[0].data = Payload();
  EXPECT_FALSE(decoder.decode(frame));
  frame = received(small);
  frame.units.clear();
  const auto nothing = decoder.decode(frame);
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(*nothing);
  const auto got = decoder.decode(received(small));
  EXPECT_TRUE(got && *got);
}

TEST(Av1Codec, BeforeASyncPointNothingIsDecoded) {
  const auto encoder = av1_encoder_for(kSize);
  encode(*encoder, draw(kSize, 0), 0);
  EXPECT_FALSE(Av1Decoder().decode(received(encode(*encoder, draw(kSize, 1), 1))));
}

TEST(Av1Codec, TextIsTakenForDrawnAndPicturesAreNot) {
  EXPECT_TRUE(is_drawn(draw_text({320, 200}, 3)));
  EXPECT_FALSE(is_drawn(draw({320, 200}, 3)));
  NewFrame grey = allocate_frame({320, 200});
  for (std::size_t p = 0; p < 3; ++p) {
    std::fill_n(grey.writable[p], grey.frame.planes[p].stride * (p == 0 ? 200 : 100), 90);
  }
  EXPECT_FALSE(is_drawn(grey.frame)) << "one colour is nothing to choose from";
  // A smooth wall, of which each block has two or three values, behind somebody.
  const VideoFrame somebody = draw({320, 200}, 3);
  for (int y = 0; y < 200; ++y) {
    std::uint8_t* row =
        grey.writable[0] + static_cast<std::ptrdiff_t>(y) * grey.frame.planes[0].stride;
    for (int x = 0; x < 320; ++x) row[x] = static_cast<std::uint8_t>(90 + x / 32 + y % 2);
    if (y < 100) continue;
    std::copy_n(
        somebody.planes[0].data + static_cast<std::ptrdiff_t>(y) * somebody.planes[0].stride, 160,
        row);
  }
  EXPECT_FALSE(is_drawn(grey.frame)) << "a smooth wall is not drawn";
}

// What a link of the rate has not carried yet when a frame is coded, in mean frames.
TEST(Av1Codec, WhatTheRateControlTookTooMuchIsPaidBack) {
  const PictureSize size{208, 160};
  constexpr double kMeanFrame = 30'000.0 / 30 / 8;  // bytes
  const auto encoder = av1_encoder_for(size, kMaxGop, 30);
  double behind = 0;
  double most = 0;
  double bytes = 0;
  constexpr int kFrames = 400;
  for (int n = 0; n < kFrames; ++n) {
    // Still for a second, and moving for one.
    const CodedFrame coded =
        encode(*encoder, draw(size, n / 60 * 30 + std::max(0, n % 60 - 30)), n);
    const auto taken = static_cast<double>(coded.units[0].data.size());
    bytes += taken;
    behind = std::max(0.0, behind + taken - kMeanFrame);
    if (n > 60) most = std::max(most, behind / kMeanFrame);
  }
  EXPECT_LT(most, 9) << "libaom by itself: 10";
  EXPECT_LT(bytes, 1.02 * kMeanFrame * kFrames);
  EXPECT_GT(bytes, 0.8 * kMeanFrame * kFrames);
}

TEST(Av1Quantiser, IsThatOfH264WithStepsAsWide) {
  EXPECT_NEAR(as_quantiser_of_h264(32), kLeastQuantiser, 0.3) << "libaom's 8 of 63";
  EXPECT_NEAR(as_quantiser_of_h264(255), kMostQuantiser, 0.3);
  EXPECT_NEAR(as_quantiser_of_h264(100), 6 * std::log2(112 / 8.0 / 0.625), 0.1);
  EXPECT_NEAR(as_quantiser_of_h264(200), 6 * std::log2(639 / 8.0 / 0.625), 0.1);
  for (int index = 0; index < 255; ++index) {
    EXPECT_LT(as_quantiser_of_h264(index), as_quantiser_of_h264(index + 1) + 1e-9) << index;
  }
}

TEST(Av1RateDebt, IsPaidBackAndNeverSaved) {
  const DataRate rate = DataRate::from_kbps(240);  // 1000 bytes a frame
  Av1RateDebt debt;
  EXPECT_EQ(debt.part(), 1);
  for (int n = 0; n < 10; ++n) debt.on_coded(ByteCount(10), rate, {30, 1});
  EXPECT_EQ(debt.part(), 1);
  debt.on_coded(ByteCount(5000), rate, {30, 1});
  EXPECT_DOUBLE_EQ(debt.part(), 1 - 4.0 / Av1RateDebt::kPayBack);
  for (int n = 0; n < 4; ++n) debt.on_coded(ByteCount(0), rate, {30, 1});
  EXPECT_EQ(debt.part(), 1);
  debt.on_coded(ByteCount(100'000), rate, {30, 1});
  EXPECT_EQ(debt.part(), Av1RateDebt::kLeastPart);
}

TEST(Av1Codec, DrawnPicturesGoThroughChangesOfContent) {
  const PictureSize size{160, 96};
  const auto encoder = av1_encoder_for(size, 600, 800);
  Av1Decoder decoder;
  for (int n = 0; n < 200; ++n) {
    const VideoFrame source = n / 50 % 2 == 0 ? draw_text(size, n) : draw(size, n);
    if (n % 50 == 20) encoder->on_lost(FrameNumber(n - 2), 0);
    const auto got = decoder.decode(received(encode(*encoder, source, n)));
    ASSERT_TRUE(got && *got) << n;
    if (n % 50 > 40) {
      EXPECT_GT(psnr(source, (*got)->picture), 20) << n;
    }
  }
}

}  // namespace
}  // namespace qvid::media
