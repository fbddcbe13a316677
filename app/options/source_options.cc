#include "app/options/source_options.h"

#include <CLI/CLI.hpp>

#include "app/log/log.h"
#include "app/options/values.h"
#include "media/live/codec_choice.h"
#include "media/source/unfit_source.h"
#include "media/source/video_source.h"

namespace qvid::app {
void add_source_options(CLI::App& command, SourceArguments& a) {
  command.add_option("-s,--size", a.size, "Picture size, as 1280x720; default: the source's own");
  command.add_option("-r,--rate", a.rate, "Frames a second, held by dropping and repeating frames")
      ->capture_default_str();
  command.add_option("-b,--bitrate", a.bitrate, "Bits a second of all layers together")
      ->default_str(kDefaultBitrate);
  std::vector<std::string> names = media::codec_names();
  names.emplace_back(media::kAutoCodec);
  command
      .add_option("--codec", a.codec,
                  "How it is encoded: h264; av1, far sharper at the same rate, where all who watch "
                  "decode it; auto, av1 while this machine keeps up with it, too")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  std::vector<std::string> layers{kChosenLayers};
  for (const auto& [name, structure] : media::kLayerStructures) layers.emplace_back(name);
  command
      .add_option(
          "--layers", a.layers,
          "Layers of each picture: both, a base of half the size and the full size; three, one of a "
          "quarter of the width and height below these; whole or small, that one alone; auto, what "
          "looks best at the rates that receivers take")
      ->check(CLI::IsMember(layers))
      ->capture_default_str();
  command
      .add_option("--gop", a.gop, "Frames from one synchronisation point (key frame) to the next")
      ->check(CLI::Range(1, 600))
      ->capture_default_str();
  command.add_flag("--loop", a.loop, "Start files again at their end");
}

Result<media::LiveInOptions> live_options(const std::string& source, const SourceArguments& a) {
  media::LiveInOptions options;
  if (source.empty()) {
    options.source = media::default_source();
    if (options.source.kind == media::SourceSpec::Kind::kTest) {
      log_info("no camera found: the test scene instead (see `qvid sources`)");
    }
  } else {
    auto spec = media::parse_source_spec(source);
    if (!spec) return spec.error();
    options.source = *spec;
  }
  if (!a.size.empty()) {
    auto size = parse_size(a.size);
    if (!size) return size.error();
    options.source_options.size = *size;
  }
  auto rate = parse_rate(a.rate);
  if (!rate) return rate.error();
  options.source_options.rate = *rate;
  auto bitrate = parse_bitrate(a.bitrate.empty() ? kDefaultBitrate : a.bitrate);
  if (!bitrate) return bitrate.error();
  options.bitrate = *bitrate;
  options.codec = a.codec;
  options.gop = a.gop;
  for (const auto& [name, structure] : media::kLayerStructures) {
    if (a.layers == name) options.layers = structure;
  }
  options.source_options.loop = a.loop;
  // A file does not appear by waiting, as a camera does.
  if (auto unfit = media::unfit_source(options.source, options.source_options)) {
    return *std::move(unfit);
  }
  if (const auto absent = media::absent_device(options.source)) {
    log_warning("{}. Until then there is no picture", absent->message);
  }
  return options;
}

}  // namespace qvid::app
