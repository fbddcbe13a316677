#include "media/recording/recording_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "media/picture/ffmpeg_log.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace qvid::media {
namespace {

constexpr AVRational kNanoseconds = {1, 1'000'000'000};

Error cannot_write(const std::filesystem::path& path, const std::string& why) {
  return Error{"cannot write " + path.string() + ": " + why};
}

// Frames that a player leaves out at the beginning (pre-skip): none. The encoder's look-ahead is in
// the times already (SoundPacket::captured), and what is recorded begins in the midst of a stream.
// Nor is there a delay then that writers and readers of Matroska could take differently.
constexpr std::uint16_t kPreSkip = 0;
constexpr int kSeekPreroll = 3840;  // 80 ms until a decoder is right (RFC 7845, section 4.6)
constexpr int kOpusRate = 48'000;
constexpr std::uint8_t kOpusChannels = 2;

// OpusHead: RFC 7845, section 5.1; the gain is 0, the mapping family 0.
constexpr std::array<std::uint8_t, 19> kOpusHead = {
    'O',           'p',  'u',  's', 'H', 'e', 'a', 'd', 1, kOpusChannels, kPreSkip & 0xff,
    kPreSkip >> 8, 0x80, 0xbb, 0,   0,   0,   0,   0};

// 20 ms of silence: CELT, fullband.
constexpr std::array<std::uint8_t, 3> kSilence = {0xf8, 0xff, 0xfe};

std::string words_of(int error) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> words{};
  av_strerror(error, words.data(), words.size());
  return words.data();
}

// Makes the file, so that no other is taken for it.
std::optional<Error> make_file(const std::filesystem::path& path, bool replace) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL);
  const int file = ::open(path.c_str(), flags, 0600);
  if (file >= 0) {
    ::close(file);
    return std::nullopt;
  }
  if (errno == EEXIST) {
    return cannot_write(path, "there is such a file; choose another name, or say --force");
  }
  return cannot_write(path, std::strerror(errno));
}

bool set_extra(AVCodecParameters& to, const void* data, std::size_t size) {
  to.extradata = static_cast<std::uint8_t*>(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE));
  if (to.extradata == nullptr) return false;
  to.extradata_size = static_cast<int>(size);
  std::memcpy(to.extradata, data, size);
  return true;
}

bool set_picture(AVCodecParameters& to, const RecordingTrack& track) {
  to.codec_type = AVMEDIA_TYPE_VIDEO;
  to.codec_id = AV_CODEC_ID_H264;
  to.format = AV_PIX_FMT_YUV420P;
  to.width = track.size.width;
  to.height = track.size.height;
  return set_extra(to, track.parameter_sets.data(), track.parameter_sets.size());
}

bool set_sound(AVCodecParameters& to) {
  to.codec_type = AVMEDIA_TYPE_AUDIO;
  to.codec_id = AV_CODEC_ID_OPUS;
  to.sample_rate = kOpusRate;
  to.initial_padding = kPreSkip;
  to.seek_preroll = kSeekPreroll;
  av_channel_layout_default(&to.ch_layout, kOpusChannels);
  return set_extra(to, kOpusHead.data(), kOpusHead.size());
}

}  // namespace

std::optional<Error> check_recording_name(const std::filesystem::path& path) {
  if (path.extension() == ".mkv" || path.extension() == ".mp4") return std::nullopt;
  return Error{"'" + path.string() + "': the name of a recording ends in .mkv or .mp4"};
}

