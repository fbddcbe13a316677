// The sound of files: heard at the instant of the picture it belongs to, there when it is due, and
// no harm to the picture whatever it is.
#include "media/source/source_sound.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "media/source/stream_lag.h"
#include "media/source/video_source.h"
#include "tests/media/sync_clip.h"
#include "tests/temporary_folder.h"

namespace qvid::media {
namespace {

struct Played {
  SyncMarks marks;
  int pictures = 0;
  Timestamp last{};
  double latest_ms = 0;  // by which sound was not there when it was due
  std::string status;
  std::string description;
};

// Plays up to the end, or so many pictures, and takes the sound that is due with each of them.
Played play(const std::string& path, bool loop = false, int most = 1000, int pictures = 36) {
  Played played;
  const auto queue = std::make_shared<SoundQueue>();
  const SourceOptions options{
      .loop = loop, .sound = queue, .sound_status = [&](const SoundStatus& s) {
        played.status += s.text + "\n";
      }};
  const auto source = open_source({SourceSpec::Kind::kFile, path}, options, {});
  if (!source) {
    ADD_FAILURE() << source.error().message;
    return played;
  }
  played.description = (*source)->description();
  SoundBlock block;
  const auto take = [&](Timestamp now) {
    while (queue->read(now, block)) played.marks.add(block);
  };
  while (played.pictures < most) {
    const auto read = (*source)->read({});
    if (!read) {
      ADD_FAILURE() << read.error().message;
      return played;
    }
    if (std::holds_alternative<EndOfStream>(*read)) break;
    const auto& frame = std::get<VideoFrame>(*read);
    EXPECT_TRUE(played.pictures == 0 || frame.captured > played.last);
    played.last = frame.captured;
    ++played.pictures;
    played.marks.add(frame);
    take(frame.captured);
    // Where the file begins again its sound may have ended a little before its last picture.
    const bool begins = (played.pictures - 1) % pictures == 0;
    if (const auto end = played.marks.sound_end(); end && !begins) {
      played.latest_ms = std::max(played.latest_ms, to_ms(frame.captured - *end));
    }
  }
  take(played.last + 900ms);  // and what was still on its way
  return played;
}

void expect_together(const Played& played, std::size_t count) {
  ASSERT_EQ(played.marks.flashes.size(), count);
  ASSERT_EQ(played.marks.beeps.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_NEAR(to_ms(played.marks.beeps[i] - played.marks.flashes[i]), 0, 10) << i;
  }
}

struct SoundKind {
  const char* name;
  AVCodecID codec;
  int rate;
  int channels;
};

class SourceSoundKinds : public testing::TestWithParam<SoundKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, SourceSoundKinds,
                         testing::Values(SoundKind{"a.mkv", AV_CODEC_ID_FLAC, 44'100, 1},
                                         SoundKind{"b.mp4", AV_CODEC_ID_AAC, 48'000, 2},
                                         SoundKind{"c.mkv", AV_CODEC_ID_PCM_S16LE, 22'050, 2},
                                         SoundKind{"d.mkv", AV_CODEC_ID_AC3, 48'000, 6},
                                         SoundKind{"e.ts", AV_CODEC_ID_MP2, 44'100, 2},
                                         SoundKind{"f.mkv", AV_CODEC_ID_OPUS, 48'000, 2}));

TEST_P(SourceSoundKinds, BeepAndFlashAreOneInstantOverALoopToo) {
  const TemporaryFolder folder;
  const auto [name, codec, rate, channels] = GetParam();
  write_sync_clip(folder / name, {.codec = codec, .rate = rate, .channels = channels});
  const Played played = play(folder / name, true, 36 + 30);
  expect_together(played, 2);
  EXPECT_NEAR(to_ms(played.marks.flashes.at(1) - played.marks.flashes.at(0)), 1200, 1);
  EXPECT_LT(played.latest_ms, 1) << "sound was not there in time";
  EXPECT_NE(played.description.find("with sound"), std::string::npos) << played.description;
  if (codec == AV_CODEC_ID_FLAC || codec == AV_CODEC_ID_PCM_S16LE) {
    EXPECT_EQ(played.marks.channels_differ, 0) << "what loses nothing";
  }
  EXPECT_EQ(played.status, "");
  if (channels == 1) {
    EXPECT_NEAR(played.marks.loudest, 0.5, 0.03) << "mono is doubled";
  }
}

TEST(SourceSound, AFileMayHaveItsSoundFarFromItsPictures) {
  const TemporaryFolder folder;
  for (const Duration behind : {Duration(800ms), Duration(-800ms), Duration(-5s)}) {
    write_sync_clip(folder / "a.mkv", {.codec = AV_CODEC_ID_PCM_S16LE, .behind = behind});
    const Played played = play(folder / "a.mkv", true, 36 + 30);
    expect_together(played, 2);
    EXPECT_LT(played.latest_ms, 1) << to_ms(behind);
    EXPECT_EQ(played.marks.gaps, 0);
  }
}

TEST(SourceSound, SoundMayBeShorterOrLongerThanThePictures) {
  const TemporaryFolder folder;
  write_sync_clip(folder / "short.mkv", {.sound = 0.7});
  const Played shorter = play(folder / "short.mkv", true, 36 + 30);
  EXPECT_EQ(shorter.pictures, 66);
  expect_together(shorter, 2);
  EXPECT_EQ(shorter.marks.gaps, 1) << "until the file begins again";

  write_sync_clip(folder / "long.mkv", {.pictures = 24, .sound = 3});
  const Played longer = play(folder / "long.mkv", true, 24 + 20, 24);
  expect_together(longer, 2);
  EXPECT_EQ(longer.marks.gaps, 0);
  EXPECT_LT(longer.latest_ms, 1);
  const Played once = play(folder / "long.mkv");
  EXPECT_EQ(once.pictures, 24);
  ASSERT_TRUE(once.marks.sound_end());
  EXPECT_NEAR(to_ms(*once.marks.sound_end() - once.last), 1000 / 30.0, 1.1)
      << "it ends with the last picture";
}

TEST(SourceSound, APictureThatIsRepeatedHasAllOfItsSound) {
  const TemporaryFolder folder;
  write_sync_clip(folder / "a.mkv", {.pictures = 1, .flash = 0, .sound = 0.8});
  const Played played = play(folder / "a.mkv", true, 30, 30);
  EXPECT_EQ(played.pictures, 30);
  expect_together(played, 1);
  ASSERT_TRUE(played.marks.sound_end());
  EXPECT_NEAR(to_ms(*played.marks.sound_end() - played.marks.flashes.at(0)), 800, 5);
}

TEST(SourceSound, AFileWithoutSoundIsSilentAndSaysNothing) {
  const TemporaryFolder folder;
  write_sync_clip(folder / "a.mkv", {.pictures = 6, .sound = 0});
  const Played played = play(folder / "a.mkv");
  EXPECT_EQ(played.pictures, 6);
  EXPECT_FALSE(played.marks.sound_end());
  EXPECT_EQ(played.status, "");
  EXPECT_EQ(played.description.find("sound"), std::string::npos);
}

TEST(SourceSound, DamagedSoundIsLeftOutAndThePictureGoesOn) {
  const TemporaryFolder folder;
  write_sync_clip(folder / "a.mp4", {.pictures = 105,
                                     .sound = 3.5,
                                     .codec = AV_CODEC_ID_AAC,
                                     .rate = 48'000,
                                     .channels = 2,
                                     .damaged_from = 5});
  const Played played = play(folder / "a.mp4");
  EXPECT_EQ(played.pictures, 105);
  EXPECT_TRUE(played.marks.beeps.empty());
  EXPECT_NE(played.status.find("damaged"), std::string::npos) << played.status;
  EXPECT_EQ(std::count(played.status.begin(), played.status.end(), '\n'), 1) << played.status;
}

TEST(StreamLag, GrowsOnlyWhereNothingWasSoonerAndFallsAtOnce) {
  StreamLag lag;
  Timestamp now{100s};
  const auto pictures = [&](int count, Duration late) {
    Duration is{};
    for (int i = 0; i < count; ++i) is = lag.on_picture(now += 40ms, late);
    return is;
  };
  EXPECT_EQ(pictures(100, -20ms), 0ms);
  // A stall that is caught up with.
  EXPECT_EQ(pictures(20, 3s), 0ms);
  EXPECT_EQ(pictures(60, 0ms), 0ms);
  // A path that stays longer.
  EXPECT_EQ(pictures(200, 1s), 1s);
  EXPECT_EQ(pictures(1, 400ms), 400ms);
  // What is small is left.
  EXPECT_EQ(pictures(200, 420ms), 400ms);
  EXPECT_EQ(pictures(1, -1s), 0ms);
}

}  // namespace
}  // namespace qvid::media
