// Sound in a recording, opened as any player opens it: beside the pictures it belongs to, in every
// file, and left out where it has none.
#include <gtest/gtest.h>

#include <numbers>

#include "media/recording/recording.h"
#include "media/sound/sound_block.h"
#include "media/unit/unit_wire.h"
#include "tests/media/recorded_video.h"
#include "tests/temporary_folder.h"

namespace qvid::media {
namespace {

constexpr PictureSize kPictured{112, 80};
constexpr FrameRate kPicturesRate{30, 1};
constexpr Timestamp kPublisherStart{7777s};  // its clock begins anywhere
// FFmpeg's encoder of libopus looks ahead by so many frames, as ours.
constexpr std::int64_t kLookAhead = 312;

// Packets of 20 ms from kPublisherStart on, silent but for a beep at the middle of each second.
std::vector<SoundPacket> coded_sound(int packets) {
  const AVCodec* codec = avcodec_find_encoder_by_name("libopus");
  AVCodecContext* encoder = avcodec_alloc_context3(codec);
  encoder->sample_rate = kSoundRate;
  encoder->sample_fmt = AV_SAMPLE_FMT_FLT;
  encoder->bit_rate = 64'000;
  av_channel_layout_default(&encoder->ch_layout, 2);
  EXPECT_GE(avcodec_open2(encoder, codec, nullptr), 0);
  AVFrame* frame = av_frame_alloc();
  AVPacket* packet = av_packet_alloc();
  std::vector<SoundPacket> sound;
  for (int n = 0; n < packets; ++n) {
    frame->nb_samples = 960;
    frame->format = AV_SAMPLE_FMT_FLT;
    frame->sample_rate = kSoundRate;
    frame->pts = n * 960;
    av_channel_layout_default(&frame->ch_layout, 2);
    EXPECT_GE(av_frame_get_buffer(frame, 0), 0);
    for (int i = 0; i < 960; ++i) {
      const int place = (n * 960 + i + kSoundRate / 2) % kSoundRate;
      const double t = static_cast<double>(place) / kSoundRate;
      const double v = place < 2880 ? 0.5 * std::sin(2 * std::numbers::pi * 1000 * t) : 0.0;
      for (int c = 0; c < 2; ++c) {
        reinterpret_cast<float*>(frame->data[0])[2 * i + c] = static_cast<float>(v);
      }
    }
    EXPECT_GE(avcodec_send_frame(encoder, frame), 0);
    av_frame_unref(frame);
    while (avcodec_receive_packet(encoder, packet) >= 0) {
      const std::span data(reinterpret_cast<const char*>(packet->data),
                           static_cast<std::size_t>(packet->size));
      const auto at = static_cast<std::int64_t>(sound.size()) * 960 - kLookAhead;
      sound.push_back({.captured = kPublisherStart + sound_time(at),
                       .duration = 20ms,
                       .opus = Payload::copy_of(std::string_view(data.data(), data.size()))});
      av_packet_unref(packet);
    }
  }
  av_frame_free(&frame);
  av_packet_free(&packet);
  avcodec_free_context(&encoder);
  return sound;
}

class Publisher {
 public:
  explicit Publisher(Recording& recording, int sound_packets = 300)
      : recording_(recording), sound_(coded_sound(sound_packets)) {}

  // Frames [from, to) and what is captured meanwhile of the sound, which comes first.
  void publish(int from, int to, bool with_sound = true) {
    for (int n = from; n < to; ++n) {
      const Timestamp at = kPublisherStart + kPicturesRate.time_of(n);
      while (next_ < sound_.size() && sound_[next_].captured < at) {
        if (with_sound) recording_.on_sound(sound_[next_]);
        ++next_;
      }
      CodedFrame frame = encode(*encoder_, draw(kPictured, n), n);
      frame.captured = frame.due = at;
      const WireFrame wire = serialise(frame);
      recording_.on_message(header_position(frame.number), wire.header);
      for (std::size_t i = 0; i < wire.units.size(); ++i) {
        const std::uint8_t layer = wire.frame.units[i].layer;
        if (layer == 1 && !top_) continue;
        recording_.on_message(unit_position(frame.number, layer), wire.units[i]);
      }
    }
  }
  void set_top(bool on) { top_ = on; }

