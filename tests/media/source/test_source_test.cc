#include "media/source/test_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "media/sound/sound_queue.h"

namespace qvid::media {
namespace {

std::vector<std::uint8_t> pixels(const VideoFrame& frame) {
  std::vector<std::uint8_t> all;
  for (std::size_t i = 0; i < 3; ++i) {
    const int width = i == 0 ? frame.size.width : frame.chroma_width();
    const int height = i == 0 ? frame.size.height : frame.chroma_height();
    for (int y = 0; y < height; ++y) {
      const auto* row = frame.planes[i].data + std::ptrdiff_t{y} * frame.planes[i].stride;
      all.insert(all.end(), row, row + width);
    }
  }
  return all;
}

NewFrame scene(PictureSize size, std::int64_t index, Duration elapsed) {
  NewFrame picture = allocate_frame(size);
  draw_test_scene(picture, index, elapsed);
  return picture;
}

TEST(TestScene, FillsEveryPixelOfEverySize) {
  for (const PictureSize size : {PictureSize{16, 16},
                                 {16, 4096},
                                 {4096, 16},
                                 {18, 130},
                                 {160, 120},
                                 {320, 180},
                                 {640, 480},
                                 {1280, 720}}) {
    SCOPED_TRACE(size.width);
    NewFrame picture = allocate_frame(size);
    // 0 is outside of limited range, so what is left out shows.
    for (std::size_t i = 0; i < 3; ++i) {
      const int rows = i == 0 ? size.height : size.height / 2;
      std::fill_n(picture.writable[i], picture.frame.planes[i].stride * rows, std::uint8_t{0});
    }
    draw_test_scene(picture, 123'456, 99min + 59s + 999ms);
    const auto drawn = pixels(picture.frame);
    EXPECT_GE(*std::min_element(drawn.begin(), drawn.end()), 16);
    EXPECT_LE(*std::max_element(drawn.begin(), drawn.end()), 240);
  }
}

TEST(TestScene, IsPure) {
  const auto a = scene({320, 240}, 7, 233ms);
  const auto b = scene({320, 240}, 7, 233ms);
  EXPECT_EQ(pixels(a.frame), pixels(b.frame));
}

TEST(TestScene, TellsFramesAndTimesApart) {
  const auto now = pixels(scene({160, 120}, 7, 233ms).frame);
  EXPECT_NE(now, pixels(scene({160, 120}, 8, 233ms).frame));
  EXPECT_NE(now, pixels(scene({160, 120}, 7, 234ms).frame));
}

TEST(TestScene, SignalsItsColours) {
  EXPECT_EQ(scene({640, 480}, 0, 0s).frame.matrix, ColorMatrix::kBt601);
  EXPECT_EQ(scene({1280, 720}, 0, 0s).frame.matrix, ColorMatrix::kBt709);
  EXPECT_EQ(scene({1280, 720}, 0, 0s).frame.range, ColorRange::kLimited);
}

TEST(TestScene, CopesWithDaysOfVideo) {
  const auto picture = scene({320, 240}, 100'000'000, 24h * 1000);
  EXPECT_EQ(picture.frame.size, (PictureSize{320, 240}));
}

TEST(TestSource, GivesFramesAtItsRate) {
  TestSource source({{160, 120}, {100, 1}, false});
  Timestamp first{};
  Timestamp last{};
  for (int i = 0; i < 6; ++i) {
    const auto read = source.read({});
    ASSERT_TRUE(read);
    const auto& frame = std::get<VideoFrame>(*read);
    EXPECT_EQ(frame.size, (PictureSize{160, 120}));
    if (i == 0) first = frame.captured;
    EXPECT_TRUE(i == 0 || frame.captured > last);
    EXPECT_LE(frame.captured, steady_now());
    last = frame.captured;
  }
  // On the grid of the rate, five frames on or more where this machine was slow.
  EXPECT_GE(last - first, 50ms);
  EXPECT_EQ((last - first) % Duration(10ms), Duration::zero());
}

TEST(SyncScene, IsWhiteForTheFirstThreeFramesOfASecond) {
  constexpr FrameRate kThirty{30, 1};
  for (std::int64_t n = 0; n < 90; ++n) {
    NewFrame picture = allocate_frame({64, 48});
    draw_sync_scene(picture, kThirty.time_of(n));
    const auto drawn = pixels(picture.frame);
    constexpr std::size_t kLuma = 64 * 48;
    const int luma = n % 30 < 3 ? 235 : 16;
    EXPECT_TRUE(std::all_of(drawn.begin(), drawn.begin() + kLuma, [&](std::uint8_t y) {
      return y == luma;
    })) << n;
    EXPECT_TRUE(
        std::all_of(drawn.begin() + kLuma, drawn.end(), [](std::uint8_t c) { return c == 128; }));
  }
}

TEST(SyncScene, ABeepBeginsWithEachSecond) {
  std::vector<float> sound(2 * 2 * kSoundRate);
  draw_beeps(sound, 3 * kSoundRate - 100);  // two seconds from just before a beep
  const auto at = [&](std::int64_t frame) {
    return std::abs(sound[static_cast<std::size_t>(2 * (frame + 100))]);
  };
  const std::int64_t length = sound_frames(kBeep);
  for (const std::int64_t second : {std::int64_t{0}, std::int64_t{kSoundRate}}) {
    float peak = 0;
    float early = 0;  // in the first 3 ms
    for (std::int64_t i = 0; i < length; ++i) {
      peak = std::max(peak, at(second + i));
      if (i < 144) early = std::max(early, at(second + i));
    }
    EXPECT_NEAR(20 * std::log10(peak), -12, 0.1);
    EXPECT_GT(early, peak / 2);
    for (std::int64_t i = second - 100; i < second; ++i) EXPECT_EQ(at(i), 0.0f);
    for (std::int64_t i = second + length; i < second + 40'000; ++i) ASSERT_EQ(at(i), 0.0f);
    // No click: no step larger than the tone's own steepest.
    for (std::int64_t i = second - 1; i < second + length; ++i) {
      ASSERT_LT(std::abs(at(i + 1) - at(i)), 0.035f) << i;
    }
  }
  // Both channels, and the same wherever a block begins.
  std::vector<float> again(960);
  draw_beeps(again, 3 * kSoundRate + 200);
  EXPECT_TRUE(std::equal(again.begin(), again.end(), sound.begin() + 600));
  EXPECT_EQ(again[100], again[101]);
}

// Flash and beep carry the same instant, and the sound for an instant is there when the picture is.
TEST(TestSource, SoundIsOnThePicturesTimeline) {
  const auto sound = std::make_shared<SoundQueue>();
  TestSource source({.size = {32, 32}, .rate = {30, 1}, .sound = sound}, TestClip::kSync);
  std::vector<Timestamp> flashes;
  std::vector<Timestamp> beeps;
  std::optional<Timestamp> next;
  std::optional<Timestamp> before;
  bool white = false;
  bool loud = false;
  while (flashes.size() < 2 || beeps.size() < 2) {
    const auto read = source.read({});
    ASSERT_TRUE(read);
    const auto& frame = std::get<VideoFrame>(*read);
    const bool flash = frame.planes[0].data[0] > 128;
    if (flash && !white) flashes.push_back(frame.captured);
    // A busy machine has left out a frame, which may have been the first of a flash: once more.
    if (before && frame.captured - *before > 34ms) flashes.clear(), beeps.clear();
    before = frame.captured;
    white = flash;
    SoundBlock block;
    while (sound->read(frame.captured, block)) {
      if (next) {
        EXPECT_NEAR(to_ms(block.captured - *next), 0, 0.03) << "a gap";
      }
      for (std::size_t i = 0; i < block.frames(); ++i) {
        const bool heard = std::abs(block.samples[2 * i]) > 0.001f;
        const Timestamp at = block.captured + sound_time(static_cast<std::int64_t>(i));
        if (heard && !loud && (beeps.empty() || at - beeps.back() > 500ms)) beeps.push_back(at);
        loud = heard;
      }
      next = block.captured + sound_time(static_cast<std::int64_t>(block.frames()));
    }
    if (next) {
      EXPECT_LT(frame.captured - *next, 1ms) << "sound is late";
    }
  }
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(to_ms(beeps[i] - flashes[i]), 0, 1.5);
  EXPECT_EQ(to_ms(flashes[1] - flashes[0]), 1000);
}

TEST(TestSource, MakesSizesEvenAndHasADefault) {
  EXPECT_EQ(TestSource({{161, 121}, {}, false}).size(), (PictureSize{160, 120}));
  EXPECT_EQ(TestSource({}).size(), (PictureSize{640, 480}));
  EXPECT_EQ(TestSource({}).description(), "test scene, 640x480 at 30 fps");
  EXPECT_EQ(TestSource({}, TestClip::kSync).description(), "flashes and beeps, 640x480 at 30 fps");
}

TEST(TestSource, AStopEndsAWaitAtOnce) {
  TestSource source({{160, 120}, {1, 1}, false});  // a frame a second
  ASSERT_TRUE(source.read({}));
  std::stop_source stop;
  const std::jthread stopper([&stop] { stop.request_stop(); });
  const auto read = source.read(stop.get_token());
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::holds_alternative<EndOfStream>(*read)) << "the frame it had to wait for";
}

TEST(OpenSource, RefusesOptionsThatMakeNoSense) {
  const SourceSpec spec;
  for (const SourceOptions& options : {SourceOptions{{0, 480}, {}, false},
                                       {{8, 8}, {}, false},
                                       {{5000, 480}, {}, false},
                                       {{-2, -2}, {}, false},
                                       {{}, {0, 1}, false},
                                       {{}, {30, 0}, false},
                                       {{}, {-30, 1}, false},
                                       {{}, {1000, 1}, false}}) {
    EXPECT_FALSE(open_source(spec, options, {}));
  }
  EXPECT_TRUE(open_source(spec, {}, {}));
}

}  // namespace
}  // namespace qvid::media
