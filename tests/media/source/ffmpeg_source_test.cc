#include "media/source/ffmpeg_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "media/picture/ffmpeg_handles.h"
#include "tests/temporary_folder.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace qvid::media {
namespace {

struct Clip {
  PictureSize size{64, 48};
  int frames = 5;
  int rate = 200;
  std::string range = "LIMITED";
  std::array<int, 3> color = {100, 90, 160};  // of the first; each next one has a luma one higher
};

class FfmpegSource : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  // YUV4MPEG2 is written by hand: a header, and each frame's planes after "FRAME".
  std::string write_clip(const Clip& clip) const {
    const auto [w, h] = clip.size;
    std::string bytes = "YUV4MPEG2 W" + std::to_string(w) + " H" + std::to_string(h) + " F" +
                        std::to_string(clip.rate) +
                        ":1 Ip A1:1 C420jpeg XCOLORRANGE=" + clip.range + "\n";
    const std::size_t across = static_cast<std::size_t>(w);
    const std::size_t down = static_cast<std::size_t>(h);
    const std::size_t luma = across * down;
    const std::size_t chroma = (across + 1) / 2 * ((down + 1) / 2);
    for (int i = 0; i < clip.frames; ++i) {
      bytes += "FRAME\n" + std::string(luma, static_cast<char>(clip.color[0] + i)) +
               std::string(chroma, static_cast<char>(clip.color[1])) +
               std::string(chroma, static_cast<char>(clip.color[2]));
    }
    return write("clip.y4m", bytes);
  }

  static Result<std::unique_ptr<VideoSource>> open(const std::string& file,
                                                   const SourceOptions& options = {}) {
    return open_source({SourceSpec::Kind::kFile, file}, options, {});
  }

  static std::string error_of(const std::string& file) {
    const auto opened = open(file);
    return opened ? "" : opened.error().message;
  }

  // The frames up to the end, or the first `most`.
  static std::vector<VideoFrame> read_all(VideoSource& source, std::size_t most = 1000) {
    std::vector<VideoFrame> frames;
    while (frames.size() < most) {
      auto read = source.read({});
      if (!read) {
        ADD_FAILURE() << read.error().message;
        break;
      }
      if (std::holds_alternative<EndOfStream>(*read)) break;
      frames.push_back(std::get<VideoFrame>(*read));
    }
    return frames;
  }

 private:
  const TemporaryFolder folder_;
};

int luma_at(const VideoFrame& frame, int x, int y) {
  return frame.planes[0].data[std::ptrdiff_t{y} * frame.planes[0].stride + x];
}
int chroma_at(const VideoFrame& frame, std::size_t plane, int x, int y) {
  return frame.planes[plane].data[std::ptrdiff_t{y} * frame.planes[plane].stride + x];
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(FfmpegSource, ReadsAFileAtItsPace) {
  const auto source = open(write_clip({.frames = 6, .rate = 100}));
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->size(), (PictureSize{64, 48}));
  EXPECT_CONTAINS((*source)->description(), "64x48 at 100 fps");
  const Timestamp began = steady_now();
  const auto frames = read_all(**source);
  ASSERT_EQ(frames.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(luma_at(frames[static_cast<std::size_t>(i)], 10, 10), 100 + i);
  }
  EXPECT_GE(frames.back().captured - began, 50ms);
}

TEST_F(FfmpegSource, FramesOutliveTheirSource) {
  std::vector<VideoFrame> frames;
  {
    const auto source = open(write_clip({}));
    ASSERT_TRUE(source);
    frames = read_all(**source);
  }
  ASSERT_EQ(frames.size(), 5u);
  EXPECT_EQ(luma_at(frames[0], 63, 47), 100);
  EXPECT_EQ(chroma_at(frames[4], 2, 31, 23), 160);
}

TEST_F(FfmpegSource, CarriesTheRange) {
  for (const auto& [text, range] :
       {std::pair("LIMITED", ColorRange::kLimited), std::pair("FULL", ColorRange::kFull)}) {
    for (const PictureSize size : {PictureSize{}, PictureSize{32, 24}}) {
      const auto source = open(write_clip({.range = text}), {size, {}, false});
      ASSERT_TRUE(source);
      const auto frames = read_all(**source);
      ASSERT_EQ(frames.size(), 5u);
      EXPECT_EQ(frames[0].range, range);
      EXPECT_EQ(frames[0].matrix, ColorMatrix::kBt601);
      EXPECT_NEAR(luma_at(frames[0], 10, 10), 100, 1);
      EXPECT_NEAR(chroma_at(frames[0], 1, 5, 5), 90, 1);
    }
  }
}

TEST_F(FfmpegSource, TakesUnmarkedHdForBt709) {
  const auto source = open(write_clip({.size = {1280, 720}, .frames = 1}));
  ASSERT_TRUE(source);
  EXPECT_EQ(read_all(**source).at(0).matrix, ColorMatrix::kBt709);
}