 private:
  Recording& recording_;
  std::vector<SoundPacket> sound_;
  std::size_t next_ = 0;
  std::unique_ptr<Encoder> encoder_ = encoder_for(kPictured, 24);
  bool top_ = true;
};

// Beeps were captured at the half of each second from kPublisherStart on; the file begins `begins`
// after that.
void expect_beeps(const RecordedVideo& got, double begins) {
  ASSERT_FALSE(got.beeps.empty());
  for (const double beep : got.beeps) {
    const double since_half = std::remainder(beep + begins - 0.5, 1.0);
    EXPECT_NEAR(since_half, 0, 0.004) << beep;
  }
}

class RecordedSound : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, RecordedSound, testing::Values(".mkv", ".mp4"));

TEST_P(RecordedSound, StandsWhereItsPicturesDo) {
  const TemporaryFolder folder;
  const auto path = folder / (std::string("call") + GetParam());
  Recording recording({.path = path});
  recording.begin(kPicturesRate);
  Publisher publisher(recording);
  publisher.publish(0, 120);
  recording.finish();
  const auto stats = recording.stats();
  ASSERT_FALSE(stats.error) << stats.error->message;
  ASSERT_EQ(stats.files.size(), 1u);
  EXPECT_TRUE(stats.files[0].sound);
  EXPECT_GE(stats.files[0].sound_packets, 196);
  EXPECT_EQ(stats.sound_left_out, 1) << "that which began before the first picture";
  RecordedVideo got = open_recording(path);
  ASSERT_TRUE(got.opened);
  ASSERT_GT(got.sound.size(), 2u);
  EXPECT_LT(got.sound[0].time, 0.021);
  if (path.extension() == ".mp4") got.sound.erase(got.sound.begin());  // silence until sound begins
  EXPECT_EQ(got.errors, 0);
  EXPECT_EQ(got.pictures.size(), 120u);
  ASSERT_EQ(static_cast<std::int64_t>(got.sound.size()), stats.files[0].sound_packets);
  // Times of the demuxer are those of capture; pictures begin at zero.
  EXPECT_NEAR(got.times.at(0), 0, 0.001);
  const auto all = coded_sound(300);
  for (std::size_t i = 0; i < got.sound.size(); ++i) {
    EXPECT_NEAR(got.sound[i].time, to_seconds(all[i + 1].captured - kPublisherStart), 0.0011);
    const auto sent = all[i + 1].opus.bytes();
    EXPECT_TRUE(
        std::equal(sent.begin(), sent.end(), got.sound[i].opus.begin(), got.sound[i].opus.end()));
  }
  EXPECT_EQ(got.beeps.size(), 4u);
  expect_beeps(got, 0);
}

TEST_P(RecordedSound, SilenceThatWasNotSentIsAGapAndBadPacketsAreLeft) {
  const TemporaryFolder folder;
  const auto path = folder / (std::string("call") + GetParam());
  Recording recording({.path = path});
  recording.begin(kPicturesRate);
  recording.on_sound({.captured = kPublisherStart + 24h,
                      .duration = 20ms,
                      .opus = Payload::copy_of("of another clock")});
  Publisher publisher(recording);
  publisher.publish(0, 40);
  recording.on_sound({.captured = kPublisherStart, .duration = 20ms, .opus = {}});
  recording.on_sound({.captured = kPublisherStart + 1s,
                      .duration = 20ms,
                      .opus = Payload::copy_of(std::string(5000, 'x'))});
  publisher.publish(40, 90, false);
  publisher.publish(90, 150);
  // Long over: what is written is in order.
  recording.on_sound(
      {.captured = kPublisherStart - 1s, .duration = 20ms, .opus = Payload::copy_of("too early")});
  recording.finish();
  const auto stats = recording.stats();
  ASSERT_FALSE(stats.error) << stats.error->message;
  EXPECT_EQ(stats.files.size(), 1u);
  EXPECT_EQ(stats.sound_left_out, 5);
  const RecordedVideo got = open_recording(path);
  EXPECT_EQ(got.errors, 0);
  EXPECT_EQ(got.pictures.size(), 150u);
  double longest = 0;
  for (std::size_t i = 1; i < got.sound.size(); ++i) {
    longest = std::max(longest, got.sound[i].time - got.sound[i - 1].time);
  }
  EXPECT_NEAR(longest, 50 / 30.0, 0.05);
  EXPECT_EQ(got.beeps.size(), 3u);  // at 0.5, 3.5 and 4.5; those of 1.5 and 2.5 were not sent
  expect_beeps(got, 0);
}

TEST_P(RecordedSound, EveryPartHasItsSound) {
  const TemporaryFolder folder;
  const auto path = folder / (std::string("call") + GetParam());
  Recording recording({.path = path});
  recording.begin(kPicturesRate);
  Publisher publisher(recording, 800);
  publisher.publish(0, 200);
  publisher.set_top(false);
  publisher.publish(200, 400);
  recording.finish();
  const auto stats = recording.stats();
  ASSERT_FALSE(stats.error) << stats.error->message;
  ASSERT_EQ(stats.files.size(), 2u);
  std::int64_t packets = 0;
  for (const RecordedFile& file : stats.files) {
    EXPECT_TRUE(file.sound);
    packets += file.sound_packets;
  }
  // Nothing is lost between the two.
  EXPECT_LE(stats.sound_left_out, 2);
  EXPECT_NEAR(static_cast<double>(packets), 400 / 30.0 * 50, 3);
  const RecordedVideo first = open_recording(stats.files[0].path);
  const RecordedVideo second = open_recording(stats.files[1].path);
  EXPECT_EQ(first.errors + second.errors, 0);
  expect_beeps(first, 0);
  const double begins = 400 / 30.0 - static_cast<double>(stats.files[1].frames) / 30;
  EXPECT_NEAR(second.times.at(0), 0, 0.001);
  expect_beeps(second, begins);
  EXPECT_LT(second.sound.at(0).time, 0.021);
}

TEST_P(RecordedSound, ATrackIsThereWhereSoundIsKnownOrCame) {
  const TemporaryFolder folder;
  const auto record = [&](const std::string& name, bool told, auto publish) {
    Recording recording({.path = folder / (name + GetParam())});
    recording.begin(kPicturesRate, told);
    Publisher publisher(recording);
    publish(publisher);
    recording.finish();
    EXPECT_FALSE(recording.stats().error);
    return recording.stats().files;
  };
  const auto silent = [](Publisher& p) { p.publish(0, 60, false); };
  const auto none = record("none", false, silent);
  ASSERT_EQ(none.size(), 1u);
  EXPECT_FALSE(none[0].sound);
  EXPECT_FALSE(open_recording(none[0].path).has_sound);

  const auto told = record("told", true, silent);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].sound);
  const RecordedVideo got = open_recording(told[0].path);
  EXPECT_TRUE(got.has_sound);
  EXPECT_EQ(got.pictures.size(), 60u);
  EXPECT_EQ(got.errors, 0);

  // Sound that nobody knew of begins another file with the next key frame.
  const auto later = record("later", false, [](Publisher& p) {
    p.publish(0, 150, false);
    p.publish(150, 240);
  });
  ASSERT_EQ(later.size(), 2u);
  EXPECT_FALSE(later[0].sound);
  EXPECT_TRUE(later[1].sound);
  EXPECT_EQ(later[0].frames + later[1].frames, 240);
  expect_beeps(open_recording(later[1].path), static_cast<double>(later[0].frames) / 30);
}

}  // namespace
}  // namespace qvid::media
