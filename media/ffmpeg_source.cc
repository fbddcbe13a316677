#include "media/ffmpeg_source.h"

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "media/ffmpeg_open.h"
#include "media/frame_timeline.h"
#include "media/i420_converter.h"
#include "media/wait_until.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/error.h>
#include <libavutil/mathematics.h>
}

namespace qvid::media {
namespace {

// A device or stream that gives nothing for so long is lost.
constexpr Duration kReadTimeout = 5s;
// How often a device that had nothing is asked again: a tenth of a frame time.
constexpr Duration kPollInterval = 3ms;
// After a longer pause of its reader a file goes on from where it is instead of catching up.
constexpr Duration kLongestLag = 1s;
constexpr int kMostBadPackets = 100;  // one after the other
// Bounds how long a camera is drained for its newest picture; drivers have 4 to 32 buffers.
constexpr int kMostBacklog = 64;

std::string size_text(PictureSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

class FfmpegSource final : public VideoSource {
 public:
  FfmpegSource(SourceSpec spec, const SourceOptions& options, PictureSize size, DecodedInput opened,
               std::unique_ptr<InputGuard> guard)
      : spec_(std::move(spec)),
        options_(options),
        guard_(std::move(guard)),
        in_(std::move(opened)),
        converter_(size, spec_.kind == SourceSpec::Kind::kFile),
        size_(size),
        timeline_(in_.rate) {}

  Result<std::variant<VideoFrame, EndOfStream>> read(std::stop_token stop) override;
  PictureSize size() const override { return size_; }
  std::string description() const override;

 private:
  enum class Step { kPicture, kEnd, kStopped };

  bool is_device() const { return spec_.kind != SourceSpec::Kind::kFile; }
  bool loops() const { return options_.loop && is_local_file(spec_); }

  Result<Step> next_picture();
  Result<Step> next_packet();
  void skip_backlog();
  Result<bool> start_again();
  std::optional<Duration> picture_time() const;
  bool wait_for_turn(std::optional<Duration> timestamp);
  Timestamp time_of_capture() const;
  Error lost(const std::string& why) const;

  SourceSpec spec_;
  SourceOptions options_;
  std::unique_ptr<InputGuard> guard_;  // before what asks it
  DecodedInput in_;
  AvPacketPtr packet_ = new_av_packet();
  AvFramePtr picture_ = new_av_frame();
  I420Converter converter_;
  PictureSize size_;

  FrameTimeline timeline_;
  std::optional<Timestamp> start_;  // of the timeline
  bool draining_ = false;           // the decoder has been told of the end
  bool reopened_ = false;           // since the last picture
  int bad_packets_ = 0;             // since the last picture
  std::int64_t pictures_ = 0;       // since the start of the file
  VideoFrame last_;                 // what a loop over a single picture repeats
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
      last_.captured = steady_now();
      return {last_};
    }
    if (pictures_ == 0 && (reopened_ || !loops())) {
      return lost("nothing in it can be decoded; check it with another player");
    }
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
    if (!wait_for_turn(picture_time())) return {EndOfStream{}};
    frame->captured = steady_now();
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
    const auto step = next_packet();
    if (!step || *step == Step::kStopped) return step;
    draining_ = *step == Step::kEnd;
    const int sent = avcodec_send_packet(in_.decoder.get(), draining_ ? nullptr : packet_.get());
    av_packet_unref(packet_.get());
    if (sent < 0 && !draining_ && ++bad_packets_ >= kMostBadPackets) {
      return lost("its video is damaged; check it with another player");
    }
  }
}

// Reads a packet of the video, into packet_. kPicture: it is there.
Result<FfmpegSource::Step> FfmpegSource::next_packet() {
  const Timestamp asked = steady_now();
  guard_->deadline = is_local_file(spec_) ? kNever : asked + kReadTimeout;
  for (;;) {
    const int result = av_read_frame(in_.input.get(), packet_.get());
    if (guard_->stop.stop_requested()) {
      av_packet_unref(packet_.get());
      return Step::kStopped;
    }
    if (result == 0) {
      if (packet_->stream_index == in_.stream) {
        skip_backlog();
        return Step::kPicture;
      }
      av_packet_unref(packet_.get());
    } else if (result == AVERROR(EAGAIN)) {
      if (!wait_until(steady_now() + kPollInterval, guard_->stop)) return Step::kStopped;
    } else if (result == AVERROR_EOF && !is_device()) {
      return Step::kEnd;
    } else if (is_local_file(spec_)) {
      // Damage, or the end of a file that was cut off.
      const AVIOContext* bytes = in_.input->pb;
      if (bytes == nullptr || bytes->eof_reached != 0) return Step::kEnd;
      if (result != AVERROR_INVALIDDATA || ++bad_packets_ >= kMostBadPackets) {
        return lost("it cannot be read any further (" + ffmpeg_words(result) +
                    "); check it with another player");
      }
    } else if (!guard_->expired()) {
      // X11 errors come as numbers that say nothing.
      const std::string why = spec_.kind == SourceSpec::Kind::kScreen
                                  ? "the display was closed or has changed its size"
                                  : ffmpeg_words(result);
      return lost(why + "; check that it is still there, then open it again");
    }
    if (guard_->expired()) {
      return lost("it has given nothing for 5 s; check that it is still there, then open it again");
    }
  }
}

// A camera whose reader was late has older pictures waiting: only the newest is of use. Every one
// of its pictures stands alone.
void FfmpegSource::skip_backlog() {
  const auto codec = in_.decoder->codec_id;
  if (spec_.kind != SourceSpec::Kind::kCamera ||
      (codec != AV_CODEC_ID_RAWVIDEO && codec != AV_CODEC_ID_MJPEG)) {
    return;
  }
  AvPacketPtr newer = new_av_packet();
  for (int i = 0; i < kMostBacklog && av_read_frame(in_.input.get(), newer.get()) == 0; ++i) {
    av_packet_unref(packet_.get());
    av_packet_move_ref(packet_.get(), newer.get());
  }
}

// Goes back to the start of the file; false where a request to stop came first.
Result<bool> FfmpegSource::start_again() {
  AVFormatContext& input = *in_.input;
  const std::int64_t first = input.start_time == AV_NOPTS_VALUE ? 0 : input.start_time;
  // After a seek that led to no picture, or where a format cannot seek, opening again does it.
  if (pictures_ == 0 || av_seek_frame(&input, -1, first, AVSEEK_FLAG_BACKWARD) < 0) {
    auto opened = open_decoded_input(spec_, options_, *guard_);
    if (guard_->stop.stop_requested()) return false;
    if (!opened) return opened.error();
    in_ = *std::move(opened);
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
  const Duration time = timeline_.place(timestamp);
  const Timestamp now = steady_now();
  if (!start_) start_ = now - time;
  // A live stream does catch up, or it would stay behind for ever.
  if (is_local_file(spec_) && now - (*start_ + time) > kLongestLag) start_ = now - time;
  return wait_until(*start_ + time, guard_->stop);
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

Error FfmpegSource::lost(const std::string& why) const {
  return {source_name(spec_) + " is lost: " + why};
}

std::string FfmpegSource::description() const {
  char rate[32];
  std::snprintf(rate, sizeof rate, "%.4g", in_.rate.per_second());
  std::string text = source_name(spec_) + ", " + size_text(in_.size) + " at " + rate + " fps";
  if (in_.size != size_) text += ", scaled to " + size_text(size_);
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
