// The encoder of `h264` follows the rates it is given, layer by layer, within a fraction of a
// second.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/media/grey_frame.h"
#include "tests/media/h264_video.h"
#include "tests/media/psnr.h"

namespace qvid::media::h264_rates_test {
namespace {

constexpr PictureSize kSize{208, 160};
constexpr int kGrain = 8;  // without it less than the rate is as fine as it gets
constexpr int kEndless = 600;

struct LayerRates {
  double low = 0;  // kbit/s
  double high = 0;
  double both() const { return low + high; }
};

double kbit_of(const CodedFrame& frame) {
  double kbit = 0;
  for (const CodedUnit& unit : frame.units) {
    kbit += 8.0 * static_cast<double>(unit.data.size()) / 1000;
  }
  return kbit;
}

// A video that goes on and on at 30 frames a second.
class H264Rates : public ::testing::Test {
 protected:
  LayerRates code(int frames) {
    LayerRates rates;
    for (int i = 0; i < frames; ++i, ++next_) {
      const CodedFrame coded = encode(*encoder_, draw(kSize, next_, 0, kGrain), next_);
      for (const CodedUnit& unit : coded.units) {
        const double kbit = 8.0 * static_cast<double>(unit.data.size()) / 1000;
        (unit.layer == 0 ? rates.low : rates.high) += kbit * 30 / frames;
      }
    }
    return rates;
  }
  // Of a line of `kbps`, behind each of the pictures from a cut on: in pictures.
  std::vector<double> backlogs_of_a_cut(int kbps) {
    const double picture = kbps / 30.0;  // kbit
    std::vector<double> backlogs;
    double backlog = 0;
    for (int i = 0; i < 20; ++i, ++next_) {
      const CodedFrame coded = encode(*encoder_, draw(kSize, next_, 3, kGrain), next_);
      backlog = std::max(0.0, backlog + kbit_of(coded) / picture - 1);
      backlogs.push_back(backlog);
    }
    return backlogs;
  }
  void set(int total, int base) {
    encoder_->set_rates(DataRate::from_kbps(total), DataRate::from_kbps(base));
  }

