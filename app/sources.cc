// `qvid sources`: what there is to serve on this machine, with what to type.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/report.h"
#include "media/video_source.h"

namespace qvid::app {
namespace {

ExitCode sources(const CommonOptions& common) {
  const auto found = media::list_sources();
  if (common.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& s : found) {
      list.push_back({{"source", s.type_this}, {"description", s.description}});
    }
    fmt::print("{}\n", dump(list));
    return kExitOk;
  }
  std::size_t width = 0;
  for (const auto& s : found) width = std::max(width, s.type_this.size());
  for (const auto& s : found) {
    fmt::print("qvid serve {:<{}}   {}\n", s.type_this, width, s.description);
  }
  fmt::print("qvid serve {:<{}}   any file or URL that FFmpeg reads\n", "FILE", width);
  return kExitOk;
}

}  // namespace

Run add_sources(CLI::App& qvid, const CommonOptions& common) {
  qvid.add_subcommand("sources", "List cameras and screens, with what to type");
  return [&common] { return sources(common); };
}

}  // namespace qvid::app
