#include "media/recording_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "media/ffmpeg_log.h"

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

std::string words_of(int error) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> words{};
  av_strerror(error, words.data(), words.size());
  return words.data();
}

// Makes the file, so that no other is taken for it.
std::optional<Error> make_file(const std::filesystem::path& path, bool replace) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL);
  const int file = ::open(path.c_str(), flags, 0666);
  if (file >= 0) {
    ::close(file);
    return std::nullopt;
  }
  if (errno == EEXIST) {
    return cannot_write(path, "there is such a file; choose another name, or say --force");
  }
  return cannot_write(path, std::strerror(errno));
}

bool set_parameters(AVCodecParameters& to, const RecordingTrack& track) {
  to.codec_type = AVMEDIA_TYPE_VIDEO;
  to.codec_id = AV_CODEC_ID_H264;
  to.format = AV_PIX_FMT_YUV420P;
  to.width = track.size.width;
  to.height = track.size.height;
  const std::size_t size = track.parameter_sets.size();
  to.extradata = static_cast<std::uint8_t*>(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE));
  if (to.extradata == nullptr) return false;
  to.extradata_size = static_cast<int>(size);
  std::memcpy(to.extradata, track.parameter_sets.data(), size);
  return true;
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
  if (stream == nullptr || !set_parameters(*stream->codecpar, track)) {
    return cannot_write(path, "out of memory");
  }
  stream->time_base = mp4 ? AVRational{1, 90'000} : AVRational{1, 1000};
  output->flags |= AVFMT_FLAG_FLUSH_PACKETS;

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
  if (!output_) return cannot_write(path_, "it is finished");
  if (av_new_packet(packet_.get(), static_cast<int>(picture.size())) < 0) {
    return cannot_write(path_, "out of memory");
  }
  std::memcpy(packet_->data, picture.data(), picture.size());
  const AVRational base = output_->streams[0]->time_base;
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
