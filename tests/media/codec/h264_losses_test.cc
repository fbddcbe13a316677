// The encoder of `h264` that is told what became of its units: whatever it says can be decoded
// decodes bit for bit, nothing new stands on what is known to be lost, and a key frame is made only
// where nothing else is left.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "media/codec/layers/frame_header.h"
#include "tests/media/h264_video.h"

namespace qvid::media::h264_losses_test {
namespace {

constexpr PictureSize kSize{112, 80};
constexpr int kEndless = 600;  // one group of pictures

using Came = std::array<bool, kLayers>;

struct Report {
  std::size_t lost = 0;
  std::uint8_t layer = 0;
  std::size_t at = 0;  // told before this frame is encoded
};

// A video whose encoder is told of losses, and all that happened to it.
struct Coded {
  std::vector<CodedFrame> video;
  std::vector<Came> came;
  std::vector<Report> reports;
};

Coded code_with_losses(unsigned seed, int frames, double loss, int longest_delay, int gop) {
  std::mt19937 random(seed);
  std::bernoulli_distribution lost(loss);
  std::uniform_int_distribution<std::size_t> delay(1, static_cast<std::size_t>(longest_delay));
  const auto encoder = encoder_for(kSize, gop, 500);
  Coded coded;
  for (std::size_t n = 0; n < static_cast<std::size_t>(frames); ++n) {
    for (const Report& r : coded.reports) {
      if (r.at == n) encoder->on_lost(FrameNumber(static_cast<std::int64_t>(r.lost)), r.layer);
    }
    coded.video.push_back(
        encode(*encoder, draw(kSize, static_cast<int>(n)), static_cast<std::int64_t>(n)));
    Came came{};
    for (std::uint8_t layer = 0; layer < kLayers; ++layer) {
      came[layer] = n == 0 || !lost(random);
      if (!came[layer]) coded.reports.push_back({n, layer, n + delay(random)});
    }
    coded.came.push_back(came);
  }
  return coded;
}

// By `now`, frame `n` or something that it stands on was reported lost.
class Soundness {
 public:
  Soundness(const Coded& coded, std::size_t layer) : coded_(coded), layer_(layer) {}
  bool sound(std::size_t n, std::size_t now) const {
    for (const Report& r : coded_.reports) {
      if (r.lost == n && r.layer == layer_ && r.at <= now) return false;
    }
    const auto& needs = coded_.video[n].units[layer_].depends_on;
    return std::ranges::all_of(needs, [&](auto d) { return sound(n - d.frames_back, now); });
  }

 private:
  const Coded& coded_;
  std::size_t layer_;
};

int expect_key_frames_only_where_needed(const Coded& coded, std::size_t layer) {
  const Soundness soundness(coded, layer);
  int key_frames = 0;
  std::size_t group = 0;
  for (std::size_t n = 1; n < coded.video.size(); ++n) {
    const CodedUnit& unit = coded.video[n].units[layer];
    for (const UnitDependency& d : unit.depends_on) {
      EXPECT_TRUE(soundness.sound(n - d.frames_back, n)) << n << " on " << n - d.frames_back;
      EXPECT_LE(d.frames_back, 16);
    }
    if (!unit.is_sync_point()) continue;
    ++key_frames;
    for (std::size_t old = n < group + 16 ? group : n - 16; old < n; ++old) {
      // T0 of a group without end: all that more than the next frame may need.
      const bool is_t0 = coded.video[old].units[layer].needed_for > 1;
      EXPECT_FALSE(is_t0 && soundness.sound(old, n)) << n << " could stand on " << old;
    }
    group = n;
  }
  return key_frames;
}

// How many frames of both layers decoded.
int expect_bit_exact(const Coded& coded) {
  const auto whole = whole_hashes(coded.video);
  Decodable decodable;
  std::array<std::unique_ptr<Decoder>, kLayers> alone = {new_decoder(), new_decoder()};
  int shown = 0;
  for (std::size_t n = 0; n < coded.video.size(); ++n) {
    const Came can = decodable.after(coded.video[n], coded.came[n]);
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      if (!can[layer]) continue;
      const auto got = alone[layer]->decode(received(coded.video[n], {layer == 0, layer == 1}));
      EXPECT_TRUE(got && *got) << n << " layer " << layer;
      if (!got || !*got) return shown;
      EXPECT_EQ(hash((*got)->picture), whole[layer][n]) << n << " layer " << layer;
      ++shown;
    }
  }
  return shown;
}

TEST(H264Losses, FewLossesToldSoonTakeNoKeyFrame) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    const Coded coded = code_with_losses(seed, 150, 0.05, 4, kEndless);
    EXPECT_GT(coded.reports.size(), 6u);
    EXPECT_EQ(expect_key_frames_only_where_needed(coded, 0), 0);
    EXPECT_EQ(expect_key_frames_only_where_needed(coded, 1), 0);
    // A loss costs what was coded until it was known, about three frames; without word of it, the
    // first T0 lost would cost all the rest.
    EXPECT_GT(expect_bit_exact(coded), 240);
  }
}

