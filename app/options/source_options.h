// The command-line options of a live source and how it is encoded, the same for every sub-command
// that captures one.
#pragma once

#include <string>

#include "app/options/cli.h"
#include "base/result.h"
#include "media/live/live_in.h"

namespace qvid::app {

inline constexpr const char* kDefaultBitrate = "2500k";

inline constexpr const char* kChosenLayers = "auto";  // by the encoder

struct SourceArguments {
  std::string size;
  std::string rate = "30";
  std::string bitrate{};  // empty: nothing was said, kDefaultBitrate
  std::string codec = std::string(media::kPlainCodec);
  std::string layers = kChosenLayers;  // or of media::kLayerStructures
  int gop = 60;
  bool loop = false;
};
void add_source_options(CLI::App& command, SourceArguments& arguments);
// `source`: as media::parse_source_spec takes it; empty: the camera if there is one, else the test
// scene, and it is said. A file that cannot be shown is an error now, before anybody is told of it.
Result<media::LiveInOptions> live_options(const std::string& source,
                                          const SourceArguments& arguments);

}  // namespace qvid::app
