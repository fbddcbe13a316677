#include "media/stored/layered_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "base/byte_io.h"
#include "media/stored/layered_file_source.h"
#include "media/stored/layered_file_writer.h"
#include "media/stored/prepare.h"
#include "tests/media/clip_file.h"
#include "tests/media/stored_frames.h"

namespace qvid::media {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string error_of(const std::filesystem::path& path) {
  auto opened = LayeredFileSource::open(path);
  return opened ? "none" : opened.error().message;
}

// Reads everything, from every entry; the errors that come.
std::set<std::string> read_it_all(const std::filesystem::path& path) {
  auto opened = LayeredFileSource::open(path);
  if (!opened) return {opened.error().message};
  std::set<std::string> errors;
  for (const Duration to : {Duration(0s), Duration(1500ms), Duration::max()}) {
    StoredSource& source = **opened;
    EXPECT_TRUE(source.seek(to));
    for (int i = 0; i < 1000; ++i) {
      const auto got = source.next({});
      if (!got) errors.insert(got.error().message);
      if (!got || std::holds_alternative<EndOfStream>(*got)) break;
    }
  }
  return errors;
}

class LayeredFile : public ::testing::Test {
 protected:
  LayeredFile() {
    write_clip(clip_, {.pictures = 100});
    const auto prepared = prepare({.input = clip_}, {}, {});
    if (!prepared) ADD_FAILURE() << prepared.error().message;
  }
  TemporaryFolder folder_;
  const std::filesystem::path clip_ = folder_ / "clip.mp4";
  const std::filesystem::path file_ = folder_ / "clip.mp4.qvid";
};

TEST_F(LayeredFile, GivesWhatWasEncoded) {
  auto opened = open_stored_source(clip_, {});
  ASSERT_TRUE(opened) << opened.error().message;
  const StoredInfo info = (*opened)->info();
  EXPECT_TRUE(info.prepared);
  EXPECT_EQ(info.codec, "h264");
  EXPECT_EQ(info.rate, (FrameRate{30, 1}));
  EXPECT_EQ(info.size, (PictureSize{64, 48}));
  EXPECT_EQ(info.duration, info.rate.time_of(100));
  EXPECT_EQ(info.note, "");
  const auto frames = read_frames(**opened);
  ASSERT_EQ(frames.size(), 100u);

  // The same frames as encoding it again gives, bit by bit.
  auto again = open_stored_source(clip_, {.gop = 1s, .aligned_gops = true, .use_prepared = false});
  ASSERT_TRUE(again);
  EXPECT_FALSE((*again)->info().prepared);
  const auto expected = read_frames(**again);
  ASSERT_EQ(expected.size(), 100u);
  ByteCount base;
  ByteCount total;
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(frames[i].number, expected[i].number);
    EXPECT_EQ(frames[i].due, expected[i].due);
    EXPECT_EQ(frames[i].captured, expected[i].due);
    EXPECT_EQ(frames[i].temporal_class, expected[i].temporal_class);
    EXPECT_EQ(frames[i].header.text(), expected[i].header.text());
    ASSERT_EQ(frames[i].units.size(), 2u);
    base += frames[i].header.byte_count() + frames[i].units[0].data.byte_count();
    for (std::size_t u = 0; u < 2; ++u) {
      EXPECT_EQ(frames[i].units[u].layer, u);
      EXPECT_EQ(frames[i].units[u].depends_on, expected[i].units[u].depends_on);
      EXPECT_EQ(frames[i].units[u].needed_for, expected[i].units[u].needed_for);
      EXPECT_EQ(frames[i].units[u].data.text(), expected[i].units[u].data.text());
    }
    total += frames[i].header.byte_count() + frames[i].units[0].data.byte_count() +
             frames[i].units[1].data.byte_count();
  }
  EXPECT_EQ(info.base_rate, DataRate::of(base, info.duration));
  EXPECT_EQ(info.total_rate, DataRate::of(total, info.duration));
}