Result<std::unique_ptr<RecordingFile>> RecordingFile::create(const std::filesystem::path& path,
                                                             bool replace,
                                                             const RecordingTrack& track) {
  quiet_ffmpeg_log();
  if (auto error = check_recording_name(path)) return *std::move(error);
  const bool mp4 = path.extension() == ".mp4";
  AVFormatContext* made = nullptr;
  const int allocated =
      avformat_alloc_output_context2(&made, nullptr, mp4 ? "mp4" : "matroska", nullptr);
  AvOutputPtr output(made);
  if (allocated < 0) return cannot_write(path, words_of(allocated));
  AVStream* stream = avformat_new_stream(output.get(), nullptr);
  if (stream == nullptr || !set_picture(*stream->codecpar, track)) {
    return cannot_write(path, "out of memory");
  }
  stream->time_base = mp4 ? AVRational{1, 90'000} : AVRational{1, 1000};
  if (track.sound) {
    AVStream* sound = avformat_new_stream(output.get(), nullptr);
    if (sound == nullptr || !set_sound(*sound->codecpar)) {
      return cannot_write(path, "out of memory");
    }
    sound->time_base = {1, mp4 ? kOpusRate : 1000};
  }
  output->flags |= AVFMT_FLAG_FLUSH_PACKETS;
  if (!track.comment.empty()) av_dict_set(&output->metadata, "comment", track.comment.c_str(), 0);

  if (auto error = make_file(path, replace)) return *std::move(error);
  // Said to be a file, whatever protocol its name looks like.
  int result = avio_open(&output->pb, ("file:" + path.string()).c_str(), AVIO_FLAG_WRITE);
  AVDictionary* options = nullptr;
  if (mp4) {
    av_dict_set(&options, "movflags", "empty_moov+default_base_moof", 0);
    av_dict_set(&options, "frag_duration", "1000000", 0);  // µs
  } else {
    av_dict_set(&options, "cluster_time_limit", "1000", 0);  // ms
  }
  if (result >= 0) result = avformat_write_header(output.get(), &options);
  av_dict_free(&options);
  if (result >= 0 && output->pb->error < 0) result = output->pb->error;
  if (result < 0) return cannot_write(path, words_of(result));
  return std::unique_ptr<RecordingFile>(new RecordingFile(path, std::move(output)));
}

RecordingFile::~RecordingFile() = default;

Error RecordingFile::failed(int error) const { return cannot_write(path_, words_of(error)); }

std::optional<Error> RecordingFile::add(std::span<const std::byte> picture, Duration time,
                                        Duration lasts, bool key) {
  return write(0, picture, time, lasts, key);
}

std::optional<Error> RecordingFile::add_sound(std::span<const std::byte> opus, Duration time,
                                              Duration lasts) {
  // FFmpeg has the first packet of an MP4's track begin with the file.
  if (std::exchange(no_sound_yet_, false) && time > Duration::zero() &&
      path_.extension() == ".mp4") {
    if (auto error = write(1, std::as_bytes(std::span(kSilence)), Duration::zero(), 20ms, true)) {
      return error;
    }
  }
  return write(1, opus, time, lasts, true);
}

std::optional<Error> RecordingFile::write(int track, std::span<const std::byte> data, Duration time,
                                          Duration lasts, bool key) {
  if (!output_) return cannot_write(path_, "it is finished");
  if (track >= static_cast<int>(output_->nb_streams)) return cannot_write(path_, "no such track");
  if (av_new_packet(packet_.get(), static_cast<int>(data.size())) < 0) {
    return cannot_write(path_, "out of memory");
  }
  std::memcpy(packet_->data, data.data(), data.size());
  packet_->stream_index = track;
  const AVRational base = output_->streams[track]->time_base;
  packet_->pts = packet_->dts = av_rescale_q(time.count(), kNanoseconds, base);
  packet_->duration = av_rescale_q(lasts.count(), kNanoseconds, base);
  packet_->flags = key ? AV_PKT_FLAG_KEY : 0;
  int result = av_write_frame(output_.get(), packet_.get());
  av_packet_unref(packet_.get());
  if (result >= 0 && output_->pb->error < 0) result = output_->pb->error;
  if (result < 0) return failed(result);
  return std::nullopt;
}

std::optional<Error> RecordingFile::finish() {
  if (!output_) return std::nullopt;
  int result = av_write_trailer(output_.get());
  const int closed = avio_closep(&output_->pb);
  output_.reset();
  if (result >= 0) result = closed;
  if (result < 0) return failed(result);
  return std::nullopt;
}

}  // namespace qvid::media
