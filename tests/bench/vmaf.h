// VMAF by an ffmpeg that has libvmaf (Debian's has not), over files in a folder of its own.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "media/picture/video_frame.h"
#include "tests/bench/scene.h"

namespace qvid::media {

class Vmaf {
 public:
  // `ffmpeg`: the program, a file or a name on the path.
  explicit Vmaf(std::string ffmpeg)
      : ffmpeg_(std::move(ffmpeg)),
        folder_(std::filesystem::temp_directory_path() /
                ("codec_bench_" + std::to_string(::getpid()))) {
    there_ = run("-hide_banner -filters 2>/dev/null | grep -q libvmaf");
    if (there_) std::filesystem::create_directory(folder_);
  }
  ~Vmaf() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Vmaf(const Vmaf&) = delete;
  Vmaf& operator=(const Vmaf&) = delete;

  bool is_there() const { return there_; }
  // What is compared from now on is compared with that.
  void set_reference(const Video& video) {
    if (there_) write(video, file("reference.y4m"));
  }
  // 0 to 100, the mean of the frames. Empty: it is not there, or fails.
  std::optional<double> of(const Video& shown) {
    if (!there_) return std::nullopt;
    write(shown, file("shown.y4m"));
    const std::string log = file("vmaf.json");
    if (!run("-loglevel error -i " + file("shown.y4m") + " -i " + file("reference.y4m") +
             " -lavfi libvmaf=n_threads=2:log_fmt=json:log_path=" + log + " -f null -")) {
      return std::nullopt;
    }
    std::ifstream in(log);
    const auto json = nlohmann::json::parse(in, nullptr, false);
    if (json.is_discarded()) return std::nullopt;
    return json.at("pooled_metrics").at("vmaf").at("mean").get<double>();
  }

 private:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  bool run(const std::string& arguments) const {
    return std::system(("'" + ffmpeg_ + "' " + arguments).c_str()) == 0;
  }
  static void write(const Video& video, const std::string& path) {
    std::ofstream out(path, std::ios::binary);
    const PictureSize size = video.front().size;
    out << "YUV4MPEG2 W" << size.width << " H" << size.height << " F30:1 Ip A1:1 C420\n";
    for (const VideoFrame& frame : video) {
      out << "FRAME\n";
      for (std::size_t p = 0; p < frame.planes.size(); ++p) {
        const int width = p == 0 ? size.width : frame.chroma_width();
        const int height = p == 0 ? size.height : frame.chroma_height();
        for (int y = 0; y < height; ++y) {
          const auto* row =
              frame.planes[p].data + static_cast<std::ptrdiff_t>(y) * frame.planes[p].stride;
          out.write(reinterpret_cast<const char*>(row), width);
        }
      }
    }
  }

  std::string ffmpeg_;
  std::filesystem::path folder_;
  bool there_ = false;
};

}  // namespace qvid::media
