// `qvid sources`: what there is to serve and to call with on this machine, with what to type.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command/commands.h"
#include "app/command/report.h"
#include "base/text.h"
#include "media/source/video_source.h"
#include "ui/sound/sdl_sound.h"

namespace qvid::app {
namespace {

// Sound devices as rows of the list: with an option, they go to a call.
void print_devices(const char* option, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    fmt::print("qvid call URL {} '{}'\n", option, printable(name));
  }
}

ExitCode sources(const CommonOptions& common) {
  const auto found = media::list_sources();
  const auto sound = ui::SdlSound([](const media::SoundStatus&) {}).devices();
  if (common.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& s : found) {
      list.push_back({{"source", s.type_this}, {"description", s.description}});
    }
    for (const auto& name : sound.microphones) list.push_back({{"microphone", name}});
    for (const auto& name : sound.loudspeakers) list.push_back({{"speaker", name}});
    fmt::print("{}\n", dump(list));
    return kExitOk;
  }
  std::size_t width = 0;
  for (const auto& s : found) width = std::max(width, s.type_this.size());
  for (const auto& s : found) {
    fmt::print("qvid serve {:<{}}   {}\n", s.type_this, width, s.description);
  }
  fmt::print("qvid serve {:<{}}   any file or URL that FFmpeg reads\n", "FILE", width);
  print_devices("--microphone", sound.microphones);
  print_devices("--speaker", sound.loudspeakers);
  return kExitOk;
}

}  // namespace

Run add_sources(CLI::App& qvid, const CommonOptions& common) {
  qvid.add_subcommand(
      "sources", "List cameras, screens, windows, microphones and loudspeakers, with what to type");
  return [&common] { return sources(common); };
}

}  // namespace qvid::app
