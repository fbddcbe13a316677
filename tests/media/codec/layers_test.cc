// Layers of every codec and structure: whatever of them is lost, what is said to be decodable is what the
// encoder meant, bit for bit, and no layer feels what another has lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "media/codec/layers/frame_header.h"
#include "media/codec/layers/layered_encoder.h"
#include "tests/media/h264_video.h"
#include "tests/media/psnr.h"

namespace qvid::media::layers_test {
namespace {

using Units = std::bitset<kMaxUnits>;

ReceivedFrame only(const CodedFrame& coded, Units which) {
  ReceivedFrame r{coded.number, coded.header, {}};
  for (const CodedUnit& unit : coded.units) {
    if (which[unit.layer]) r.units.push_back(unit);
  }
  return r;
}

std::unique_ptr<Decoder> decoder_of(const std::string& codec) { return *make_decoder(codec); }

// Of each unit: what it shows where nothing is lost, with the layers below it.
using Meant = std::map<UnitKey, std::uint64_t>;

Meant meant_by(const std::string& codec, const std::vector<CodedFrame>& video) {
  Meant meant;
  for (std::uint8_t layer = 0; layer < kMostLayers; ++layer) {
    const auto decoder = decoder_of(codec);
    for (const CodedFrame& coded : video) {
      const ReceivedFrame frame = only(coded, Units(1u << layer));
      if (frame.units.empty()) continue;
      const auto got = decoder->decode(frame);
      if (!got || !*got) throw std::runtime_error("a whole layer does not decode");
      meant[{coded.number, layer}] = hash((*got)->picture);
    }
  }
  return meant;
}

class LayersOf : public ::testing::TestWithParam<std::tuple<std::string, LayerStructure>> {
 protected:
  std::string codec() const { return std::get<0>(GetParam()); }
  LayerStructure structure() const { return std::get<1>(GetParam()); }
  std::unique_ptr<Encoder> encoder(PictureSize size, int gop, int kbps) const {
    return encoder_for(size, gop, kbps, 1, codec(), structure());
  }
};

TEST_P(LayersOf, LossesOfEachLeaveTheOthersAndAllStaysExact) {
  constexpr PictureSize kSize{112, 80};
  for (const auto& [seed, loss, delay] : {std::tuple{1u, 0.02, 4u}, {2u, 0.1, 9u}, {3u, 0.4, 6u}}) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::bernoulli_distribution lost(loss);
    const auto encoder = this->encoder(kSize, 200, 700);
    std::vector<CodedFrame> video;
    std::vector<Units> came;
    std::multimap<std::size_t, UnitKey> reports;  // told before that frame
    for (std::size_t n = 0; n < 150; ++n) {
      const auto [from, to] = reports.equal_range(n);
      for (auto it = from; it != to; ++it) encoder->on_lost(it->second.frame, it->second.layer);
      if (n == 90) encoder->request_sync_point(1);
      const auto number = static_cast<std::int64_t>(n);
      video.push_back(encode(*encoder, draw(kSize, static_cast<int>(n)), number));
      Units units;
      for (std::uint8_t layer = 0; layer < kMostLayers; ++layer) {
        units[layer] = !lost(random);
        if (!units[layer])
          reports.emplace(n + 1 + random() % delay, UnitKey{FrameNumber(number), layer});
      }
      came.push_back(units);
    }
    const Meant meant = meant_by(codec(), video);
    const auto decoder = decoder_of(codec());
    std::map<UnitKey, bool> decoded;
    std::array<int, kMostLayers> shown{};
    for (std::size_t n = 0; n < video.size(); ++n) {
      const CodedFrame& coded = video[n];
      Units can;
      for (const CodedUnit& unit : coded.units) {
        can[unit.layer] =
            came[n][unit.layer] &&
            std::ranges::all_of(unit.depends_on, [&](const UnitDependency& d) {
              EXPECT_EQ(d.unit, unit.layer) << "layers are independent";
              return decoded[{FrameNumber(coded.number.value() - d.frames_back), d.unit}];
            });
        decoded[{coded.number, unit.layer}] = can[unit.layer];
      }
      const auto got = decoder->decode(only(coded, can));
      ASSERT_TRUE(got) << n << ": " << got.error().message;
      ASSERT_EQ(can.any(), got->has_value()) << n;
      if (!*got) continue;
      EXPECT_TRUE((*got)->failed.none()) << n;
      EXPECT_TRUE(can[(*got)->layer]) << n;
      EXPECT_TRUE((can >> (*got)->layer >> 1).none()) << n << ": not the highest";
      ASSERT_EQ(hash((*got)->picture), meant.at({coded.number, (*got)->layer})) << n;
      ++shown[(*got)->layer];
    }
    const std::size_t top = layers_of(structure()) - 1;
    EXPECT_GT(shown[top], 20);
    EXPECT_TRUE(loss < 0.1 || shown[0] > 2);
  }
}

TEST_P(LayersOf, EachIsHalfAsLargeAsTheNextAndLooksLikeTheSource) {
  for (const PictureSize size : {PictureSize{192, 128}, {166, 118}}) {
    const auto encoder = this->encoder(size, 600, 1500);
    const std::size_t layers = layers_of(structure());
    std::vector<std::unique_ptr<Decoder>> decoders;
    for (std::size_t i = 0; i < layers; ++i) decoders.push_back(decoder_of(codec()));
    for (int n = 0; n < 30; ++n) {
      VideoFrame source = draw(size, n);
      const CodedFrame coded = encode(*encoder, source, n);
      ASSERT_EQ(coded.units.size(), layers);
      for (std::size_t layer = layers; layer-- > 0;) {
        if (layer + 1 < layers) source = downscale_half(source);
        const auto got = decoders[layer]->decode(only(coded, Units(1u << layer)));
        ASSERT_TRUE(got && *got) << n << " layer " << layer;
        EXPECT_EQ((*got)->nominal, size);
        EXPECT_EQ((*got)->layers, layers);
        PictureSize expected = size;
        for (std::size_t i = layer + 1; i < layers; ++i) expected = half_size(expected);
        ASSERT_EQ((*got)->picture.size, expected);
        source.size = expected;
        EXPECT_TRUE(n < 20 || psnr(source, (*got)->picture) > 24) << "layer " << layer;
      }
    }
  }
}

TEST_P(LayersOf, TheirRatesTogetherAreTheRate) {
  constexpr PictureSize kSize{208, 160};
  const auto encoder = this->encoder(kSize, 600, 600);
  encoder->set_rates(DataRate::from_kbps(600), DataRate::from_kbps(120));
  std::array<double, kMostLayers> bytes{};
  for (int n = 0; n < 120; ++n) {
    for (const CodedUnit& unit : encode(*encoder, draw(kSize, n, 0, 8), n).units) {
      if (n >= 30) bytes[unit.layer] += static_cast<double>(unit.data.size());
    }
  }
  double all = 0;
  for (double& b : bytes) all += b *= 8 * 30.0 / 90 / 1000;  // kbit/s
  EXPECT_NEAR(all, 600, 75);
  EXPECT_LT(bytes[0], 140);
  for (std::size_t layer = 1; layer < layers_of(structure()); ++layer) {
    EXPECT_GT(bytes[layer], bytes[layer - 1]);
  }
}

std::string name_of_param(const testing::TestParamInfo<LayersOf::ParamType>& info) {
  const bool three = std::get<1>(info.param) == LayerStructure::kThree;
  return std::get<0>(info.param) + (three ? "_three" : "_both");
}

INSTANTIATE_TEST_SUITE_P(Codecs, LayersOf,
                         ::testing::Combine(::testing::Values("h264", "av1"),
                                            ::testing::Values(LayerStructure::kBoth,
                                                              LayerStructure::kThree)),
                         name_of_param);

TEST(Layers, TooSmallAPictureForThreeIsCodedInTwo) {
  for (const auto* codec : {"h264", "av1"}) {
    const auto encoder = encoder_for({30, 64}, 24, 200, 1, codec, LayerStructure::kThree);
    EXPECT_EQ(encode(*encoder, draw({30, 64}, 0), 0).units.size(), 2u) << codec;
  }
}

TEST(Layers, OfSizesOddAndSmallGoRound) {
  for (const LayerStructure structure : {LayerStructure::kBoth, LayerStructure::kThree}) {
    for (const PictureSize size :
         {PictureSize{16, 16}, {17, 19}, {32, 32}, {16, 200}, {161, 91}, {320, 17}}) {
      SCOPED_TRACE(size_text(size));
      const auto encoder = encoder_for(size, 8, 300, 1, "av1", structure);
      const auto decoder = decoder_of("av1");
      const auto low = decoder_of("av1");
      for (int n = 0; n < 12; ++n) {
        const CodedFrame coded = encode(*encoder, draw(size, n), n);
        const auto got = decoder->decode(only(coded, Units().set()));
        ASSERT_TRUE(got && *got) << n;
        EXPECT_TRUE((*got)->failed.none()) << n;
        const auto base = low->decode(only(coded, Units(1)));
        ASSERT_TRUE(base && *base) << n;
      }
    }
  }
}

TEST(Layers, TheWeakestOfThreeHasWhatItTakes) {
  constexpr PictureSize kSize{208, 160};
  const auto encoder = encoder_for(kSize, 600, 1500, 1, "h264", LayerStructure::kThree);
  encoder->set_rates(DataRate::from_kbps(1500), DataRate::from_kbps(60));
  double bytes = 0;
  for (int n = 0; n < 120; ++n) {
    const CodedFrame coded = encode(*encoder, draw(kSize, n, 0, 40), n);
    if (n >= 30) bytes += static_cast<double>(coded.units[0].data.size());
  }
  EXPECT_NEAR(bytes * 8 * 30 / 90 / 1000, 60, 15);
}

// Receivers come to differ, and to be alike again.
TEST(Layers, Av1HasABaseWhereReceiversDiffer) {
  constexpr PictureSize kSize{161, 91};
  const auto encoder = encoder_for(kSize, 600, 400, 1, "av1");
  encoder->set_base_needed(false);
  const auto decoder = decoder_of("av1");
  std::string units;
  for (int n = 0; n < 400; ++n) {
    if (n == 40) encoder->set_base_needed(true);
    if (n == 80) encoder->set_base_needed(false);
    const CodedFrame coded = encode(*encoder, draw(kSize, n, 0, 30), n);
    const auto got = decoder->decode(only(coded, Units().set()));
    ASSERT_TRUE(got && *got) << n;
    EXPECT_EQ((*got)->picture.size, kSize) << n;
    const std::string now = std::to_string(coded.units.size());
    if (units.ends_with(now)) continue;
    for (const CodedUnit& unit : coded.units) EXPECT_TRUE(unit.is_sync_point()) << n;
    units += now;
  }
  EXPECT_EQ(units, "121");
}

}  // namespace
}  // namespace qvid::media::layers_test
