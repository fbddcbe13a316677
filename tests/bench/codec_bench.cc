// codec_bench [--ffmpeg FILE] [VIDEO...]: what our codecs and their layers cost, beside one layer of the
// libraries by themselves (codec_rivals.h), in the same process.
//
// Each as it is sent to one viewer, whose losses are all told, and in each structure of layers; of `h264`
// with several layers also in three temporal classes, as where viewers differ. Times are medians over
// rounds in turns, at kBitsPerPixel. What each takes for the same quality over kPartsOfRate is its BD-rate.
// Pictures: scenes drawn in memory, and the videos given. VMAF: where the ffmpeg given, or that on the
// path, has libvmaf. `av1` codes better where a frame is coarse and takes little time, and faster where it is fine
// (av1_speed.h), after two of the three seconds here at the soonest: its figures follow the machine a little, and a
// longer video gets more of it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "media/codec/av1/drawn_content.h"
#include "media/codec/decoder.h"
#include "media/codec/encoder.h"
#include "media/picture/frame_scaler.h"
#include "tests/bench/bd_rate.h"
#include "tests/bench/codec_rivals.h"
#include "tests/bench/scene.h"
#include "tests/bench/ssim.h"
#include "tests/bench/video_clip.h"
#include "tests/bench/vmaf.h"
#include "tests/media/psnr.h"

