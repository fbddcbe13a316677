#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "media/source/video_source.h"

namespace qvid::media {
namespace {

using Kind = SourceSpec::Kind;

struct Case {
  std::string typed;
  Kind kind;
  std::string device;
  std::string text;
};

TEST(SourceSpec, ReadsWhatAPersonTypes) {
  const Case cases[] = {
      {"test", Kind::kTest, "", "test"},
      {"test:sync", Kind::kTest, "sync", "test:sync"},
      {"camera", Kind::kCamera, "", "camera"},
      {"camera:/dev/video2", Kind::kCamera, "/dev/video2", "camera:/dev/video2"},
      {"camera:2", Kind::kCamera, "/dev/video2", "camera:/dev/video2"},
      {"camera:video2", Kind::kCamera, "/dev/video2", "camera:/dev/video2"},
      {"screen", Kind::kScreen, "", "screen"},
      {"screen::1", Kind::kScreen, ":1", "screen::1"},
      {"screen:1", Kind::kScreen, ":1", "screen::1"},
      {"screen:host:0.1", Kind::kScreen, "host:0.1", "screen:host:0.1"},
      {"screen@640x480+10+20", Kind::kScreen, "", "screen@640x480+10+20"},
      {"screen:1@window=0x2a00003", Kind::kScreen, ":1", "screen::1@window=0x2a00003"},
      {"screen@window=11", Kind::kScreen, "", "screen@window=0xb"},
      {"./screen@x.mp4", Kind::kFile, "./screen@x.mp4", "./screen@x.mp4"},
      {"clip.mkv", Kind::kFile, "clip.mkv", "clip.mkv"},
      {"./camera", Kind::kFile, "./camera", "./camera"},
      {"/tmp/a b.mp4", Kind::kFile, "/tmp/a b.mp4", "/tmp/a b.mp4"},
      {"rtsp://host/live", Kind::kFile, "rtsp://host/live", "rtsp://host/live"},
      {"https://host/v.mp4?a=b", Kind::kFile, "https://host/v.mp4?a=b", "https://host/v.mp4?a=b"},
      {"rtsp://me:secret@host/a@b", Kind::kFile, "rtsp://me:secret@host/a@b", "rtsp://host/a@b"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.typed);
    const auto spec = parse_source_spec(c.typed);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->kind, c.kind);
    EXPECT_EQ(spec->device, c.device);
    EXPECT_EQ(spec->text(), c.text);
  }
}

TEST(SourceSpec, RefusesWithAWayOut) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "type camera"},
      {"camrea", "type camera"},
      {"camrea:0", "type camera"},
      {"camera:", "camera:/dev/video0"},
      {"camera:front", "camera:/dev/video0"},
      {"camera:../x", "camera:/dev/video0"},
      {"screen:", "screen::0"},
      {"screen:@640x480+0+0", "screen::0"},
      {"screen@", "640x480+10+20"},
      {"screen@640x480", "640x480+10+20"},
      {"screen@1x480+0+0", "640x480+10+20"},
      {"screen@640x480+-1+0", "640x480+10+20"},
      {"screen@32000x480+1000+0", "640x480+10+20"},
      {"screen@99999999999x480+0+0", "640x480+10+20"},
      {"screen@window=", "qvid sources"},
      {"screen@window=0", "qvid sources"},
      {"screen@window=0x100000000", "qvid sources"},
      {"screen@window=-1", "qvid sources"},
      {"test:1", "./test:1"},
      {"test:", "test:sync"},
      {"test:syncs", "test:sync"},
      {"concat://a|b", "http"},
      {std::string("a\0b", 3), "zero byte"},
  };
  for (const auto& [typed, hint] : cases) {
    SCOPED_TRACE(typed);
    const auto spec = parse_source_spec(typed);
    ASSERT_FALSE(spec);
    EXPECT_NE(spec.error().message.find(hint), std::string::npos) << spec.error().message;
  }
}

TEST(SourceSpec, MessagesStayOnOneShortLine) {
  const auto spec = parse_source_spec("a\nb\x1b[31m" + std::string(10'000, 'x'));
  ASSERT_FALSE(spec);
  EXPECT_LT(spec.error().message.size(), 300u);
  EXPECT_EQ(spec.error().message.find_first_of("\n\x1b"), std::string::npos);
}

TEST(SourceSpec, ABareWordIsAFileWhereOneExists) {
  const auto before = std::filesystem::current_path();
  const std::filesystem::path folder = ::testing::TempDir() + "qvid_source_spec_test";
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  std::ofstream("holiday") << "x";
  const auto spec = parse_source_spec("holiday");
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->kind, Kind::kFile);
}

TEST(SourceSpec, AFileNamedLikeASourceIsWrittenWithItsFolder) {
  EXPECT_EQ((SourceSpec{Kind::kFile, "test"}.text()), "./test");
  EXPECT_EQ((SourceSpec{Kind::kFile, "camera:1"}.text()), "./camera:1");
}

TEST(SourceSpec, TheDefaultIsACameraOrTheTestScene) {
  const auto spec = default_source();
  EXPECT_TRUE(spec.kind == Kind::kTest || spec.kind == Kind::kCamera);
  EXPECT_EQ(spec.kind == Kind::kTest, spec.device.empty());
}

TEST(SourceList, AlwaysEndsWithTheTestScene) {
  const auto sources = list_sources();
  ASSERT_FALSE(sources.empty());
  EXPECT_EQ(sources.back().type_this, "test");
  for (const auto& source : sources) EXPECT_TRUE(parse_source_spec(source.type_this));
}

TEST(SourceList, WithoutADisplayThereIsNoScreen) {
  const std::string before = std::getenv("DISPLAY") == nullptr ? "" : std::getenv("DISPLAY");
  for (const char* display : {"", ":999999", "\xff"}) {
    setenv("DISPLAY", display, 1);
    EXPECT_TRUE(list_screen().empty()) << display;
  }
  setenv("DISPLAY", before.c_str(), 1);
}

}  // namespace
}  // namespace qvid::media
