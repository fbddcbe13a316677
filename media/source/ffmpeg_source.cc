#include "media/source/ffmpeg_source.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "media/picture/i420_converter.h"
#include "media/sound/sound_queue.h"
#include "media/source/ffmpeg_open.h"
#include "media/source/frame_timeline.h"
#include "media/source/packet_reader.h"
#include "media/source/source_sound.h"
#include "media/source/stream_lag.h"
#include "media/source/wait_until.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/error.h>
#include <libavutil/mathematics.h>
}

namespace qvid::media {
namespace {

// After a longer pause of its reader a file goes on from where it is instead of catching up.
constexpr Duration kLongestLag = 1s;
constexpr int kMostBadPackets = 100;  // one after the other
// Sound is given so long before its time, and so often while a picture waits for its own.
constexpr Duration kSoundAhead = 300ms;
constexpr Duration kSoundTurn = 100ms;
// By so much less sound after a seek than at first is not heard.
constexpr Duration kMostMissing = 100ms;
constexpr Duration kLeastSound = 1ms;

class FfmpegSource final : public VideoSource {
 public:
  FfmpegSource(SourceSpec spec, const SourceOptions& options, PictureSize size, DecodedInput opened,
               std::unique_ptr<InputGuard> guard)
      : spec_(std::move(spec)),
        options_(options),
        guard_(std::move(guard)),
        in_(std::move(opened)),
        reader_(spec_, *guard_, in_),
        converter_(size, spec_.kind == SourceSpec::Kind::kFile),
        size_(size),
        timeline_(in_.rate) {
    if (options_.sound) options_.sound->clear();
    open_sound();
  }

  Result<std::variant<VideoFrame, EndOfStream>> read(std::stop_token stop) override;
  PictureSize size() const override { return size_; }
  std::string description() const override;

 private:
  enum class Step { kPicture, kEnd, kStopped };

  bool is_device() const { return spec_.kind != SourceSpec::Kind::kFile; }
  bool loops() const { return options_.loop && is_local_file(spec_); }

  Result<Step> next_picture();
  void open_sound();
  void read_sound_ahead(std::optional<Duration> timestamp);
  void give_sound(Duration until);
  void end_sound();
  Result<bool> start_again();
  std::optional<Duration> picture_time() const;
  bool wait_for_turn(std::optional<Duration> timestamp);
  Timestamp time_of_capture() const;
  Error lost(const std::string& why) const { return lost_error(spec_, why); }

  SourceSpec spec_;
  SourceOptions options_;
  std::unique_ptr<InputGuard> guard_;  // before what asks it
  DecodedInput in_;
  PacketReader reader_;
  std::unique_ptr<SourceSound> sound_;  // null: there is none
  AvPacketPtr packet_ = new_av_packet();
  AvFramePtr picture_ = new_av_frame();
  I420Converter converter_;
  PictureSize size_;

