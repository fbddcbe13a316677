#include "media/source/ffmpeg_open.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "media/picture/ffmpeg_log.h"
#include "media/source/camera_list.h"
#include "media/source/device_library.h"
#include "media/source/ffmpeg_open_errors.h"
#include "media/source/test_source.h"
#include "media/source/x_authority.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
}

namespace qvid::media {
namespace {

// Larger pictures are refused before memory is taken for them: a decoded one is at most 100 MB.
constexpr std::int64_t kMostPixels = std::int64_t{8192} * 8192;
// A decoder with one thread keeps up to twice of this, but a seek in a stored file waits for
// everything since the key frame before it: 250 pictures of 720 lines take one thread 0.3 s.
constexpr int kLinesForOneThread = 480;
constexpr unsigned kMostDecoderThreads = 4;

using Options = std::vector<std::pair<std::string, std::string>>;

class Dictionary {
 public:
  explicit Dictionary(const Options& options) {
    for (const auto& [key, value] : options) {
      if (av_dict_set(&entries_, key.c_str(), value.c_str(), 0) < 0) throw std::bad_alloc();
    }
  }
  ~Dictionary() { av_dict_free(&entries_); }
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;
  AVDictionary** get() { return &entries_; }

 private:
  AVDictionary* entries_ = nullptr;
};

int interrupted(void* guard) {
  const auto* g = static_cast<const InputGuard*>(guard);
  return g->stop.stop_requested() || g->expired() ? 1 : 0;
}

// Containers and streams of videos, pictures and sound. No playlist (hls, concat, dash), nothing that
// draws text, no device.
constexpr const char* kFileFormats =
    "mov,matroska,webm,avi,mpegts,mpeg,flv,live_flv,ogg,asf,rm,nut,ivf,h264,hevc,obu,m4v,mpegvideo,"
    "h261,h263,mjpeg,vc1,dirac,cavsvideo,yuv4mpegpipe,dv,mxf,gxf,wtv,swf,3gp,gif,apng,image2,"
    "png_pipe,jpeg_pipe,webp_pipe,bmp_pipe,tiff_pipe,pbm_pipe,pgm_pipe,ppm_pipe,pam_pipe,wav,mp3,aac,flac,w64,caf,aiff,ac3,eac3";

// An FFmpeg address, the demuxer for it (none: probed) and the options to try, best first.
struct Address {
  std::string url;
  const char* format = nullptr;
  std::vector<Options> attempts;
};

std::string text_of(FrameRate rate) {
  return std::to_string(rate.numerator) + "/" + std::to_string(rate.denominator);
}

Address camera_address(const SourceSpec& spec, const SourceOptions& options) {
  Address address{spec.device, "v4l2", {}};
  const Options rate = {{"framerate", text_of(options.rate)}};
  if (options.size != PictureSize{}) {
    Options sized = rate;
    sized.emplace_back("video_size", std::to_string(options.size.width) + "x" +
                                         std::to_string(options.size.height));
    // Uncompressed, most cameras give large pictures only a few times a second over USB 2.
    if (options.size.height > 480) {
      address.attempts.push_back(sized);
      address.attempts.back().emplace_back("input_format", "mjpeg");
    }
    address.attempts.push_back(sized);
  }
  address.attempts.push_back(rate);
  address.attempts.emplace_back();
  return address;
}

Options screen_options(const ScreenArea& area, const SourceOptions& options) {
  Options all = {{"framerate", text_of(options.rate)}, {"draw_mouse", "1"}};
  if (area.window != 0) all.emplace_back("window_id", std::to_string(area.window));
  if (area.size != PictureSize{}) {
    all.emplace_back("video_size", size_text(area.size));
    all.emplace_back("grab_x", std::to_string(area.x));
    all.emplace_back("grab_y", std::to_string(area.y));
  }
  return all;
}

Address address_of(const SourceSpec& spec, const SourceOptions& options) {
  switch (spec.kind) {
    case SourceSpec::Kind::kCamera: return camera_address(spec, options);
    case SourceSpec::Kind::kScreen:
      return {spec.device, "x11grab", {screen_options(spec.area, options)}};
    default: break;
  }
  if (is_local_file(spec)) {
    // "file:" makes every path literal; the lists keep a file from naming others, as playlists do.
    const std::string path =
        spec.device.starts_with("file://") ? spec.device.substr(7) : spec.device;
    return {"file:" + path,
            nullptr,
            {{{"protocol_whitelist", "file"}, {"format_whitelist", kFileFormats}}}};
  }
  Options limits = {{"protocol_whitelist", "http,https,tcp,tls,udp,rtp,rtsp,crypto"},
                    {"tls_verify", "1"}};  // of https: whoever answers is the one who was named
  if (spec.device.starts_with("rtsp://")) limits.emplace_back("rtsp_flags", "prefer_tcp");
  return {spec.device, nullptr, {std::move(limits)}};
}

// Errors that other options cannot cure.
bool is_final(int error) {
  constexpr std::array kFinal = {ENOENT, ENODEV, ENXIO, EACCES, EPERM, EBUSY, ENOTTY};
  return error == AVERROR_EXIT ||
         std::find(kFinal.begin(), kFinal.end(), AVUNERROR(error)) != kFinal.end();
}

// Zero, or FFmpeg's error.
int open_address(const Address& address, InputGuard& guard, AvInputPtr& opened) {
  const AVInputFormat* format = nullptr;
  if (address.format != nullptr) {
    name_x_authority();  // a screen is one of the devices
    format = av_find_input_format(address.format);
    if (format == nullptr) return AVERROR_DEMUXER_NOT_FOUND;
  }
  int result = 0;
  for (const Options& options : address.attempts) {
    AVFormatContext* context = avformat_alloc_context();
    if (context == nullptr) throw std::bad_alloc();
    context->interrupt_callback = {interrupted, &guard};
    // Devices answer "not yet" rather than wait where nobody can interrupt them.
    context->flags |= AVFMT_FLAG_DISCARD_CORRUPT;
    if (format != nullptr) context->flags |= AVFMT_FLAG_NONBLOCK;
    Dictionary dictionary(options);
    result = avformat_open_input(&context, address.url.c_str(), format, dictionary.get());
    if (result == 0) {
      opened.reset(context);
      return 0;
    }
    if (is_final(result)) break;  // FFmpeg has freed the context
  }
  return result;
}

FrameRate nominal_rate(AVFormatContext& input, AVStream& stream, const SourceOptions& options) {
  const AVRational rate = av_guess_frame_rate(&input, &stream, nullptr);
  const double per_second = av_q2d(rate);  // not a number where there is none
  if (per_second >= kLowestRate && per_second <= kHighestRate) return {rate.num, rate.den};
  return options.rate;
}

PictureSize with_square_pixels(PictureSize size, AVRational aspect) {
  const double wider = aspect.num > 0 && aspect.den > 0 ? av_q2d(aspect) : 1.0;
  if (wider < 0.25 || wider > 4.0) return size;  // nothing real has such pixels
  return {static_cast<int>(std::lround(size.width * wider)), size.height};
}

// FFmpeg draws the text of any .txt file as a terminal would: nobody means that by a video.
bool is_text_art(AVCodecID codec) {
  return codec == AV_CODEC_ID_ANSI || codec == AV_CODEC_ID_BINTEXT || codec == AV_CODEC_ID_XBIN ||
         codec == AV_CODEC_ID_IDF;
}

Result<AvCodecPtr> open_decoder(const SourceSpec& spec, const AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
  if (codec == nullptr) return no_decoder_error(spec, avcodec_get_name(parameters.codec_id));
  AvCodecPtr decoder(avcodec_alloc_context3(codec));
  if (!decoder || avcodec_parameters_to_context(decoder.get(), &parameters) < 0) {
    throw std::bad_alloc();
  }
  decoder->pkt_timebase = stream.time_base;
  decoder->max_pixels = kMostPixels;
  if (!is_local_file(spec)) {
    decoder->thread_count = 1;
    decoder->flags |= AV_CODEC_FLAG_LOW_DELAY;
  } else if (parameters.height <= kLinesForOneThread) {
    decoder->thread_count = 1;
  } else {
    // More threads than processors would only be more pictures to decode before the first is out.
    decoder->thread_count =
        static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kMostDecoderThreads));
  }
  if (const int result = avcodec_open2(decoder.get(), codec, nullptr); result < 0) {
    return no_decoder_error(spec, avcodec_get_name(parameters.codec_id));
  }
  return decoder;
}

}  // namespace

