// What is recorded, opened as any player opens it: each picture there is the one that was coded, at
// its time, and nothing in the file refers to what is not.
#include "media/recording/recording.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "media/unit/unit_wire.h"
#include "tests/media/recorded_video.h"
#include "tests/temporary_folder.h"

namespace qvid::media {
namespace {

constexpr PictureSize kSize{112, 80};
constexpr FrameRate kRate{30, 1};

// The capture time of a frame; a publisher's clock begins anywhere.
Timestamp capture_time(std::int64_t number) { return Timestamp(7777s) + kRate.time_of(number); }

CodedFrame coded_frame(Encoder& encoder, std::int64_t number, PictureSize size = kSize) {
  CodedFrame coded = encode(encoder, draw(size, static_cast<int>(number)), number);
  coded.captured = coded.due = capture_time(number);
  return coded;
}

std::vector<CodedFrame> coded_video(int frames, int gop = 24) {
  const auto encoder = encoder_for(kSize, gop);
  std::vector<CodedFrame> video;
  for (int n = 0; n < frames; ++n) video.push_back(coded_frame(*encoder, n));
  return video;
}

void give(Recording& recording, const CodedFrame& frame,
          std::array<bool, kLayers> which = {true, true}) {
  const WireFrame wire = serialise(frame);
  recording.on_message(header_position(frame.number), wire.header);
  for (std::size_t i = 0; i < wire.units.size(); ++i) {
    const std::uint8_t layer = wire.frame.units[i].layer;
    if (which[layer]) recording.on_message(unit_position(frame.number, layer), wire.units[i]);
  }
}

void expect_times(const RecordedVideo& video, const std::vector<std::int64_t>& numbers) {
  ASSERT_EQ(video.times.size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double expected = to_seconds(capture_time(numbers[i]) - capture_time(numbers[0]));
    EXPECT_NEAR(video.times[i] - video.times[0], expected, 0.0011) << i;
    if (i > 0) {
      EXPECT_GT(video.times[i], video.times[i - 1]);
    }
  }
}

class RecordingFormats : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, RecordingFormats, testing::Values(".mkv", ".mp4"));

TEST_P(RecordingFormats, EveryPictureIsThere) {
  const TemporaryFolder folder;
  const auto video = coded_video(70);
  const auto path = folder / (std::string("call") + GetParam());
  Recording recording({.path = path});
  recording.begin(kRate);
  for (const CodedFrame& frame : video) give(recording, frame);
  recording.finish();
  const auto stats = recording.stats();
  ASSERT_FALSE(stats.error) << stats.error->message;
  ASSERT_EQ(stats.files.size(), 1u);
  EXPECT_EQ(stats.files[0].frames, 70);
  EXPECT_EQ(stats.left_out, 0);
  EXPECT_EQ(stats.files[0].lasts, kRate.time_of(69) + kRate.frame_time());
  const RecordedVideo got = open_recording(path);
  ASSERT_TRUE(got.opened);
  EXPECT_EQ(got.size, kSize);
  EXPECT_EQ(got.errors, 0);
  EXPECT_EQ(got.pictures, whole_hashes(video)[1]);
  std::vector<std::int64_t> numbers;
  for (int n = 0; n < 70; ++n) numbers.push_back(n);
  expect_times(got, numbers);
}

TEST_P(RecordingFormats, AKilledWriterLeavesAllButTheLastSecond) {
  const TemporaryFolder folder;
  const auto video = coded_video(120);
  const auto path = folder / (std::string("call") + GetParam());
  H264Plain plain;
  std::unique_ptr<RecordingFile> file;
  for (const CodedFrame& frame : video) {
    const auto picture = plain.add(frame.number, frame.units[1]);
    ASSERT_TRUE(picture) << picture.error().message;
    if (!file) {
      auto made = RecordingFile::create(path, false,
                                        {.size = kSize, .parameter_sets = plain.parameters().sets});
      ASSERT_TRUE(made) << made.error().message;
      file = *std::move(made);
    }
    const Duration at = kRate.time_of(frame.number.value());
    ASSERT_FALSE(file->add(picture->data, at, kRate.frame_time(), picture->key));
  }
  // As the system has it when the process is gone.
  const auto left = folder / (std::string("left") + GetParam());
  std::filesystem::copy_file(path, left);
  const RecordedVideo got = open_recording(left);
  ASSERT_TRUE(got.opened);
  EXPECT_GE(got.pictures.size(), 80u);
  EXPECT_EQ(got.errors, 0);
  // And cut off anywhere behind its beginning, as by a disk that lost the end.
  for (const std::uintmax_t part : {3u, 2u}) {
    std::filesystem::resize_file(left, std::filesystem::file_size(path) * part / 4);
    const RecordedVideo cut = open_recording(left);
    EXPECT_TRUE(cut.opened) << part;
    EXPECT_GE(cut.pictures.size(), 20u) << part;
  }
  EXPECT_FALSE(file->finish());
}

// Frames dropped by class, then losses the encoder is told of, then units lost anyhow: what the
// dependencies allow is written, all of it, and decodes to the same bits.
TEST_P(RecordingFormats, WithUnitsLostEveryPictureStillDecodes) {
  const TemporaryFolder folder;
  for (const unsigned seed : {1u, 2u, 3u}) {
    std::mt19937 random(seed);
    std::bernoulli_distribution lost(seed == 1 ? 0.0 : 0.1);
    const auto encoder = encoder_for(kSize, seed == 3 ? 60 : 600);
    std::vector<CodedFrame> video;
    std::vector<bool> came;
    for (int n = 0; n < 200; ++n) {
      if (n > 4 && seed > 1 && !came[static_cast<std::size_t>(n) - 4]) {
        encoder->on_lost(FrameNumber(n - 4), 1);
      }
      video.push_back(coded_frame(*encoder, n));
      const CodedUnit& unit = video.back().units[1];
      const bool dropped_by_class = seed == 1 && unit.needed_for <= (n < 100 ? 0 : 1);
      came.push_back(n == 0 || !(dropped_by_class || lost(random)));
    }
    const auto path = folder / (std::to_string(seed) + GetParam());
    Recording recording({.path = path});
    recording.begin(kRate);
    const auto whole = whole_hashes(video)[1];
    std::vector<std::uint64_t> expected;
    std::vector<std::int64_t> numbers;
    Decodable decodable;
    for (std::size_t n = 0; n < video.size(); ++n) {
      give(recording, video[n], {true, came[n]});
      if (!decodable.after(video[n], {true, came[n]})[1]) continue;
      expected.push_back(whole[n]);
      numbers.push_back(static_cast<std::int64_t>(n));
    }
    recording.finish();
    ASSERT_EQ(recording.stats().files.size(), 1u);
    const RecordedVideo got = open_recording(path);
    EXPECT_EQ(got.errors, 0) << seed;
    EXPECT_EQ(got.pictures, expected) << seed;
    EXPECT_LT(expected.size(), 190u) << "nothing was lost";
    EXPECT_GT(expected.size(), 40u);
    expect_times(got, numbers);
  }
}

TEST(Recording, TheBaseTakesThePlaceOfALayerThatStaysAway) {
  const TemporaryFolder folder;
  const auto video = coded_video(600, 30);
  Recording recording({.path = folder / "call.mkv"});
  recording.begin(kRate);
  for (const CodedFrame& frame : video) {
    const std::int64_t n = frame.number.value();
    give(recording, frame, {true, n < 60 || n >= 250});
  }
  recording.finish();
  const auto stats = recording.stats();
  ASSERT_EQ(stats.files.size(), 3u);
  EXPECT_EQ(stats.files[1].path, folder / "call-2.mkv");
  const RecordedVideo first = open_recording(stats.files[0].path);
  const RecordedVideo second = open_recording(stats.files[1].path);
  const RecordedVideo third = open_recording(stats.files[2].path);
  EXPECT_EQ(first.size, kSize);
  EXPECT_EQ(first.pictures.size(), 60u);
  EXPECT_EQ(second.size, (PictureSize{56, 40}));
  EXPECT_EQ(third.size, kSize);
  for (const RecordedVideo* part : {&first, &second, &third}) EXPECT_EQ(part->errors, 0);
  const auto whole = whole_hashes(video);
  EXPECT_EQ(second.pictures.front(), whole[0][120]);  // the first key frame two seconds after
  EXPECT_EQ(third.pictures.back(), whole[1].back());
}

TEST(Recording, IsForItsOwnerAlone) {
  const TemporaryFolder folder;
  const auto path = folder / "private.mkv";
  Recording recording({.path = path});
  recording.begin(kRate);
  for (const CodedFrame& frame : coded_video(30)) give(recording, frame);
  recording.finish();
  const auto mode = std::filesystem::status(path).permissions();
  EXPECT_EQ(mode & (std::filesystem::perms::group_all | std::filesystem::perms::others_all),
            std::filesystem::perms::none);
}

TEST(Recording, ABaseAloneIsRecordedFromItsBeginning) {
  const TemporaryFolder folder;
  for (const int frames : {20, 100}) {  // fewer than are held back, and more
    const auto video = coded_video(frames);
    const auto path = folder / (std::to_string(frames) + ".mp4");
    Recording recording({.path = path});
    recording.begin(kRate);
    for (const CodedFrame& frame : video) give(recording, frame, {true, false});
    recording.finish();
    EXPECT_EQ(open_recording(path).pictures, whole_hashes(video)[0]);
  }
}

TEST(Recording, ANewStreamOrSizeBeginsANewFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "call-2.mkv") << "of somebody else";
  Recording recording({.path = folder / "call.mkv"});
  const auto encoder = encoder_for(kSize);
  const auto smaller = encoder_for({96, 64});
  recording.begin(kRate);
  for (int n = 0; n < 10; ++n) give(recording, coded_frame(*encoder, n));
  // The same publisher, as when its machine cannot keep up: numbers go on.
  encode(*smaller, draw({96, 64}, 9), 9);
  smaller->request_sync_point();
  for (int n = 10; n < 20; ++n) give(recording, coded_frame(*smaller, n, {96, 64}));
  // Another, with a clock and numbers of its own.
  recording.begin({15, 1});
  const auto again = encoder_for(kSize);
  for (int n = 0; n < 5; ++n) give(recording, coded_frame(*again, n));
  recording.finish();
  const auto stats = recording.stats();
  ASSERT_EQ(stats.files.size(), 3u);
  EXPECT_EQ(stats.files[0].frames, 10);
  EXPECT_EQ(stats.files[1].path, folder / "call-3.mkv") << "a file of somebody else's is kept";
  EXPECT_EQ(open_recording(stats.files[1].path).size, (PictureSize{96, 64}));
  EXPECT_EQ(open_recording(stats.files[1].path).pictures.size(), 10u);
  EXPECT_EQ(stats.files[2].frames, 5);
}