  FrameTimeline timeline_;
  std::optional<Timestamp> start_;        // of the timeline
  Duration time_{};                       // of the last picture, on the timeline
  Timestamp turn_{};                      // when it is to be shown, and was captured
  std::optional<Duration> sound_begins_;  // in the file
  StreamLag lag_;                         // of a live stream
  Duration late_{};                       // all of it
  bool draining_ = false;                 // the decoder has been told of the end
  bool reopened_ = false;                 // since the last picture
  int bad_packets_ = 0;                   // since the last picture
  std::int64_t pictures_ = 0;             // since the start of the file
  VideoFrame last_;                       // what a loop over a single picture repeats
};

Result<std::variant<VideoFrame, EndOfStream>> FfmpegSource::read(std::stop_token stop) {
  guard_->stop = stop;
  for (;;) {
    const auto step = next_picture();
    if (!step) return step.error();
    if (*step == Step::kStopped) return {EndOfStream{}};
    if (*step == Step::kPicture) break;
    if (loops() && pictures_ == 1) {
      if (!wait_for_turn(std::nullopt)) return {EndOfStream{}};
      last_.captured = turn_;
      return {last_};
    }
    if (pictures_ == 0 && (reopened_ || !loops())) {
      return lost("nothing in it can be decoded; check it with another player");
    }
    end_sound();
    if (!loops()) return {EndOfStream{}};
    const auto again = start_again();
    if (!again) return again.error();
    if (!*again) return {EndOfStream{}};
  }

  picture_->sample_aspect_ratio =
      av_guess_sample_aspect_ratio(in_.input.get(), in_.input->streams[in_.stream], picture_.get());
  auto frame = converter_.convert(*picture_);
  if (!frame) return frame.error();
  frame->captured = time_of_capture();
  if (!is_device()) {
    read_sound_ahead(picture_time());
    if (!wait_for_turn(picture_time())) return {EndOfStream{}};
    frame->captured = turn_;
  }
  if (loops()) last_ = *frame;
  return {*std::move(frame)};
}

// Decodes up to the next picture, into picture_.
Result<FfmpegSource::Step> FfmpegSource::next_picture() {
  for (;;) {
    const int received = avcodec_receive_frame(in_.decoder.get(), picture_.get());
    if (received == 0) {
      bad_packets_ = 0;
      reopened_ = false;
      ++pictures_;
      return Step::kPicture;
    }
    if (received == AVERROR_EOF) return Step::kEnd;
    if (received != AVERROR(EAGAIN) && ++bad_packets_ >= kMostBadPackets) {
      return lost("its video is damaged; check it with another player");
    }
    if (draining_) {
      if (received == AVERROR(EAGAIN)) return Step::kEnd;  // a decoder that does not know its end
      continue;
    }
    const auto step = reader_.next(*packet_);
    if (!step) return step.error();
    if (*step == PacketReader::Step::kStopped) return Step::kStopped;
    draining_ = *step == PacketReader::Step::kEnd;
    const int sent = avcodec_send_packet(in_.decoder.get(), draining_ ? nullptr : packet_.get());
    av_packet_unref(packet_.get());
    if (sent < 0 && !draining_ && ++bad_packets_ >= kMostBadPackets) {
      return lost("its video is damaged; check it with another player");
    }
  }
}

// Goes back to the start of the file; false where a request to stop came first.
Result<bool> FfmpegSource::start_again() {
  AVFormatContext& input = *in_.input;
  const std::int64_t first = input.start_time == AV_NOPTS_VALUE ? 0 : input.start_time;
  const auto seek = [&] {
    if (av_seek_frame(&input, -1, first, AVSEEK_FLAG_BACKWARD) < 0) return false;
    reader_.restart();
    if (!sound_) return true;
    sound_->restart();
    if (!sound_begins_) return true;
    // A seek leads to the first picture: sound that is far before it in the file would be missing.
    reader_.read_ahead(*sound_begins_, *sound_begins_ + kLeastSound, *sound_);
    return sound_->read_from() && *sound_->read_from() - *sound_begins_ < kMostMissing;
  };
  // After a seek that led to no picture, or where a format cannot seek, opening again does it.
  if (pictures_ == 0 || !seek()) {
    auto opened = open_decoded_input(spec_, options_, *guard_);
    if (guard_->stop.stop_requested()) return false;
    if (!opened) return opened.error();
    sound_.reset();  // refers to what goes
    in_ = *std::move(opened);
    reader_.restart();
    open_sound();
    reopened_ = true;
  } else {
    avcodec_flush_buffers(in_.decoder.get());
  }
  draining_ = false;
  pictures_ = 0;
  timeline_.restart();
  return true;
}

std::optional<Duration> FfmpegSource::picture_time() const {
  const std::int64_t stamp = picture_->best_effort_timestamp;
  if (stamp == AV_NOPTS_VALUE) return std::nullopt;
  const AVRational unit = in_.input->streams[in_.stream]->time_base;
  const std::int64_t time = av_rescale_q(stamp, unit, {1, 1'000'000'000});
  if (time == INT64_MIN) return std::nullopt;  // did not fit
  return Duration(time);
}

// False where a request to stop came first.
bool FfmpegSource::wait_for_turn(std::optional<Duration> timestamp) {
  time_ = timeline_.place(timestamp);
  const Timestamp now = steady_now();
  if (!start_) start_ = now - time_;
  if (is_local_file(spec_)) {
    if (now - (*start_ + time_) > kLongestLag) start_ = now - time_;
  } else {
    // A live stream does catch up, or it would stay behind for ever.
    late_ = lag_.on_picture(now, now - (*start_ + time_));
  }
  turn_ = std::max(turn_, *start_ + time_ + late_);  // a stream that catches up does not go back
  if (!sound_) return wait_until(*start_ + time_, guard_->stop);
  if (pictures_ == 1 && timestamp) {
    sound_->begin(*timestamp);
    if (!sound_begins_) sound_begins_ = sound_->read_from();
  }
  for (;;) {
    const Timestamp asked = steady_now();
    give_sound(asked + kSoundAhead - *start_ - late_);
    if (*start_ + time_ - asked <= kSoundTurn) return wait_until(*start_ + time_, guard_->stop);
    if (!wait_until(asked + kSoundTurn, guard_->stop)) return false;
  }
}

void FfmpegSource::open_sound() {
  reader_.set_sound(nullptr);
  if (in_.sound < 0) return;
  auto opened =
      SourceSound::open(*in_.input->streams[in_.sound], options_.sound, options_.sound_status);
  if (!opened) {
    in_.input->streams[in_.sound]->discard = AVDISCARD_ALL;
    if (options_.sound_status && !reopened_) {
      options_.sound_status(
          {.ok = false, .text = source_name(spec_) + " has no sound: " + opened.error().message});
    }
    return;
  }
  sound_ = *std::move(opened);
  reader_.set_sound(sound_.get());
}

// Up to that of the picture which is next, and of a file further: for as long as the next one may
// take to come.
void FfmpegSource::read_sound_ahead(std::optional<Duration> timestamp) {
  if (!sound_ || !timestamp) return;
  Duration until = *timestamp;
  if (is_local_file(spec_)) {
    const auto shift = timeline_.shift();
    if (start_ && shift) until = std::max(until, steady_now() - *start_ - *shift);
    until += kSoundAhead + kSoundTurn;
  }
  reader_.read_ahead(*timestamp, until, *sound_);
}

// What is before that time of the timeline.
void FfmpegSource::give_sound(Duration until) {
  const auto shift = timeline_.shift();
  if (!sound_ || !start_ || !shift) return;
  until -= *shift;
  // What is beyond the last picture of a file is cut off, and there may be no other. A single one
  // that is repeated has all of it.
  const auto latest = reader_.latest_picture();
  const bool repeats = loops() && pictures_ == 1 && draining_;
  if (is_local_file(spec_) && latest && !repeats) {
    until = std::min(until, *latest + in_.rate.frame_time());
  }
  sound_->give(until, *start_ + *shift + late_);
}

// The last picture is over a frame time after it began, and the sound with it.
void FfmpegSource::end_sound() {
  if (pictures_ > 0) give_sound(time_ + in_.rate.frame_time());
}

// Cameras stamp with the steady clock when a picture is taken; what stamps with another clock is
// far from it.
Timestamp FfmpegSource::time_of_capture() const {
  const Timestamp now = steady_now();
  const auto stamp = picture_time();
  if (spec_.kind != SourceSpec::Kind::kCamera || !stamp) return now;
  const Timestamp taken(*stamp);
  return taken <= now && now - taken < 1s ? taken : now;
}

std::string FfmpegSource::description() const {
  std::string text = source_name(spec_) + ", " + pictures_text(in_.size, in_.rate, size_);
  if (sound_) text += ", with sound (" + sound_->description() + ")";
  return loops() ? text + ", looped" : text;
}

}  // namespace

Result<std::unique_ptr<VideoSource>> open_ffmpeg_source(const SourceSpec& spec,
                                                        const SourceOptions& options,
                                                        std::stop_token stop) {
  const auto named = with_default_device(spec);
  if (!named) return named.error();
  auto guard = std::make_unique<InputGuard>();
  guard->stop = std::move(stop);
  auto opened = open_decoded_input(*named, options, *guard);
  if (!opened) return opened.error();

  PictureSize size = own_size(opened->square_size);
  if (options.size != PictureSize{}) size = {options.size.width & ~1, options.size.height & ~1};
  if (!is_supported(size)) {
    return Error{source_name(*named) + " has pictures of " + size_text(opened->size) +
                 ", too narrow to be shown; scale it first, for example with ffmpeg"};
  }
  return std::unique_ptr<VideoSource>(
      std::make_unique<FfmpegSource>(*named, options, size, *std::move(opened), std::move(guard)));
}

Result<PictureSize> probe_size(const SourceSpec& spec) {
  InputGuard guard;
  const auto opened = open_decoded_input(spec, {}, guard);
  if (!opened) return opened.error();
  return opened->size;
}

}  // namespace qvid::media