TEST(H264Losses, ManyLossesToldLateTakeKeyFramesWhereNothingIsLeft) {
  int key_frames = 0;
  for (const auto& [seed, loss, delay] :
       {std::tuple{4u, 0.15, 6}, {5u, 0.3, 9}, {6u, 0.3, 20}, {7u, 0.6, 3}}) {
    SCOPED_TRACE(seed);
    const Coded coded = code_with_losses(seed, 150, loss, delay, kEndless);
    key_frames += expect_key_frames_only_where_needed(coded, 0);
    key_frames += expect_key_frames_only_where_needed(coded, 1);
    EXPECT_GT(expect_bit_exact(coded), 20);
  }
  EXPECT_GT(key_frames, 0);
}

TEST(H264Losses, WhatIsDeclaredStaysTrueInShortGroups) {
  const Coded coded = code_with_losses(8, 200, 0.2, 5, 24);
  expect_bit_exact(coded);
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    const Soundness soundness(coded, layer);
    // The last frame that needs each one, itself at least.
    std::vector<std::size_t> last(coded.video.size());
    for (std::size_t n = coded.video.size(); n-- > 0;) {
      last[n] = std::max(last[n], n);
      for (const UnitDependency& d : coded.video[n].units[layer].depends_on) {
        EXPECT_TRUE(soundness.sound(n - d.frames_back, n)) << n;
        last[n - d.frames_back] = std::max(last[n - d.frames_back], last[n]);
      }
      EXPECT_LE(last[n] - n, static_cast<std::size_t>(coded.video[n].units[layer].needed_for));
    }
  }
}

TEST(H264Losses, TheLayersDoNotFeelEachOthers) {
  const auto encoder = encoder_for(kSize, kEndless);
  for (int n = 0; n < 7; ++n) encode(*encoder, draw(kSize, n), n);
  encoder->on_lost(FrameNumber(4), 0);
  encoder->on_lost(FrameNumber(4), 2);  // there is no such layer
  const CodedFrame coded = encode(*encoder, draw(kSize, 7), 7);
  EXPECT_EQ(coded.units[0].depends_on, (std::vector<UnitDependency>{{7, 0}}));
  EXPECT_EQ(coded.temporal_class, TemporalClass::kT0);
  EXPECT_EQ(coded.units[1].depends_on, (std::vector<UnitDependency>{{1, 1}, {3, 1}}));
}

TEST(H264Losses, ALossToldBeforeTheFirstFrameIsHarmless) {
  const auto encoder = encoder_for(kSize);
  encoder->on_lost(FrameNumber(0), 0);
  EXPECT_TRUE(encode(*encoder, draw(kSize, 0), 0).units[0].is_sync_point());
}

TEST(H264Layers, ASyncPointOfOneLayerLeavesTheOtherAlone) {
  const auto encoder = encoder_for(kSize, kEndless);
  std::array<std::vector<int>, kLayers> at;
  for (int n = 0; n < 20; ++n) {
    if (n == 5) encoder->request_sync_point(1);
    if (n == 9) encoder->request_sync_point(0);
    if (n == 12) encoder->request_sync_point(2);  // there is none
    for (const CodedUnit& unit : encode(*encoder, draw(kSize, n), n).units) {
      if (unit.is_sync_point()) at[unit.layer].push_back(n);
    }
  }
  EXPECT_EQ(at[0], (std::vector<int>{0, 9}));
  EXPECT_EQ(at[1], (std::vector<int>{0, 5}));
}