TEST_F(LayeredFile, CanBeEnteredAtMostASecondBeforeAnyPlace) {
  auto opened = open_stored_source(file_, {});  // the prepared file by its own name
  ASSERT_TRUE(opened) << opened.error().message;
  StoredSource& source = **opened;
  const FrameRate rate = source.info().rate;
  std::int64_t number = 0;
  for (int target = 99; target >= 0; target -= 3) {
    const auto at = source.seek(rate.time_of(target));
    ASSERT_TRUE(at);
    EXPECT_LE(*at, rate.time_of(target));
    EXPECT_GT(*at, rate.time_of(target) - 1s);
    const auto frames = read_frames(source, 2);
    EXPECT_TRUE(is_sync_point(frames.at(0)));
    EXPECT_EQ(frames[0].due, Timestamp(*at));
    const auto place = (*at + 1ms) / rate.frame_time();
    EXPECT_NEAR(greys(frames).at(0), grey_of(static_cast<int>(place)), 3);
    for (const CodedFrame& frame : frames) EXPECT_EQ(frame.number.value(), number++);
  }
  EXPECT_EQ(*source.seek(-1s), 0s);
  EXPECT_GT(*source.seek(1h), rate.time_of(100) - 1100ms);
  EXPECT_GE(read_frames(source).size(), 1u);
}

TEST_F(LayeredFile, IsUsedOnlyForWhatItWasMadeOf) {
  std::filesystem::last_write_time(
      clip_, std::filesystem::last_write_time(clip_) + std::chrono::seconds(2));
  auto opened = open_stored_source(clip_, {});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_FALSE((*opened)->info().prepared);
  EXPECT_NE((*opened)->info().note.find("another version"), std::string::npos);
  EXPECT_EQ(read_frames(**opened, 3).size(), 3u);
  EXPECT_NE(probe_stored(clip_, 5s)->note, "");
}

TEST_F(LayeredFile, ADamagedOneIsNotUsed) {
  write_bytes(file_, bytes_of(file_).substr(0, 1000));
  auto opened = open_stored_source(clip_, {});
  ASSERT_TRUE(opened);
  EXPECT_FALSE((*opened)->info().prepared);
  EXPECT_NE((*opened)->info().note.find("cannot be used"), std::string::npos);
}

TEST_F(LayeredFile, CutOffAnywhereItSaysSo) {
  const std::string whole = bytes_of(file_);
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 40) {
    write_bytes(file_, whole.substr(0, size));
    EXPECT_NE(error_of(file_), "none") << size;
  }
  write_bytes(file_, whole + "x");
  EXPECT_NE(error_of(file_), "none");
}

TEST_F(LayeredFile, ADamagedFrameIsAnErrorAndOthersCanBeRead) {
  std::string bytes = bytes_of(file_);
  // The size of the first frame, its number, its class, the size of its header.
  for (const std::size_t at : {0u, 11u, 12u, 13u}) {
    std::string damaged = bytes;
    damaged[kLayeredHeaderSize + at] = static_cast<char>(0xff);
    write_bytes(file_, damaged);
    const auto errors = read_it_all(file_);
    EXPECT_EQ(errors.size(), 1u) << at;
    auto opened = LayeredFileSource::open(file_);
    ASSERT_TRUE(opened);
    StoredSource& source = **opened;
    EXPECT_FALSE(source.next({}));
    ASSERT_TRUE(source.seek(2s));
    EXPECT_TRUE(source.next({}));
  }
}

// Every byte of the header, the index and the trailer, each set to something else.
TEST_F(LayeredFile, AnyByteMayBeWrong) {
  const std::string whole = bytes_of(file_);
  int refused = 0;
  const auto flip = [&](std::size_t at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x80);
    write_bytes(file_, damaged);
    refused += read_it_all(file_).empty() ? 0 : 1;
  };
  for (std::size_t at = 0; at < kLayeredHeaderSize + 64; ++at) flip(at);
  for (std::size_t at = whole.size() - 80; at < whole.size(); ++at) flip(at);
  EXPECT_GT(refused, 80);
}

