// The encoder of `av1` that is told what became of its units, and of its rate.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/media/av1_video.h"

namespace qvid::media::av1_losses_test {
namespace {

constexpr PictureSize kSize{112, 80};
constexpr int kEndless = 600;  // one group of pictures

struct Report {
  std::size_t lost = 0;
  std::size_t at = 0;  // told before this frame is encoded
};
struct Coded {
  std::vector<CodedFrame> video;
  std::vector<bool> came;
  std::vector<Report> reports;
};

template <class Draw>
Coded code_with_losses(unsigned seed, int frames, double loss, int longest_delay, int gop,
                       Draw picture) {
  std::mt19937 random(seed);
  std::bernoulli_distribution lost(loss);
  std::uniform_int_distribution<std::size_t> delay(1, static_cast<std::size_t>(longest_delay));
  const auto encoder = av1_encoder_for(kSize, gop, 500);
  Coded coded;
  for (std::size_t n = 0; n < static_cast<std::size_t>(frames); ++n) {
    for (const Report& r : coded.reports) {
      if (r.at == n) encoder->on_lost(FrameNumber(static_cast<std::int64_t>(r.lost)), 0);
    }
    coded.video.push_back(
        encode(*encoder, picture(static_cast<int>(n)), static_cast<std::int64_t>(n)));
    coded.came.push_back(n == 0 || !lost(random));
    if (!coded.came.back()) coded.reports.push_back({n, n + delay(random)});
  }
  return coded;
}
Coded code_with_losses(unsigned seed, int frames, double loss, int longest_delay, int gop) {
  return code_with_losses(seed, frames, loss, longest_delay, gop,
                          [](int n) { return draw(kSize, n); });
}

// By `now`, frame `n` or something that it stands on was reported lost.
bool sound(const Coded& coded, std::size_t n, std::size_t now) {
  for (;;) {
    for (const Report& r : coded.reports) {
      if (r.lost == n && r.at <= now) return false;
    }
    const auto& needs = coded.video[n].units[0].depends_on;
    if (needs.empty()) return true;
    n -= needs[0].frames_back;
  }
}

// How many sync points after the first.
int expect_nothing_stands_on_losses(const Coded& coded) {
  int sync_points = 0;
  for (std::size_t n = 1; n < coded.video.size(); ++n) {
    const CodedUnit& unit = coded.video[n].units[0];
    if (unit.is_sync_point()) ++sync_points;
    for (const UnitDependency& d : unit.depends_on) {
      EXPECT_TRUE(sound(coded, n - d.frames_back, n)) << n << " on " << n - d.frames_back;
    }
  }
  return sync_points;
}

// How many frames decoded.
int expect_exact(const Coded& coded) {
  const auto whole = av1_hashes(coded.video);
  Decodable decodable;
  Av1Decoder decoder;
  int shown = 0;
  for (std::size_t n = 0; n < coded.video.size(); ++n) {
    if (!decodable.after(coded.video[n], {coded.came[n], false})[0]) continue;
    const auto got = decoder.decode(received(coded.video[n]));
    EXPECT_TRUE(got && *got) << n;
    if (!got || !*got) return shown;
    EXPECT_EQ(hash((*got)->picture), whole[n]) << n;
    ++shown;
  }
  return shown;
}

TEST(Av1Losses, FewLossesToldSoonTakeNoKeyFrame) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    const Coded coded = code_with_losses(seed, 200, 0.05, 4, kEndless);
    EXPECT_GT(coded.reports.size(), 4u);
    EXPECT_EQ(expect_nothing_stands_on_losses(coded), 0);
    EXPECT_GT(expect_exact(coded), 140);
  }
}

TEST(Av1Losses, ManyLossesToldLateStayExact) {
  for (const auto& [seed, loss, delay] :
       {std::tuple{4u, 0.15, 6}, {5u, 0.3, 9}, {6u, 0.4, 30}, {7u, 0.6, 3}, {8u, 0.02, 80}}) {
    SCOPED_TRACE(seed);
    const Coded coded = code_with_losses(seed, 400, loss, delay, kEndless);
    expect_nothing_stands_on_losses(coded);
    EXPECT_GT(expect_exact(coded), 5);
  }
}