TEST_F(FfmpegSource, LetterboxesAnotherShape) {
  for (const auto& [range, black] : {std::pair("LIMITED", 16), std::pair("FULL", 0)}) {
    const auto source =
        open(write_clip({.size = {64, 32}, .frames = 1, .range = range}), {{64, 64}, {}, false});
    ASSERT_TRUE(source);
    const auto frame = read_all(**source).at(0);
    EXPECT_EQ(frame.size, (PictureSize{64, 64}));
    for (const int x : {0, 31, 63}) {
      EXPECT_EQ(luma_at(frame, x, 0), black);
      EXPECT_EQ(luma_at(frame, x, 15), black);
      EXPECT_NEAR(luma_at(frame, x, 16), 100, 1);
      EXPECT_NEAR(luma_at(frame, x, 47), 100, 1);
      EXPECT_EQ(luma_at(frame, x, 48), black);
      EXPECT_EQ(chroma_at(frame, 1, x / 2, 7), 128);
      EXPECT_NEAR(chroma_at(frame, 1, x / 2, 8), 90, 1);
      EXPECT_EQ(chroma_at(frame, 2, x / 2, 31), 128);
    }
  }
}

TEST_F(FfmpegSource, MakesOddSizesEven) {
  const auto own = open(write_clip({.size = {65, 49}}));
  ASSERT_TRUE(own);
  EXPECT_EQ((*own)->size(), (PictureSize{64, 48}));
  EXPECT_EQ(read_all(**own).at(4).size, (PictureSize{64, 48}));
  const auto wanted = open(write_clip({}), {{33, 25}, {}, false});
  ASSERT_TRUE(wanted);
  EXPECT_EQ(read_all(**wanted).at(0).size, (PictureSize{32, 24}));
}

TEST_F(FfmpegSource, ScalesDownWhatIsTooLarge) {
  const auto source = open(write_clip({.size = {5000, 100}, .frames = 1}));
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->size(), (PictureSize{4096, 80}));
  EXPECT_EQ(read_all(**source).at(0).size, (PictureSize{4096, 80}));
}

TEST_F(FfmpegSource, ALoopGoesOnWithoutAHitch) {
  const auto source = open(write_clip({.frames = 3, .rate = 100}), {{}, {}, true});
  ASSERT_TRUE(source);
  const Timestamp began = steady_now();
  const auto frames = read_all(**source, 10);
  ASSERT_EQ(frames.size(), 10u);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(luma_at(frames[static_cast<std::size_t>(i)], 10, 10), 100 + i % 3);
  }
  EXPECT_GE(frames[9].captured - began, 90ms);
}

TEST_F(FfmpegSource, ALoopedPictureStays) {
  const std::string image = "P6\n32 32\n255\n" + std::string(32 * 32 * 3, '\xff');
  const auto source = open(write("white.ppm", image), {{}, {}, true});
  ASSERT_TRUE(source) << source.error().message;
  const auto frames = read_all(**source, 3);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(luma_at(frames[2], 5, 5), 235);  // RGB becomes limited range
  EXPECT_EQ(frames[2].range, ColorRange::kLimited);
  EXPECT_GT(frames[2].captured, frames[1].captured);

  const auto once = open(path("white.ppm"));
  ASSERT_TRUE(once);
  EXPECT_EQ(read_all(**once).size(), 1u);
}

TEST_F(FfmpegSource, ATruncatedFileGivesItsWholeFrames) {
  const std::string file = write_clip({.frames = 4});
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1000);
  const auto source = open(file);
  ASSERT_TRUE(source);
  EXPECT_EQ(read_all(**source).size(), 3u);
}

TEST_F(FfmpegSource, SaysWhatIsWrongWithAFile) {
  EXPECT_CONTAINS(error_of(path("none.mkv")), "there is no file");
  EXPECT_CONTAINS(error_of(path("")), "is a folder, not a video");
  EXPECT_CONTAINS(error_of(write("empty.mkv", "")), "is empty");
  EXPECT_CONTAINS(error_of(write("text.mkv", "just words, no pictures\n")), "is not a video");
  EXPECT_CONTAINS(error_of(write("text.txt", std::string(3000, 'a'))), "is not a video");
  // Playlists name other files, of anywhere.
  const std::string clip = write_clip({});
  EXPECT_CONTAINS(error_of(write("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n" +
                                                  clip + "\n#EXT-X-ENDLIST\n")),
                  "is not a video");
  EXPECT_CONTAINS(error_of(write("list.ffconcat", "ffconcat version 1.0\nfile '" + clip + "'\n")),
                  "is not a video");
  EXPECT_CONTAINS(error_of("/dev/null"), "neither a file nor a URL");
  EXPECT_CONTAINS(error_of(write_clip({.size = {8, 200}, .frames = 1})), "8x200");
}

TEST_F(FfmpegSource, SaysThatItMayNotReadAFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string file = write_clip({});
  std::filesystem::permissions(file, std::filesystem::perms::none);
  EXPECT_CONTAINS(error_of(file), "no permission");
}