TEST(LayeredFileHeader, RefusesWhatCannotBe) {
  const auto error_with = [](auto change) {
    LayeredFileHeader header{.codec = "h264", .size = {64, 48}, .frames = 5};
    change(header);
    std::vector<std::byte> bytes;
    write_layered_header(header, bytes);
    EXPECT_EQ(bytes.size(), kLayeredHeaderSize);
    const auto parsed = parse_layered_header(bytes);
    return parsed ? std::string() : parsed.error().message;
  };
  EXPECT_EQ(error_with([](auto&) {}), "");
  EXPECT_NE(error_with([](auto& h) { h.codec = ""; }), "");
  EXPECT_NE(error_with([](auto& h) { h.codec = "a\nb"; }), "");
  EXPECT_NE(error_with([](auto& h) { h.rate = {0, 1}; }), "");
  EXPECT_NE(error_with([](auto& h) { h.rate = {1, 0}; }), "");
  EXPECT_NE(error_with([](auto& h) { h.rate = {1'000'000, 1}; }), "");
  EXPECT_NE(error_with([](auto& h) { h.rate = {1, 9000}; }), "");
  EXPECT_NE(error_with([](auto& h) { h.size = {8, 48}; }), "");
  EXPECT_NE(error_with([](auto& h) { h.size = {64, 5000}; }), "");
  EXPECT_NE(error_with([](auto& h) { h.frames = 0; }), "");
  EXPECT_NE(error_with([](auto& h) { h.frames = kMaxLayeredFrames + 1; }), "");
  EXPECT_NE(error_with([](auto& h) { h.base_bytes = 1_B; }), "");
}

TEST_F(LayeredFile, AWriterThatGivesUpLeavesNothing) {
  const auto path = folder_ / "new.qvid";
  {
    auto writer = LayeredFileWriter::create(path, {.codec = "h264", .size = {64, 48}});
    ASSERT_TRUE(writer);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "new.qvid.part"));
    EXPECT_FALSE(std::filesystem::exists(path));
    const auto second = LayeredFileWriter::create(path, {.codec = "h264", .size = {64, 48}});
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find("another program"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "new.qvid.part"));
    EXPECT_FALSE((*writer)->finish());  // there is nothing in it
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new.qvid.part"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(LayeredFile, SaysWhyItCannotBeWritten) {
  const auto writer =
      LayeredFileWriter::create(folder_ / "none" / "x.qvid", {.codec = "h264", .size = {64, 48}});
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("No such file"), std::string::npos);
}

TEST_F(LayeredFile, PrepareLeavesWhatIsUpToDate) {
  const auto again = prepare({.input = clip_}, {}, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->outcome, Prepared::Outcome::kUpToDate);
  EXPECT_EQ(again->frames, 100);
  int calls = 0;
  const auto forced =
      prepare({.input = clip_, .force = true}, [&](const PrepareProgress&) { ++calls; }, {});
  ASSERT_TRUE(forced);
  EXPECT_EQ(forced->outcome, Prepared::Outcome::kWritten);
  EXPECT_EQ(calls, 100);
  EXPECT_EQ(forced->size.value(), static_cast<std::int64_t>(bytes_of(file_).size()));
}

TEST_F(LayeredFile, PrepareStopsAndLeavesNothing) {
  std::stop_source stop;
  const auto stopped = prepare(
      {.input = clip_, .output = folder_ / "other.qvid"},
      [&](const PrepareProgress& p) {
        if (p.done > 1s) stop.request_stop();
      },
      stop.get_token());
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->outcome, Prepared::Outcome::kStopped);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "other.qvid"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "other.qvid.part"));
}

TEST_F(LayeredFile, PrepareReplacesNothingElse) {
  const auto error_with = [](const PrepareOptions& options) {
    const auto got = prepare(options, {}, {});
    return got ? std::string("none") : got.error().message;
  };
  write_bytes(folder_ / "precious.txt", "words");
  EXPECT_NE(error_with({.input = clip_, .output = folder_ / "precious.txt"}).find("no prepared"),
            std::string::npos);
  EXPECT_EQ(bytes_of(folder_ / "precious.txt"), "words");
  EXPECT_NE(error_with({.input = clip_, .output = clip_}).find("no prepared"), std::string::npos);
  EXPECT_NE(error_with({.input = file_}).find("already"), std::string::npos);
  EXPECT_NE(error_with({.input = folder_ / "none.mp4"}).find("there is no file"),
            std::string::npos);
  EXPECT_NE(error_with({.input = folder_ / "precious.txt"}).find("is not a video"),
            std::string::npos);
}

}  // namespace
}  // namespace qvid::media