// Cuts make libaom keep pictures where it was not told to.
TEST(Av1Losses, CutsAndDrawnPicturesStayExact) {
  for (const unsigned seed : {9u, 10u}) {
    SCOPED_TRACE(seed);
    const Coded coded = code_with_losses(seed, 400, 0.2, 5, 200, [&](int n) {
      const auto scene = static_cast<unsigned>(n) / 23;
      return scene % 3 == seed % 3 ? draw_text(kSize, n) : draw(kSize, n, scene);
    });
    expect_nothing_stands_on_losses(coded);
    EXPECT_GT(expect_exact(coded), 100);
  }
}

TEST(Av1Losses, WhatIsToldOfOthersIsHarmless) {
  const auto encoder = av1_encoder_for(kSize, kEndless);
  encoder->on_lost(FrameNumber(0), 0);
  for (int n = 0; n < 8; ++n) {
    encoder->on_lost(FrameNumber(n - 1), 1);  // there is no such layer
    encoder->on_lost(FrameNumber(n), 0);      // not encoded yet
    const CodedUnit unit = encode(*encoder, draw(kSize, n), n).units[0];
    EXPECT_EQ(unit.is_sync_point(), n == 0);
    if (n > 0) {
      EXPECT_EQ(unit.depends_on, (std::vector<UnitDependency>{{1, 0}}));
    }
  }
}

constexpr int kGrain = 8;  // without it less than the rate is as fine as it gets

// A video that goes on and on at 30 frames a second.
class Av1Rates : public ::testing::Test {
 protected:
  double code(int frames) {  // kbit/s
    double bytes = 0;
    for (int i = 0; i < frames; ++i, ++next_) {
      const auto size =
          encode(*encoder_, draw({208, 160}, next_, 0, kGrain), next_).units[0].data.size();
      bytes += static_cast<double>(size);
      largest_ = std::max(largest_, static_cast<double>(size));
    }
    return bytes * 8 * 30 / 1000 / frames;
  }
  void set(int total, int base) {
    encoder_->set_rates(DataRate::from_kbps(total), DataRate::from_kbps(base));
  }

  std::unique_ptr<Encoder> encoder_ = av1_encoder_for({208, 160}, 600, 400);
  int next_ = 0;
  double largest_ = 0;  // bytes
};

TEST_F(Av1Rates, TheRateIsUsedAndFollowed) {
  code(30);
  EXPECT_NEAR(code(60), 400, 40);
  set(150, 30);
  code(15);
  EXPECT_NEAR(code(45), 150, 25);
  set(750, 150);
  code(15);
  EXPECT_NEAR(code(45), 750, 120);
}

TEST_F(Av1Rates, AFallIsFollowedWithinSixFrames) {
  for (const int kbps : {800, 400, 200}) {
    set(kbps, kbps / 5);
    code(60);
    set(kbps / 2, kbps / 10);
    EXPECT_LT(code(6), kbps / 2.0 * 1.5) << kbps;
    EXPECT_LT(code(24), kbps / 2.0 * 1.15) << kbps;
  }
}

TEST_F(Av1Rates, ARiseIsFollowedWithinFifteenFrames) {
  for (const int kbps : {100, 200, 400}) {
    set(kbps, kbps / 5);
    code(60);
    set(kbps * 3 / 2, kbps * 3 / 10);
    code(15);
    EXPECT_GT(code(30), kbps * 1.5 * 0.8) << kbps;
  }
}

TEST_F(Av1Rates, NoFrameButASyncPointTakesMoreThanThreeMeanOnes) {
  code(30);
  largest_ = 0;
  code(120);
  EXPECT_LT(largest_, 3 * 400'000 / 8 / 30);
}

}  // namespace
}  // namespace qvid::media::av1_losses_test