bool InputGuard::expired() const { return steady_now() >= deadline; }

Result<DecodedInput> open_decoded_input(const SourceSpec& spec, const SourceOptions& options,
                                        InputGuard& guard, Duration timeout) {
  quiet_ffmpeg_log();
  const bool is_device = spec.kind != SourceSpec::Kind::kFile;
  if (is_device) {
    if (auto error = load_device_library()) return *std::move(error);
  }
  if (is_local_file(spec)) {
    if (auto error = local_file_error(spec)) return *std::move(error);
  }

  guard.deadline = steady_now() + timeout;
  DecodedInput opened;
  int result = open_address(address_of(spec, options), guard, opened.input);
  // A device states its format on opening; a file may have to be read for it.
  if (result == 0 && !is_device) result = avformat_find_stream_info(opened.input.get(), nullptr);
  if (guard.stop.stop_requested()) return Error{"stopped while opening " + source_name(spec)};
  if (guard.expired()) return open_timeout_error(spec, timeout);
  if (result < 0) return open_error(spec, result);
  guard.deadline = kNever;

  AVFormatContext& input = *opened.input;
  opened.stream = av_find_best_stream(&input, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (options.sound && !is_device && opened.stream >= 0) {
    const int found =
        av_find_best_stream(&input, AVMEDIA_TYPE_AUDIO, -1, opened.stream, nullptr, 0);
    opened.sound = std::max(-1, found);
  }
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const int index = static_cast<int>(i);
    if (index != opened.stream && index != opened.sound) input.streams[i]->discard = AVDISCARD_ALL;
  }
  if (opened.stream < 0) return no_video_error(spec);
  AVStream& stream = *input.streams[opened.stream];
  if ((stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) return no_video_error(spec);

  if (is_text_art(stream.codecpar->codec_id)) return open_error(spec, AVERROR_INVALIDDATA);

  opened.rate = nominal_rate(input, stream, options);
  opened.size = {stream.codecpar->width, stream.codecpar->height};
  opened.square_size =
      with_square_pixels(opened.size, av_guess_sample_aspect_ratio(&input, &stream, nullptr));
  if (opened.size.width < kMinSide || opened.size.height < kMinSide ||
      std::int64_t{opened.size.width} * opened.size.height > kMostPixels) {
    return bad_size_error(spec, opened.size);
  }
  auto decoder = open_decoder(spec, stream);
  if (!decoder) return decoder.error();
  opened.decoder = *std::move(decoder);
  return opened;
}

Result<SourceSpec> with_default_device(SourceSpec spec) {
  if (!spec.device.empty()) return spec;
  if (spec.kind == SourceSpec::Kind::kCamera) {
    const auto cameras = list_cameras();
    if (cameras.empty()) {
      return Error{
          "no camera was found; plug one in, or use another source: screen, test or a video file"};
    }
    spec.device = cameras.front().path;
  }
  if (spec.kind == SourceSpec::Kind::kScreen) {
    const char* display = std::getenv("DISPLAY");
    if (display == nullptr || *display == '\0') {
      return Error{"no screen to show: DISPLAY is not set; name a display, like screen::0"};
    }
    spec.device = display;
  }
  return spec;
}

std::string pictures_text(PictureSize own, FrameRate rate, PictureSize given) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", rate.per_second());
  const std::string pictures = size_text(own) + " at " + text.data() + " fps";
  return own == given ? pictures : pictures + ", scaled to " + size_text(given);
}