namespace {

using namespace qvid;
using namespace qvid::media;

constexpr int kFrames = 90;
constexpr int kRounds = 3;
constexpr int kGop = 60;
constexpr double kBitsPerPixel = 0.1;  // what calls use: 2.8 Mbit/s for 720p at 30 frames/s
constexpr std::array kPartsOfRate = {0.15, 0.3, 0.6, 1.0};
constexpr FrameRate kRate{30, 1};

using RivalMaker = std::unique_ptr<Rival> (*)(const RivalOptions&);

// What is measured: a codec of ours in a structure, or a library by itself.
struct Coder {
  std::string name;
  std::string codec;
  std::string alone;  // its library with one layer, which it is compared with
  std::optional<LayerStructure> layers{};
  bool droppable = false;
  RivalMaker rival = nullptr;
};
const std::string kX264 = "x264, one layer";
const std::string kLibaom = "libaom, one layer";
const std::string kDefaultH264 = "**`h264`**";
const std::string kDefaultAv1 = "**`av1`**";
const std::string kClasses = "`h264` both, three classes";

Coder ours(std::string name, std::string codec, std::optional<LayerStructure> layers,
           bool droppable = false) {
  const std::string alone = codec == "h264" ? kX264 : kLibaom;
  return {.name = std::move(name),
          .codec = std::move(codec),
          .alone = alone,
          .layers = layers,
          .droppable = droppable};
}

std::vector<Coder> coders() {
  using enum LayerStructure;
  return {ours(kDefaultH264, "h264", {}),
          ours("`h264` small", "h264", kSmall),
          ours("`h264` both", "h264", kBoth),
          ours(kClasses, "h264", kBoth, true),
          ours("`h264` three, three classes", "h264", kThree, true),
          {.name = kX264, .codec = "x264", .alone = kX264, .rival = plain_x264},
          ours(kDefaultAv1, "av1", {}),
          ours("`av1` small", "av1", kSmall),
          ours("`av1` both", "av1", kBoth),
          ours("`av1` three", "av1", kThree),
          {.name = kLibaom, .codec = "libaom", .alone = kLibaom, .rival = plain_libaom}};
}

template <class T>
T need(Result<T> result) {
  if (!result) fail(result.error().message);
  return *std::move(result);
}

// One round of one coder over the video. Times are per frame.
struct Outcome {
  double encode_ms = 0;
  double decode_ms = 0;
  double kbps = 0;
  double psnr = 0;
  double ssim = 0;
  std::optional<double> vmaf;
  double low_kbps = 0;  // of several layers: the lowest alone, shown at full size
  double low_psnr = 0;
};

DataRate target(PictureSize size) {
  return DataRate::from_bps(
      static_cast<std::int64_t>(size.width * size.height * kBitsPerPixel * kRate.per_second()));
}

double kbps(double bytes, std::size_t frames) {
  return bytes * 8 / static_cast<double>(frames) * kRate.per_second() / 1000;
}

// Empty where only times are wanted.
using Judge = Vmaf*;

void judge(Outcome& o, const Video& video, const Video& shown, Judge vmaf) {
  for (std::size_t n = 0; n < video.size(); ++n) {
    o.psnr += psnr(video[n], shown[n]) / static_cast<double>(video.size());
    o.ssim += ssim(video[n], shown[n]) / static_cast<double>(video.size());
  }
  o.vmaf = vmaf->of(shown);
}

Outcome run_ours(const Coder& coder, const Video& video, DataRate rate, Judge vmaf) {
  EncoderOptions options;
  options.size = video.front().size;
  options.rate = kRate;
  options.bitrate = rate;
  options.gop = kGop;
  options.layers = coder.layers;
  const auto encoder = need(make_encoder(coder.codec, options));
  encoder->set_base_needed(false);
  encoder->set_droppable_frames(coder.droppable);
  const auto decoder = need(make_decoder(coder.codec));
  const auto low_decoder = need(make_decoder(coder.codec));
  FrameScaler scaler;
  const auto count = static_cast<double>(video.size());
  Outcome o;
  double bytes = 0;
  double low_bytes = 0;
  bool several = false;  // layers
  Video shown;
  for (std::size_t n = 0; n < video.size(); ++n) {
    const Timestamp start = steady_now();
    const auto coded = need(encoder->encode(video[n], FrameNumber(static_cast<std::int64_t>(n))));
    const Timestamp encoded = steady_now();
    const auto decoded = need(decoder->decode({coded.number, coded.header, coded.units}));
    const Timestamp ended = steady_now();
    if (!decoded) fail("a whole frame gives no picture");
    o.encode_ms += to_ms(encoded - start) / count;
    o.decode_ms += to_ms(ended - encoded) / count;
    bytes += static_cast<double>(coded.header.size());
    for (const CodedUnit& unit : coded.units) bytes += static_cast<double>(unit.data.size());
    if (vmaf == nullptr) continue;
    // As a player shows it.
    shown.push_back(need(scaler.scale(decoded->picture, options.size)));
    several = several || coded.units.size() > 1;
    low_bytes += static_cast<double>(coded.units[0].data.size());
    const auto low = need(low_decoder->decode({coded.number, coded.header, {coded.units[0]}}));
    if (!low) fail("a low layer gives no picture");
    o.low_psnr += psnr(video[n], need(scaler.scale(low->picture, options.size))) / count;
  }
  o.kbps = kbps(bytes, video.size());
  if (several) o.low_kbps = kbps(low_bytes, video.size());
  if (vmaf != nullptr) judge(o, video, shown, vmaf);
  return o;
}

Outcome run_rival(const Coder& coder, const Video& video, DataRate rate, Judge vmaf) {
  const auto rival = coder.rival({.size = video.front().size,
                                  .rate = kRate,
                                  .bitrate = rate,
                                  .gop = kGop,
                                  .buffer_frames = EncoderOptions().buffer_frames});
  const auto count = static_cast<double>(video.size());
  Outcome o;
  double bytes = 0;
  Video shown;
  for (const VideoFrame& frame : video) {
    const Timestamp start = steady_now();
    const auto coded = rival->encode(frame);
    const Timestamp encoded = steady_now();
    VideoFrame picture = rival->decode(coded);
    o.encode_ms += to_ms(encoded - start) / count;
    o.decode_ms += to_ms(steady_now() - encoded) / count;
    bytes += static_cast<double>(coded.size());
    if (vmaf != nullptr) shown.push_back(std::move(picture));
  }
  o.kbps = kbps(bytes, video.size());
  if (vmaf != nullptr) judge(o, video, shown, vmaf);
  return o;
}

Outcome run(const Coder& coder, const Video& video, DataRate rate, Judge vmaf) {
  return coder.rival != nullptr ? run_rival(coder, video, rate, vmaf)
                                : run_ours(coder, video, rate, vmaf);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// A coder over one video: quality at each of kPartsOfRate, the last with its times.
struct Curves {
  std::vector<Outcome> at;
  std::vector<RatePoint> of(double Outcome::*quality) const {
    std::vector<RatePoint> points;
    for (const Outcome& o : at) points.push_back({.rate = o.kbps, .quality = o.*quality});
    return points;
  }
  std::optional<std::vector<RatePoint>> of_vmaf() const {
    std::vector<RatePoint> points;
    for (const Outcome& o : at) {
      if (!o.vmaf) return std::nullopt;
      points.push_back({.rate = o.kbps, .quality = *o.vmaf});
    }
    return points;
  }
};
using Measured = std::map<std::string, Curves>;

Measured measure(const Video& video, Vmaf& vmaf) {
  vmaf.set_reference(video);
  const DataRate whole = target(video.front().size);
  Measured measured;
  for (const Coder& coder : coders()) {
    for (const double part : kPartsOfRate) {
      measured[coder.name].at.push_back(run(coder, video, whole * part, &vmaf));
    }
  }
  std::map<std::string, std::vector<double>> encode;
  std::map<std::string, std::vector<double>> decode;
  for (int round = 0; round < kRounds; ++round) {
    for (const Coder& coder : coders()) {
      const Outcome o = run(coder, video, whole, nullptr);
      encode[coder.name].push_back(o.encode_ms);
      decode[coder.name].push_back(o.decode_ms);
    }
  }
  for (auto& [name, curves] : measured) {
    curves.at.back().encode_ms = median(encode[name]);
    curves.at.back().decode_ms = median(decode[name]);
  }
  return measured;
}

std::optional<double> by_psnr(const Curves& ours, const Curves& other) {
  return bd_rate(ours.of(&Outcome::psnr), other.of(&Outcome::psnr));
}

std::string percent(std::optional<double> value) {
  if (!value) return "–";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.0f%%", *value);
  return text.data();
}

// What one takes for another's quality, by PSNR-Y, SSIM and VMAF.
std::string rates(const Curves& ours, const Curves& other) {
  const auto vmaf = ours.of_vmaf();
  const auto other_vmaf = other.of_vmaf();
  return percent(by_psnr(ours, other)) + ", " +
         percent(bd_rate(ours.of(&Outcome::ssim), other.of(&Outcome::ssim))) + ", " +
         percent(vmaf && other_vmaf ? bd_rate(*vmaf, *other_vmaf) : std::nullopt);
}

void print_table(const std::string& name, const Video& video, bool drawn,
                 const Measured& measured) {
  const PictureSize size = video.front().size;
  std::printf("\n**%s, %dx%d (%s), %zu frames, %.0f kbit/s at the most**\n\n", name.c_str(),
              size.width, size.height, drawn ? "a screen" : "a camera", video.size(),
              target(size).kbps());
  std::printf(
      "| | encode ms | decode ms | kbit/s | PSNR-Y | SSIM | VMAF | base alone: kbit/s, dB | rate for "
      "equal PSNR-Y, SSIM, VMAF over its library's one layer | over the other's |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Coder& coder : coders()) {
    const Curves& curves = measured.at(coder.name);
    const Outcome& o = curves.at.back();
    const std::string& other = coder.alone == kX264 ? kLibaom : kX264;
    std::printf("| %s | %.2f | %.2f | %.0f | %.2f | %.3f |", coder.name.c_str(), o.encode_ms,
                o.decode_ms, o.kbps, o.psnr, o.ssim);
    if (o.vmaf) {
      std::printf(" %.1f |", *o.vmaf);
    } else {
      std::printf(" – |");
    }
    if (o.low_kbps > 0) {
      std::printf(" %.0f, %.1f |", o.low_kbps, o.low_psnr);
    } else {
      std::printf(" |");
    }
    if (coder.name == coder.alone) {
      std::printf(" |");
    } else {
      std::printf(" %s |", rates(curves, measured.at(coder.alone)).c_str());
    }
    std::printf(" %s |\n", rates(curves, measured.at(other)).c_str());
  }
}

// Every quality of `ours` is above all of the other's, at no more than its rate.
bool is_always_better(const Curves& ours, const Curves& other) {
  const auto [least, most] = std::minmax(other.at.front().psnr, other.at.back().psnr);
  return ours.at.front().psnr > std::max(least, most) &&
         ours.at.front().kbps <= other.at.back().kbps;
}

void target_line(const std::string& what, const Curves& ours, const Curves& other, double most) {
  const std::optional<double> value = by_psnr(ours, other);
  const bool always = !value && is_always_better(ours, other);
  const char* const how = always || (value && *value <= most) ? "met" : "**missed**";
  std::printf(
      "- %s: %s: %s, wanted at most %+.0f%%\n", how, what.c_str(),
      always ? "sharper at its lowest rate than the other at its highest" : percent(value).c_str(),
      most);
}

void compare(const std::string& name, const Video& video, Vmaf& vmaf) {
  const bool drawn = is_drawn(video[video.size() / 2]);
  const Measured measured = measure(video, vmaf);
  print_table(name, video, drawn, measured);
  const double most = drawn ? 5 : 15;
  const Curves& h264 = measured.at(kDefaultH264);
  const Curves& av1 = measured.at(kDefaultAv1);
  const Curves& classes = measured.at(kClasses);
  std::printf("\n");
  target_line("`h264` as sent over one layer of x264", h264, measured.at(kX264), most);
  target_line("`av1` as sent over one layer of libaom", av1, measured.at(kLibaom), most);
  target_line("`av1` as sent over `h264` in both and three classes", av1, classes, -35);
  target_line("`h264` as sent over the same", h264, classes, 0);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  av_log_set_level(AV_LOG_ERROR);
  std::string ffmpeg = "ffmpeg";
  std::vector<std::string> clips;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--ffmpeg" && i + 1 < argc) {
      ffmpeg = argv[++i];
    } else if (argument.starts_with("-")) {
      fail("usage: codec_bench [--ffmpeg FILE] [VIDEO...]");
    } else {
      clips.push_back(argument);
    }
  }
  // What is wrong with them is said before minutes of measuring.
  std::vector<Video> videos;
  for (const std::string& clip : clips) videos.push_back(load_clip(clip, kFrames));
  Vmaf vmaf(ffmpeg);
  if (!vmaf.is_there()) {
    std::printf("no VMAF: %s is not there or has no libvmaf (--ffmpeg FILE)\n", ffmpeg.c_str());
  }
  compare("texture", draw_scene({640, 480}, kFrames), vmaf);
  compare("texture", draw_scene({1280, 720}, kFrames), vmaf);
  compare("a page of text", draw_page({1280, 720}, kFrames), vmaf);
  for (std::size_t i = 0; i < clips.size(); ++i) {
    compare(clips[i].substr(clips[i].rfind('/') + 1), videos[i], vmaf);
  }
  return 0;
}
