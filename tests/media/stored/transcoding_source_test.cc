#include "media/stored/transcoding_source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "tests/media/clip_file.h"
#include "tests/media/stored_frames.h"

namespace qvid::media {
namespace {

class TranscodingSourceTest : public ::testing::Test {
 protected:
  std::unique_ptr<StoredSource> open(const std::string& name, const ClipFile& clip,
                                     const StoredOptions& options = {}) {
    write_clip(folder_ / name, clip);
    auto source = TranscodingSource::open(folder_ / name, options, {});
    if (!source) {
      ADD_FAILURE() << source.error().message;
      return nullptr;
    }
    return *std::move(source);
  }
  TemporaryFolder folder_;
};

// Which picture of the clip each is.
void expect_pictures(const std::vector<CodedFrame>& frames, const std::vector<int>& expected) {
  const auto seen = greys(frames);
  ASSERT_EQ(seen.size(), expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_NEAR(seen[i], grey_of(expected[i]), 3) << "frame " << i;
  }
}

std::vector<int> run(int first, int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(first + i);
  return numbers;
}

TEST_F(TranscodingSourceTest, GivesEveryPictureOfAFileAtItsRate) {
  const auto source = open("clip.mp4", {.pictures = 70});
  ASSERT_TRUE(source);
  const StoredInfo info = source->info();
  EXPECT_EQ(info.codec, "h264");
  EXPECT_EQ(info.rate, (FrameRate{30, 1}));
  EXPECT_EQ(info.size, (PictureSize{64, 48}));
  EXPECT_NEAR(to_seconds(info.duration), 70.0 / 30, 0.05);
  EXPECT_FALSE(info.prepared);
  const auto frames = read_frames(*source);
  expect_pictures(frames, run(0, 70));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].number.value(), static_cast<std::int64_t>(i));
    EXPECT_EQ(frames[i].due, Timestamp(info.rate.time_of(static_cast<std::int64_t>(i))));
    EXPECT_EQ(frames[i].captured, frames[i].due);
  }
  EXPECT_TRUE(is_sync_point(frames[0]));
  EXPECT_EQ(read_frames(*source).size(), 0u);  // the end stays the end
}

TEST_F(TranscodingSourceTest, SeeksToTheExactPicture) {
  for (const char* name : {"clip.mp4", "clip.mkv", "clip.ts", "clip.avi"}) {
    SCOPED_TRACE(name);
    const auto source = open(name, {.pictures = 200});
    ASSERT_TRUE(source);
    const FrameRate rate = source->info().rate;
    std::int64_t number = 0;
    for (const int target : {130, 5, 160, 41, 0, 79, 80}) {
      SCOPED_TRACE(target);
      const auto at = source->seek(rate.time_of(target));
      ASSERT_TRUE(at) << at.error().message;
      EXPECT_EQ(*at, rate.time_of(target));
      const auto frames = read_frames(*source, 5);
      ASSERT_EQ(frames.size(), 5u);
      EXPECT_TRUE(is_sync_point(frames[0]));
      EXPECT_FALSE(is_sync_point(frames[1]));
      EXPECT_EQ(frames[0].due, Timestamp(*at));
      expect_pictures(frames, run(target, 5));
      for (const CodedFrame& frame : frames) EXPECT_EQ(frame.number.value(), number++);
    }
  }
}

