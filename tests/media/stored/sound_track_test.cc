#include "media/stored/sound_track.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "media/stored/file_in.h"
#include "media/stored/layered_file_source.h"
#include "media/stored/layered_file_writer.h"
#include "media/stored/prepare.h"
#include "media/stored/video_file.h"
#include "tests/media/clip_file.h"
#include "tests/media/stored_frames.h"
#include "tests/media/sync_clip.h"

namespace qvid::media {
namespace {

constexpr Duration kPart = 20ms;  // of a packet

Duration place_of_sound(const SoundPacket& packet) { return packet.captured.time_since_epoch(); }

// Where a beep begins in these; empty: there is none.
std::optional<Duration> beep_in(const std::vector<SoundPacket>& packets) {
  auto decoder = SoundDecoder::make();
  for (const SoundPacket& packet : packets) {
    const auto samples = (*decoder)->decode(packet);
    for (std::size_t i = 0; i < samples.size(); i += 2) {
      if (std::abs(samples[i]) < 0.1F) continue;
      return place_of_sound(packet) + sound_time(static_cast<std::int64_t>(i / 2));
    }
  }
  return std::nullopt;
}

void expect_no_gap(const std::vector<SoundPacket>& packets) {
  for (std::size_t i = 1; i < packets.size(); ++i) {
    const Duration step = packets[i].captured - packets[i - 1].captured;
    EXPECT_NEAR(to_ms(step), 20, 1) << "packet " << i;
    EXPECT_FALSE(packets[i - 1].last) << "packet " << i;
  }
}

struct BothRead {
  std::vector<CodedFrame> frames;
  std::vector<SoundPacket> sound;
};
BothRead read_both(StoredSource& source, std::size_t most = 100'000) {
  BothRead read;
  for (;;) {
    auto got = source.next({});
    if (!got) {
      ADD_FAILURE() << got.error().message;
      return read;
    }
    auto* frame = std::get_if<CodedFrame>(&*got);
    for (SoundPacket& packet : source.take_sound()) {
      if (frame != nullptr) {
        const Timestamp end = frame->due + source.info().rate.frame_time();
        const bool last = frame->due + 40ms > Timestamp(source.info().duration);
        EXPECT_TRUE(last || packet.captured < end - kSoundBehind);
      }
      read.sound.push_back(std::move(packet));
    }
    if (frame == nullptr) return read;
    read.frames.push_back(std::move(*frame));
    if (read.frames.size() == most) return read;
  }
}

std::vector<SoundPacket> read_track(SoundTrack& track, Duration from, Duration to) {
  std::vector<SoundPacket> packets;
  for (Duration at = from; at <= to; at += 40ms) track.read(at, {}, packets);
  return packets;
}

// A beep with picture 100, at 3.33 s; 5 s of both.
constexpr int kFlash = 100;
constexpr Duration kBeep = Duration(10s) / 3;
SyncClip clip_of(AVCodecID codec, int rate, int channels) {
  SyncClip clip;
  clip.pictures = 150;
  clip.flash = kFlash;
  clip.sound = 5;
  clip.codec = codec;
  clip.rate = rate;
  clip.channels = channels;
  return clip;
}

struct TrackKind {
  const char* name;
  AVCodecID codec;
  int rate;
  int channels;
};
class SoundTrackOf : public ::testing::TestWithParam<TrackKind> {
 protected:
  SoundTrackOf() {
    write_sync_clip(path_, clip_of(GetParam().codec, GetParam().rate, GetParam().channels));
  }
  std::unique_ptr<SoundTrack> open() {
    const auto file = VideoFile::open(path_.string(), {}, {});
    const auto first = (*file)->next({});
    if (!first || !*first) ADD_FAILURE() << "there is no picture";
    auto track = SoundTrack::open(path_.string(), (*file)->origin(), {});
    if (!track) ADD_FAILURE() << track.error().message;
    return track ? *std::move(track) : nullptr;
  }
  TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / GetParam().name;
};

TEST_P(SoundTrackOf, IsHeardWithItsPicture) {
  const auto track = open();
  ASSERT_TRUE(track);
  auto packets = read_track(*track, 0s, 6s);
  track->finish(packets);
  ASSERT_FALSE(packets.empty());
  expect_no_gap(packets);
  EXPECT_LT(place_of_sound(packets.front()), 2 * kPart);
  EXPECT_NEAR(to_ms(place_of_sound(packets.back())), 5000, 80);
  EXPECT_TRUE(packets.back().last);
  const auto beep = beep_in(packets);
  ASSERT_TRUE(beep);
  EXPECT_NEAR(to_ms(*beep), to_ms(kBeep), 4);
}

TEST_P(SoundTrackOf, IsThereFromAnyPlaceOn) {
  const auto track = open();
  ASSERT_TRUE(track);
  for (const Duration to : {3200ms, 0ms, 4900ms, 1234ms, 3320ms, 20ms}) {
    track->seek(to, {});
    const auto packets = read_track(*track, to, to + 500ms);
    ASSERT_FALSE(packets.empty()) << to_ms(to);
    if (to != 4900ms) expect_no_gap(packets);
    EXPECT_LT(place_of_sound(packets.front()), to + 2 * kPart);
    EXPECT_GE(place_of_sound(packets.front()), to - 2 * kPart);
    const auto beep = beep_in(packets);
    ASSERT_EQ(beep.has_value(), to == 3200ms || to == 3320ms) << to_ms(to);
    EXPECT_NEAR(to_ms(beep.value_or(kBeep)), to_ms(kBeep), 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, SoundTrackOf,
                         ::testing::Values(TrackKind{"flac.mkv", AV_CODEC_ID_FLAC, 44'100, 1},
                                           TrackKind{"aac.mp4", AV_CODEC_ID_AAC, 48'000, 2},
                                           TrackKind{"aac.ts", AV_CODEC_ID_AAC, 32'000, 2},
                                           TrackKind{"pcm.mov", AV_CODEC_ID_PCM_S16LE, 8'000, 1}),
                         [](const auto& param) {
                           std::string name = param.param.name;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(SoundTrack, AFileMayHaveNone) {
  const TemporaryFolder folder;
  write_clip(folder / "silent.mp4", {.pictures = 10});
  const auto track = SoundTrack::open((folder / "silent.mp4").string(), {}, {});
  ASSERT_TRUE(track) << track.error().message;
  EXPECT_FALSE(*track);
  auto source = open_stored_source(folder / "silent.mp4", {});
  ASSERT_TRUE(source);
  EXPECT_FALSE((*source)->info().sound);
  EXPECT_TRUE(read_both(**source).sound.empty());
}

TEST(SoundTrack, DamagedSoundEndsAndThePictureGoesOn) {
  const TemporaryFolder folder;
  SyncClip clip = clip_of(AV_CODEC_ID_FLAC, 44'100, 1);
  clip.damaged_from = 20;
  write_sync_clip(folder / "clip.mkv", clip);
  auto source = open_stored_source(folder / "clip.mkv", {});
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_TRUE((*source)->info().sound);
  const BothRead read = read_both(**source);
  EXPECT_EQ(read.frames.size(), 150u);
  // 20 packets of 4608 frames.
  EXPECT_NEAR(static_cast<double>(read.sound.size()), 104, 4);
  EXPECT_TRUE(read.sound.back().last);
}

// The same of what is encoded while it is read and of what was prepared.
class StoredWithSound : public ::testing::TestWithParam<bool> {
 protected:
  StoredWithSound() {
    write_sync_clip(clip_, clip_of(AV_CODEC_ID_AAC, 44'100, 2));
    if (!GetParam()) return;
    const auto prepared = prepare({.input = clip_}, {}, {});
    if (!prepared) ADD_FAILURE() << prepared.error().message;
  }
  TemporaryFolder folder_;
  const std::filesystem::path clip_ = folder_ / "clip.mp4";
};

TEST_P(StoredWithSound, GivesItBesideTheFrames) {
  auto source = open_stored_source(clip_, {});
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_TRUE((*source)->info().sound);
  EXPECT_EQ((*source)->info().prepared, GetParam());
  const BothRead read = read_both(**source);
  EXPECT_EQ(read.frames.size(), 150u);
  EXPECT_NEAR(static_cast<double>(read.sound.size()), 249, 3);
  expect_no_gap(read.sound);
  const auto beep = beep_in(read.sound);
  ASSERT_TRUE(beep);
  EXPECT_NEAR(to_ms(*beep), to_ms(kBeep), 4);
}

TEST_P(StoredWithSound, BeginsALittleBeforeAnyEntry) {
  auto source = open_stored_source(clip_, {});
  ASSERT_TRUE(source) << source.error().message;
  for (const Duration to : {3000ms, 1000ms, 2700ms, 0ms}) {
    const auto at = (*source)->seek(to);
    ASSERT_TRUE(at);
    const BothRead read = read_both(**source, 20);
    ASSERT_FALSE(read.sound.empty());
    expect_no_gap(read.sound);
    EXPECT_LE(place_of_sound(read.sound.front()), std::max(*at - 50ms, Duration(30ms)));
    EXPECT_GE(place_of_sound(read.sound.front()), *at - 125ms);
    if (to != 3000ms) continue;
    const auto beep = beep_in(read.sound);
    ASSERT_TRUE(beep);
    EXPECT_NEAR(to_ms(*beep), to_ms(kBeep), 4);
  }
}

TEST_P(StoredWithSound, IsToldOfItsGeneration) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::pair<Duration, std::uint64_t>> told;
  std::vector<std::uint64_t> ended;
  FileIn in(clip_, {},
            {.opened = [](const StoredInfo&) {},
             .frame = [](const std::shared_ptr<const WireFrame>&, std::uint64_t) {},
             .ended =
                 [&](std::uint64_t g) {
                   const std::lock_guard lock(mutex);
                   ended.push_back(g);
                   changed.notify_all();
                 },
             .failed = [](const Error& e) { ADD_FAILURE() << e.message; },
             .sound =
                 [&](const std::vector<StoredSoundMessage>& messages, std::uint64_t g) {
                   const std::lock_guard lock(mutex);
                   for (const auto& m : messages) {
                     const auto packet = parse_sound_packet(m.payload);
                     ASSERT_TRUE(packet);
                     EXPECT_NEAR(to_ms(place_of_sound(*packet)), to_ms(m.place), 0.01);
                     told.emplace_back(m.place, g);
                   }
                 }});
  const auto wait_for_end = [&](std::uint64_t g) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 30s, [&] { return !ended.empty() && ended.back() == g; });
  };
  in.read_until(1h);
  ASSERT_TRUE(wait_for_end(0));
  const std::size_t all = told.size();
  EXPECT_GT(all, 240u);
  in.seek(4s, 5);
  in.read_until(1h);
  ASSERT_TRUE(wait_for_end(5));
  EXPECT_GT(told.size(), all + 45);
  EXPECT_EQ(told[all].second, 5u);
  EXPECT_GT(told[all].first, 2800ms);
}

INSTANTIATE_TEST_SUITE_P(Files, StoredWithSound, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "Prepared" : "AsItIs"; });

class PreparedSound : public ::testing::Test {
 protected:
  PreparedSound() { write_sync_clip(clip_, clip_of(AV_CODEC_ID_FLAC, 48'000, 1)); }
  TemporaryFolder folder_;
  const std::filesystem::path clip_ = folder_ / "clip.mkv";
  const std::filesystem::path file_ = folder_ / "clip.mkv.qvid";
};

TEST_F(PreparedSound, IsWhatEncodingItAgainGives) {
  ASSERT_TRUE(prepare({.input = clip_}, {}, {}));
  auto prepared = open_stored_source(clip_, {});
  auto again = open_stored_source(clip_, {.gop = 1s, .aligned_gops = true, .use_prepared = false});
  ASSERT_TRUE(prepared && again);
  const auto first = read_both(**prepared).sound;
  const auto second = read_both(**again).sound;
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].opus.text(), second[i].opus.text());
    EXPECT_NEAR(to_ms(place_of_sound(first[i])), to_ms(place_of_sound(second[i])), 0.002);
    EXPECT_EQ(first[i].last, second[i].last);
  }
}

// Of version 1: played as it is, and prepared again when that is asked for.
TEST_F(PreparedSound, AFileOfBeforeSoundIsReadAndMadeAnew) {
  {
    auto source = open_stored_source(clip_, {.gop = 1s, .aligned_gops = true});
    ASSERT_TRUE(source);
    LayeredFileHeader header;
    header.codec = "h264";
    header.rate = (*source)->info().rate;
    header.size = (*source)->info().size;
    header.original = *identify(clip_);
    auto writer = LayeredFileWriter::create(file_, header);
    ASSERT_TRUE(writer);
    for (const CodedFrame& frame : read_frames(**source)) ASSERT_FALSE((*writer)->add(frame));
    ASSERT_TRUE((*writer)->finish());
  }
  auto old = open_stored_source(clip_, {});
  ASSERT_TRUE(old);
  EXPECT_TRUE((*old)->info().prepared);
  EXPECT_FALSE((*old)->info().sound);
  const BothRead read = read_both(**old);
  EXPECT_EQ(read.frames.size(), 150u);
  EXPECT_TRUE(read.sound.empty());

  const auto anew = prepare({.input = clip_}, {}, {});
  ASSERT_TRUE(anew) << anew.error().message;
  EXPECT_EQ(anew->outcome, Prepared::Outcome::kWritten);
  EXPECT_TRUE(anew->info.sound);
  const auto again = prepare({.input = clip_}, {}, {});
  EXPECT_EQ(again->outcome, Prepared::Outcome::kUpToDate);
}

TEST_F(PreparedSound, DamagedItIsAnErrorAndOtherPlacesCanBeRead) {
  ASSERT_TRUE(prepare({.input = clip_}, {}, {}));
  std::string bytes;
  {
    std::ifstream in(file_, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  // Its first record: the first size whose highest bit is set, behind the records before.
  std::size_t at = kLayeredHeaderSize;
  const auto word = [&] {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    }
    return value;
  };
  while ((word() >> 31) == 0) at += 4 + word();
  struct SoundDamage {
    std::size_t byte;
    char value;
  };
  // Its size, its kind, its flags, a time, the length of its Opus frames.
  for (const SoundDamage damage : {SoundDamage{1, 1}, SoundDamage{3, 5}, SoundDamage{4, 9},
                                   SoundDamage{5, 2}, SoundDamage{6, 127}, SoundDamage{14, 3}}) {
    std::string damaged = bytes;
    damaged[at + damage.byte] = damage.value;
    std::ofstream(file_, std::ios::binary) << damaged;
    auto opened = LayeredFileSource::open(file_);
    ASSERT_TRUE(opened);
    StoredSource& source = **opened;
    bool failed = false;
    for (int i = 0; i < 10 && !failed; ++i) {
      const auto got = source.next({});
      failed = !got;
      EXPECT_TRUE(got || got.error().message.find("cannot be used") != std::string::npos);
    }
    EXPECT_TRUE(failed) << damage.byte;
    ASSERT_TRUE(source.seek(2s));
    EXPECT_TRUE(source.next({}));
  }
}

}  // namespace
}  // namespace qvid::media
