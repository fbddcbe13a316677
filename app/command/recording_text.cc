#include "app/command/recording_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace qvid::app {

nlohmann::json json_of(const std::string& name, const media::Recording::Stats& s) {
  nlohmann::json files = nlohmann::json::array();
  for (const media::RecordedFile& f : s.files) {
    files.push_back({{"path", f.path.string()},
                     {"width", f.size.width},
                     {"height", f.size.height},
                     {"layer", f.layer},
                     {"full_size", f.full_size},
                     {"frames", f.frames},
                     {"seconds", to_seconds(f.lasts)},
                     {"longest_gap_ms", to_ms(f.longest_gap)},
                     {"bytes", f.bytes.value()},
                     {"sound", f.sound},
                     {"sound_packets", f.sound_packets},
                     {"sound_bytes", f.sound_bytes.value()}});
  }
  return {{"name", name},
          {"files", std::move(files)},
          {"frames_left_out", s.left_out},
          {"sound_packets_left_out", s.sound_left_out},
          {"units_dropped", s.dropped},
          {"error", s.error ? s.error->message : ""}};
}

std::string text_of(const std::string& name, const media::Recording::Stats& s) {
  std::string text = fmt::format("{}: {} left out for what they need, {} dropped by the disk\n",
                                 printable(name), s.left_out, s.dropped);
  for (const media::RecordedFile& f : s.files) {
    text += fmt::format("  {}: {}x{}{}, {} frames, {:.1f} s{}, {:.1f} MB, longest gap {:.0f} ms\n",
                        printable(f.path.string()), f.size.width, f.size.height,
                        f.full_size    ? ""
                        : f.layer == 0 ? " (the base layer)"
                                       : " (a lower layer)",
                        f.frames, to_seconds(f.lasts),
                        f.sound_packets > 0 ? " with sound"
                        : f.sound           ? " (no sound came)"
                                            : "",
                        static_cast<double>(f.bytes.value()) / 1e6, to_ms(f.longest_gap));
  }
  return text;
}

}  // namespace qvid::app