// A video whose base is not needed: at a rate that is ample, scarce, far too low and ample again.
TEST(H264Layers, TheStructureFollowsTheRateFromSyncPointToSyncPoint) {
  const auto encoder = encoder_for(kSize, kEndless, 4000);
  encoder->set_base_needed(false);
  const auto decoder = new_decoder();
  std::string structures;  // of each change: units, and w where the picture is whole
  std::string last;
  for (int n = 0; n < 800; ++n) {
    if (n == 200) encoder->set_rates(DataRate::from_kbps(40), DataRate::from_kbps(10));
    if (n == 400) encoder->set_rates(DataRate::from_kbps(10), DataRate::from_kbps(10));
    if (n == 600) encoder->set_rates(DataRate::from_kbps(4000), DataRate::from_kbps(800));
    if (n == 601) encoder->on_lost(FrameNumber(598), 1);  // of a layer that is not there
    const CodedFrame coded = encode(*encoder, draw(kSize, n), n);
    const auto got = decoder->decode(received(coded));
    ASSERT_TRUE(got && *got) << n;
    EXPECT_EQ((*got)->nominal, kSize);
    // A player is to know whether it has the full picture.
    const bool whole = (*got)->layer + 1 == (*got)->layers;
    EXPECT_EQ(whole, (*got)->picture.size == kSize) << n;
    const std::string now = std::to_string(coded.units.size()) + (whole ? "w " : " ");
    if (now == last) continue;
    for (const CodedUnit& unit : coded.units) EXPECT_TRUE(unit.is_sync_point()) << n;
    structures += last = now;
  }
  EXPECT_EQ(structures, "1w 2w 1w 1 1w 2w ");
}

TEST(H264Layers, BothAreThereUnlessSomethingIsSaid) {
  const auto encoder = encoder_for(kSize, kEndless, 20);
  for (int n = 0; n < 150; ++n) {
    const auto header =
        parse_frame_header(encode(*encoder, draw(kSize, n), n).header.bytes(), CodecKind::kH264);
    ASSERT_TRUE(header);
    EXPECT_NE(header->low, header->nominal) << n;
  }
}

// What x264 codes without bits is the picture that it refers to once more: shown, a step back.
TEST(H264Layers, WithoutBitsTheFullSizeIsLeftOut) {
  const auto encoder = encoder_for(kSize, kEndless, 12);
  const auto decoder = new_decoder();
  int left_out = 0;
  for (int n = 0; n < 150; ++n) {
    const CodedFrame coded = encode(*encoder, draw(kSize, n), n);
    if (coded.units.size() == 1) ++left_out;
    const auto got = decoder->decode(received(coded));
    ASSERT_TRUE(got && *got) << n;
    EXPECT_TRUE((*got)->failed.none()) << n;  // nothing refers to what was left out
    EXPECT_EQ((*got)->layers, 2) << n;
  }
  EXPECT_GT(left_out, 0);
  encoder->set_rates(DataRate::from_kbps(800), DataRate::from_kbps(160));
  for (int n = 150; n < 180; ++n) {
    const auto got = decoder->decode(received(encode(*encoder, draw(kSize, n), n)));
    ASSERT_TRUE(got && *got) << n;
    EXPECT_TRUE(n < 160 || (*got)->layer == 1) << n;
  }
}

TEST(H264Layers, ABaseOfFullSizeHasNothingAboveIt) {
  const auto encoder = encoder_for(kSize);
  encoder->set_base_needed(false);
  const CodedFrame coded = encode(*encoder, draw(kSize, 0), 0);
  ReceivedFrame frame = received(coded);
  frame.units.push_back(frame.units[0]);
  frame.units[1].layer = 1;
  EXPECT_FALSE(new_decoder()->decode(frame));
}

}  // namespace
}  // namespace qvid::media::h264_losses_test