PictureSize own_size(PictureSize seen) {
  const double scale = std::min({1.0, static_cast<double>(kMaxSide) / seen.width,
                                 static_cast<double>(kMaxSide) / seen.height});
  return {static_cast<int>(seen.width * scale) & ~1, static_cast<int>(seen.height * scale) & ~1};
}

bool is_local_file(const SourceSpec& spec) {
  if (spec.kind != SourceSpec::Kind::kFile) return false;
  const auto scheme_end = spec.device.find("://");
  // Our own schemes, as parse_source_spec admits them, have no slash.
  return spec.device.starts_with("file://") || scheme_end == std::string::npos ||
         spec.device.find('/') < scheme_end;
}

std::string source_name(const SourceSpec& spec) {
  switch (spec.kind) {
    case SourceSpec::Kind::kCamera: return "camera " + spec.device;
    case SourceSpec::Kind::kScreen: {
      const std::string part = spec.area.text();
      return "screen " + spec.device + (part.empty() ? "" : " at " + part);
    }
    case SourceSpec::Kind::kTest: return "test scene";
    case SourceSpec::Kind::kFile: break;
  }
  if (is_local_file(spec)) return "file " + spec.device;
  return without_credentials(spec.device);
}

std::string ffmpeg_words(int error) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> words{};
  av_strerror(error, words.data(), words.size());
  return words.data();
}

}  // namespace qvid::media