  std::unique_ptr<Encoder> encoder_ = encoder_for(kSize, 600, 400);
  int next_ = 0;
};

TEST_F(H264Rates, TheBaseHasAFifthAtFirst) {
  const LayerRates rates = code(60);
  EXPECT_NEAR(rates.both(), 400, 100);
  EXPECT_NEAR(rates.low, 80, 25);  // the small buffer leaves some of it unused at first
}

TEST_F(H264Rates, TheRatesFollowTheTargets) {
  code(30);
  set(150, 30);
  code(15);
  EXPECT_NEAR(code(45).both(), 150, 45);
  set(750, 150);
  code(15);
  EXPECT_NEAR(code(45).both(), 750, 200);
  set(400, 175);
  code(15);
  const LayerRates rates = code(45);
  EXPECT_NEAR(rates.low, 175, 40);
  EXPECT_NEAR(rates.high, 225, 60);
}

// Without the smaller buffer after a fall, these take 1.2 and 1.8 times what they may.
TEST_F(H264Rates, AFallIsFollowedWithinSixFrames) {
  for (const int kbps : {800, 400, 200}) {
    set(kbps, kbps / 5);
    code(60);
    set(kbps / 2, kbps / 10);
    EXPECT_LT(code(6).both(), kbps / 2.0 * 1.4) << kbps;
    EXPECT_LT(code(24).both(), kbps / 2.0 * 1.1) << kbps;
  }
}

TEST_F(H264Rates, ARiseIsFollowedWithinFifteenFrames) {
  for (const int kbps : {100, 200, 400}) {
    set(kbps, kbps / 5);
    code(60);
    set(kbps * 3 / 2, kbps * 3 / 10);
    code(15);
    EXPECT_GT(code(30).both(), kbps * 1.5 * 0.65) << kbps;
  }
}

TEST_F(H264Rates, TenChangesASecondKeepTheMean) {
  code(30);
  LayerRates sum;
  for (int i = 0; i < 30; ++i) {
    const int kbps = i % 2 == 0 ? 200 : 600;
    set(kbps, kbps / 5);
    const LayerRates rates = code(3);
    sum.low += rates.low / 30;
    sum.high += rates.high / 30;
  }
  EXPECT_GT(sum.both(), 400 * 0.6);
  EXPECT_LT(sum.both(), 400 * 1.15);
}

TEST_F(H264Rates, TheBaseHasAtMostHalfAndAtLeastTenKilobits) {
  set(200, 2000);
  code(15);
  EXPECT_NEAR(code(45).low, 100, 30);
  set(200, -7);
  code(30);
  EXPECT_LT(code(45).low, 20);
}

// A line of just the rate has done all of a cut six frames later, and what follows waits no more.
// Without kDrain it takes 19 frames.
TEST_F(H264Rates, WhatIsBehindACutCatchesUp) {
  code(60);
  const std::vector<double> backlog = backlogs_of_a_cut(400);
  EXPECT_GT(backlog[0], 1.5);
  EXPECT_LT(backlog[6], 0.5);
  // Of each four pictures the first is larger.
  for (std::size_t i = 7; i < backlog.size(); ++i) EXPECT_LT(backlog[i], 1) << i;
}

// Where it was fine before. Without kDrain these wait behind 1.2 pictures in the mean.
TEST_F(H264Rates, ALayerAloneCatchesUpWhereItWasFine) {
  encoder_->set_base_needed(false);
  encoder_->set_droppable_frames(false);
  for (const int kbps : {700, 800}) {
    set(kbps, 0);
    code(120);
    const std::vector<double> backlog = backlogs_of_a_cut(kbps);
    EXPECT_GT(backlog[0], 1.5) << kbps;
    EXPECT_LT(std::accumulate(backlog.begin() + 5, backlog.end(), 0.0) / 15, 0.7) << kbps;
  }
}

// What is finer nobody sees.
TEST_F(H264Rates, NoMoreIsUsedThanTheFinestQuantiserTakes) {
  encoder_->set_base_needed(false);
  for (const int kbps : {4000, 40'000}) {
    set(kbps, kbps / 5);
    code(60);
    double psnr_sum = 0;
    double kbit = 0;
    const auto decoder = new_decoder();
    encoder_->request_sync_point();
    for (int i = 0; i < 30; ++i, ++next_) {
      const VideoFrame source = draw(kSize, next_);
      const CodedFrame coded = encode(*encoder_, source, next_);
      kbit += kbit_of(coded);
      const auto got = decoder->decode(received(coded));
      ASSERT_TRUE(got && *got) << i;
      psnr_sum += psnr(source, (*got)->picture);
    }
    EXPECT_LT(kbit, 1500) << kbps;
    EXPECT_GT(psnr_sum / 30, 42) << kbps;
  }
}

TEST_F(H264Rates, OneLayerHasAllOfTheRate) {
  encoder_->set_base_needed(false);
  encoder_->set_droppable_frames(false);
  code(15);
  const LayerRates rates = code(60);
  EXPECT_NEAR(rates.low, 400, 60);
  EXPECT_EQ(rates.high, 0);
}

// A key frame without residual is a flat grey, whatever its scene.
TEST(H264Starved, AKeyFrameHasTheBrightnessOfItsScene) {
  constexpr PictureSize kWhole{640, 480};
  for (const int kbps : {10, 20, 60}) {
    for (const int luma : {16, 60, 235}) {
      SCOPED_TRACE(testing::Message() << kbps << " kbit/s, luma " << luma);
      const auto encoder = encoder_for(kWhole, kEndless, kbps);
      const auto decoder = new_decoder();
      const VideoFrame scene = grey_frame(kWhole, luma);
      for (int n = 0; n < 12; ++n) {
        if (n % 4 == 3) encoder->request_sync_point();
        const auto got = decoder->decode(received(encode(*encoder, scene, n)));
        ASSERT_TRUE(got && *got) << n;
        EXPECT_NEAR((*got)->picture.planes[0].data[5000], luma, 24) << n;
      }
    }
  }
}

}  // namespace
}  // namespace qvid::media::h264_rates_test