TEST(Recording, RatesThatChangeAreNoNewFile) {
  const TemporaryFolder folder;
  const auto encoder = encoder_for(kSize, 12);
  Recording recording({.path = folder / "call.mkv"});
  recording.begin(kRate);
  for (int n = 0; n < 60; ++n) {
    encoder->set_rates(DataRate::from_kbps(300 + 20'000 * (n / 20)), DataRate::from_kbps(60));
    give(recording, coded_frame(*encoder, n));
  }
  recording.finish();
  ASSERT_EQ(recording.stats().files.size(), 1u);
  EXPECT_EQ(open_recording(folder / "call.mkv").pictures.size(), 60u);
}

// One layer of full size, then, at a rate of another level of H.264, two.
TEST(Recording, OtherLayersOfTheSameSizeAreNoNewFile) {
  const TemporaryFolder folder;
  const auto encoder = encoder_for(kSize, 12);
  encoder->set_base_needed(false);
  Recording recording({.path = folder / "call.mkv"});
  recording.begin(kRate);
  for (int n = 0; n < 60; ++n) {
    if (n == 30) {
      encoder->set_rates(DataRate::from_kbps(4000), DataRate::from_kbps(800));
      encoder->set_base_needed(true);
    }
    give(recording, coded_frame(*encoder, n));
  }
  recording.finish();
  ASSERT_EQ(recording.stats().files.size(), 1u);
  EXPECT_EQ(recording.stats().files[0].size, kSize);
  EXPECT_EQ(open_recording(folder / "call.mkv").pictures.size(), 60u);
}

TEST(Recording, GapsStayAndRepeatedPicturesFollowEachOther) {
  const TemporaryFolder folder;
  const auto encoder = encoder_for(kSize);
  Recording recording({.path = folder / "call.mkv"});
  recording.begin(kRate);
  for (int n = 0; n < 8; ++n) {
    CodedFrame frame = coded_frame(*encoder, n);
    if (n == 3) frame.captured = capture_time(2);  // shown again
    if (n >= 6) frame.captured = capture_time(n + 300);
    give(recording, frame);
  }
  recording.finish();
  const auto stats = recording.stats();
  EXPECT_NEAR(to_seconds(stats.files.at(0).longest_gap), 301 / 30.0, 0.001);
  expect_times(open_recording(folder / "call.mkv"), {0, 1, 2, 3, 4, 5, 306, 307});
}

TEST(Recording, AClockThatLeapsHarmsNobody) {
  const TemporaryFolder folder;
  for (const char* name : {"call.mkv", "call.mp4"}) {
    const auto encoder = encoder_for(kSize);
    Recording recording({.path = folder / name});
    recording.begin(kRate);
    for (int n = 0; n < 12; ++n) {
      CodedFrame frame = coded_frame(*encoder, n);
      if (n % 3 == 1) frame.captured = Timestamp(std::chrono::hours(24 * 365 * 30));
      if (n % 3 == 2) frame.captured = frame.due = Timestamp();
      give(recording, frame);
    }
    recording.finish();
    EXPECT_FALSE(recording.stats().error) << recording.stats().error->message;
    const RecordedVideo got = open_recording(folder / name);
    EXPECT_EQ(got.pictures.size(), 12u);
    for (std::size_t i = 1; i < got.times.size(); ++i) EXPECT_GT(got.times[i], got.times[i - 1]);
  }
}

TEST(Recording, NothingIsOverwrittenUnlessToldSo) {
  const TemporaryFolder folder;
  const auto path = folder / "call.mkv";
  std::ofstream(path) << "mine";
  const auto video = coded_video(5);
  const auto record = [&](const std::filesystem::path& to, bool replace) {
    Recording recording({.path = to, .replace = replace});
    recording.begin(kRate);
    for (const CodedFrame& frame : video) give(recording, frame);
    recording.finish();
    const auto stats = recording.stats();
    return stats.error ? stats.error->message : "";
  };
  EXPECT_NE(record(path, false).find("--force"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(path), 4u);
  EXPECT_EQ(record(path, true), "");
  EXPECT_EQ(open_recording(path).pictures.size(), 5u);
  EXPECT_NE(record(folder / "not_there" / "call.mkv", false).find("No such file"),
            std::string::npos);
  EXPECT_NE(record(folder / "call.avi", false).find(".mkv or .mp4"), std::string::npos);
  // A disk that is full.
  for (const char* full : {"full.mkv", "full.mp4"}) {
    std::filesystem::create_symlink("/dev/full", folder / full);
    EXPECT_NE(record(folder / full, true).find("No space left"), std::string::npos);
  }
}

TEST(Recording, AnythingMayCome) {
  const TemporaryFolder folder;
  Recording recording({.path = folder / "call.mkv"});
  recording.on_message(0, Payload::copy_of("before it begins"));
  recording.begin(kRate);
  recording.on_message(0, Payload::copy_of("neither header nor unit"));
  auto video = coded_video(12);
  video[5].units[1].data = Payload::copy_of("no H.264 at all");
  for (const CodedFrame& frame : video) give(recording, frame);
  recording.finish();
  const auto stats = recording.stats();
  EXPECT_EQ(stats.bad_messages, 1);
  EXPECT_GE(stats.left_out, 1);
  EXPECT_FALSE(stats.refused.empty());
  const RecordedVideo got = open_recording(folder / "call.mkv");
  EXPECT_EQ(got.errors, 0);
  EXPECT_EQ(static_cast<std::int64_t>(got.pictures.size()), stats.files.at(0).frames);
}

}  // namespace
}  // namespace qvid::media