// Its decoder has threads, each of which gets to know late what it may leave out.
TEST_F(TranscodingSourceTest, SeeksInALargePictureToo) {
  const auto source = open("clip.mp4", {.size = {1280, 720}, .pictures = 45},
                           {.bitrate = DataRate::from_kbps(20'000)});
  ASSERT_TRUE(source);
  const FrameRate rate = source->info().rate;
  for (const int target : {35, 7, 41}) {
    ASSERT_EQ(*source->seek(rate.time_of(target)), rate.time_of(target));
    expect_pictures(read_frames(*source, 3), run(target, 3));
  }
}

TEST_F(TranscodingSourceTest, ASeekBetweenFramesIsToTheNextOne) {
  const auto source = open("clip.mp4", {});
  ASSERT_TRUE(source);
  const FrameRate rate = source->info().rate;
  EXPECT_EQ(*source->seek(rate.time_of(20) + 1ms), rate.time_of(21));
  expect_pictures(read_frames(*source, 1), {21});
}

// The clip changes so much that every third picture is a key frame.
TEST_F(TranscodingSourceTest, GivesKeyFramesAloneWhereToldTo) {
  const auto source =
      open("clip.mp4", {.pictures = 100}, {.gop = 0s, .aligned_gops = true, .keys_only = true});
  ASSERT_TRUE(source);
  const FrameRate rate = source->info().rate;
  for (const int target : {70, 5, 95, 31}) {
    SCOPED_TRACE(target);
    ASSERT_EQ(*source->seek(rate.time_of(target)), rate.time_of(target));
    const auto frames = read_frames(*source, 2);
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_EQ(frames[0].due, Timestamp(rate.time_of(target))) << "of the place asked for";
    EXPECT_TRUE(is_sync_point(frames[0]));
    EXPECT_TRUE(is_sync_point(frames[1]));
    const auto seen = greys(frames);
    EXPECT_NEAR(seen[0], seen[1], 2) << "the same again; neighbours are seven apart";
    bool is_key = false;
    for (int key = 0; key <= target; key += 3) is_key |= std::abs(grey_of(key) - seen[0]) <= 2;
    EXPECT_TRUE(is_key) << seen[0];
  }
  ASSERT_TRUE(source->seek(100h)) << "beyond the end";
  EXPECT_EQ(read_frames(*source, 1).size(), 1u);
}

TEST_F(TranscodingSourceTest, ASeekBeyondTheFileIsNearItsEnd) {
  for (const Duration beyond : {Duration(3s), Duration(100h), Duration::max()}) {
    const auto source = open("clip.mp4", {.pictures = 90});
    ASSERT_TRUE(source);
    const auto at = source->seek(beyond);
    ASSERT_TRUE(at);
    EXPECT_GE(*at, 1900ms);
    EXPECT_LT(*at, 3s);
    EXPECT_GE(read_frames(*source).size(), 1u);
  }
  const auto source = open("clip.mp4", {.pictures = 90});
  EXPECT_EQ(*source->seek(-5s), 0s);
  expect_pictures(read_frames(*source, 2), {0, 1});
  EXPECT_EQ(*source->seek(Duration::min()), 0s);
}

TEST_F(TranscodingSourceTest, AShortFileCanBeEnteredAnywhere) {
  const auto source = open("clip.mp4", {.pictures = 6});
  ASSERT_TRUE(source);
  EXPECT_EQ(*source->seek(10s), 0s);
  EXPECT_EQ(read_frames(*source).size(), 6u);
}

// Pictures at 0, 100, 200 .. ms and then none for two seconds: each is repeated until the next.
TEST_F(TranscodingSourceTest, FillsAnUnevenFileUp) {
  const auto at = [](int i) { return i * 100 + (i >= 5 ? 2000 : 0); };
  const auto source = open("clip.mkv", {.pictures = 8, .rate = 30, .shown_at = at});
  ASSERT_TRUE(source);
  const FrameRate rate = source->info().rate;
  const auto frames = read_frames(*source);
  std::vector<int> expected;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const Duration now = rate.time_of(static_cast<std::int64_t>(k));
    int shown = 0;
    for (int i = 0; i < 8; ++i) {
      if (std::chrono::milliseconds(at(i)) < now + rate.frame_time() / 2) shown = i;
    }
    expected.push_back(shown);
  }
  EXPECT_EQ(expected.back(), 7);
  expect_pictures(frames, expected);
}

TEST_F(TranscodingSourceTest, HalvesARateThatIsTooHigh) {
  const auto source = open("clip.mkv", {.pictures = 60, .rate = 120});
  ASSERT_TRUE(source);
  EXPECT_EQ(source->info().rate, (FrameRate{60, 1}));
  const auto frames = read_frames(*source);
  EXPECT_NEAR(static_cast<double>(frames.size()), 30, 1);
}

TEST(RegulatedRate, IsTheFilesUpToSixty) {
  const auto rate = [](std::int32_t n, std::int32_t d) { return regulated_rate({n, d}); };
  EXPECT_EQ(rate(30, 1), (FrameRate{30, 1}));
  EXPECT_EQ(rate(24000, 1001), (FrameRate{24000, 1001}));
  EXPECT_EQ(rate(60000, 1001), (FrameRate{60000, 1001}));
  EXPECT_EQ(rate(60, 1), (FrameRate{60, 1}));
  EXPECT_EQ(rate(240, 1), (FrameRate{60, 1}));
  EXPECT_EQ(rate(100, 1), (FrameRate{50, 1}));
  EXPECT_EQ(rate(120000, 1001), (FrameRate{60000, 1001}));
  const FrameRate odd = rate(299'999'999, 10'000'000);
  EXPECT_LE(odd.numerator, FrameRate::kMaxNumerator);
  EXPECT_LE(odd.denominator, FrameRate::kMaxDenominator);
  EXPECT_NEAR(odd.per_second(), 29.9999999, 0.01);
}

TEST_F(TranscodingSourceTest, AlignsGroupsOfPicturesWhereAsked) {
  for (const bool aligned : {true, false}) {
    const auto source = open("clip.mp4", {.pictures = 100}, {.gop = 1s, .aligned_gops = aligned});
    ASSERT_TRUE(source);
    int together = 0;
    int of_low = 0;
    for (const CodedFrame& frame : read_frames(*source)) {
      together += is_sync_point(frame) ? 1 : 0;
      of_low += frame.units[0].is_sync_point() ? 1 : 0;
    }
    EXPECT_GE(of_low, 4);
    EXPECT_EQ(together == of_low, aligned);
  }
}

TEST_F(TranscodingSourceTest, AStopEndsReadingAndItGoesOn) {
  const auto source = open("clip.mp4", {.pictures = 60});
  ASSERT_TRUE(source);
  std::stop_source stopped;
  stopped.request_stop();
  ASSERT_EQ(read_frames(*source, 3).size(), 3u);
  const auto got = source->next(stopped.get_token());
  ASSERT_TRUE(got);
  EXPECT_TRUE(std::holds_alternative<EndOfStream>(*got));
  EXPECT_FALSE(source->seek(0s, stopped.get_token()));
  EXPECT_EQ(*source->seek(100ms), 100ms);
  expect_pictures(read_frames(*source), run(3, 57));
}

TEST_F(TranscodingSourceTest, SaysWhatIsWrongWithAFile) {
  const auto error_of = [](const std::filesystem::path& path) {
    const auto source = TranscodingSource::open(path, {}, {});
    return source ? std::string("none") : source.error().message;
  };
  EXPECT_NE(error_of(folder_ / "none.mp4").find("there is no file"), std::string::npos);
  EXPECT_NE(error_of(folder_.path()).find("is a folder"), std::string::npos);
  std::ofstream(folder_ / "text.mp4") << "just words";
  EXPECT_NE(error_of(folder_ / "text.mp4").find("is not a video"), std::string::npos);
}

TEST_F(TranscodingSourceTest, ATruncatedFileGivesWhatIsThere) {
  write_clip(folder_ / "clip.mkv", {.pictures = 90});
  std::filesystem::resize_file(folder_ / "clip.mkv",
                               std::filesystem::file_size(folder_ / "clip.mkv") / 2);
  auto opened = TranscodingSource::open(folder_ / "clip.mkv", {}, {});
  ASSERT_TRUE(opened) << opened.error().message;
  StoredSource* source = opened->get();
  EXPECT_GT(read_frames(*source).size(), 20u);
  const auto at = source->seek(80s);
  ASSERT_TRUE(at) << at.error().message;
  EXPECT_GE(read_frames(*source).size(), 1u);
}

}  // namespace
}  // namespace qvid::media