TEST_F(FfmpegSource, SaysThatThereIsOnlySound) {
  std::string wave = "RIFF";
  const auto number = [&wave](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) wave += static_cast<char>(value >> (8 * i) & 0xff);
  };
  number(36 + 8000, 4);
  wave += "WAVEfmt ";
  for (const auto& [value, bytes] :
       {std::pair(16u, 4), std::pair(1u, 2), std::pair(1u, 2), std::pair(8000u, 4),
        std::pair(8000u, 4), std::pair(1u, 2), std::pair(8u, 2)}) {
    number(value, bytes);
  }
  wave += "data";
  number(8000, 4);
  wave += std::string(8000, '\x80');
  EXPECT_CONTAINS(error_of(write("sound.wav", wave)), "there is no video");
}

TEST_F(FfmpegSource, APathIsNeverAnotherProtocol) {
  const std::string clip = write_clip({});
  EXPECT_CONTAINS(error_of("concat:" + clip), "there is no file");
  EXPECT_CONTAINS(error_of("subfile,,start,0,end,0,,:" + clip), "there is no file");
  EXPECT_CONTAINS(error_of("data:text/plain,hello"), "there is no file");
  // Nor does a playlist reach out of the files.
  const std::string list = write("list.m3u8",
                                 "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n"
                                 "http://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n");
  EXPECT_FALSE(open(list));
}

TEST_F(FfmpegSource, SaysWhyAScreenOrCameraCannotBeHad) {
  const auto camera = open_source({SourceSpec::Kind::kCamera, path("no_camera")}, {}, {});
  ASSERT_FALSE(camera);
  EXPECT_CONTAINS(camera.error().message, "there is no camera at");
  const auto file = open_source({SourceSpec::Kind::kCamera, write_clip({})}, {}, {});
  ASSERT_FALSE(file);
  EXPECT_CONTAINS(file.error().message, "is not a camera");
  const auto screen = open_source({SourceSpec::Kind::kScreen, ":65000"}, {}, {});
  ASSERT_FALSE(screen);
  EXPECT_CONTAINS(screen.error().message, "\":65000\"");
  EXPECT_CONTAINS(screen.error().message, "DISPLAY is");
}

TEST_F(FfmpegSource, AStopEndsAWaitAtOnce) {
  const auto source = open(write_clip({.frames = 3, .rate = 1}));
  ASSERT_TRUE(source);
  ASSERT_TRUE((*source)->read({}));
  std::stop_source stop;
  const std::jthread stopper([&stop] { stop.request_stop(); });
  const auto read = (*source)->read(stop.get_token());
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::holds_alternative<EndOfStream>(*read)) << "the frame it had to wait for";
}

TEST_F(FfmpegSource, AStopEndsOpening) {
  auto stop = std::make_unique<std::stop_source>();
  stop->request_stop();
  const auto opened = open_source({SourceSpec::Kind::kFile, write_clip({})}, {}, stop->get_token());
  ASSERT_FALSE(opened);
  EXPECT_CONTAINS(opened.error().message, "stopped");
}

// A NUT file of `good` raw pictures, then `bad` packets that are too short to be one.
void write_damaged(const std::string& path, int good, int bad) {
  AVFormatContext* out = nullptr;
  ASSERT_GE(avformat_alloc_output_context2(&out, nullptr, "nut", path.c_str()), 0);
  AVStream* stream = avformat_new_stream(out, nullptr);
  stream->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
  stream->codecpar->codec_id = AV_CODEC_ID_RAWVIDEO;
  stream->codecpar->format = AV_PIX_FMT_YUV420P;
  stream->codecpar->codec_tag = MKTAG('I', '4', '2', '0');
  stream->codecpar->width = 32;
  stream->codecpar->height = 32;
  stream->time_base = {1, 1000};
  ASSERT_GE(avio_open(&out->pb, path.c_str(), AVIO_FLAG_WRITE), 0);
  ASSERT_GE(avformat_write_header(out, nullptr), 0);
  const AvPacketPtr packet = new_av_packet();
  for (int i = 0; i < good + bad; ++i) {
    const int size = i < good ? 32 * 32 * 3 / 2 : 200;
    ASSERT_EQ(av_new_packet(packet.get(), size), 0);
    std::fill_n(packet->data, size, std::uint8_t{64});
    packet->pts = packet->dts = av_rescale_q(i, {1, 1000}, stream->time_base);
    packet->flags = AV_PKT_FLAG_KEY;
    ASSERT_GE(av_interleaved_write_frame(out, packet.get()), 0);
  }
  ASSERT_GE(av_write_trailer(out), 0);
  avio_closep(&out->pb);
  avformat_free_context(out);
}

TEST_F(FfmpegSource, SkipsDamageButNotForEver) {
  write_damaged(path("some.nut"), 3, 50);
  const auto some = open(path("some.nut"));
  ASSERT_TRUE(some) << some.error().message;
  EXPECT_EQ(read_all(**some).size(), 3u);

  write_damaged(path("much.nut"), 3, 150);
  const auto much = open(path("much.nut"));
  ASSERT_TRUE(much) << much.error().message;
  EXPECT_EQ(read_all(**much, 3).size(), 3u);
  const auto read = (*much)->read({});
  ASSERT_FALSE(read);
  EXPECT_CONTAINS(read.error().message, "damaged");
}

}  // namespace
}  // namespace qvid::media
