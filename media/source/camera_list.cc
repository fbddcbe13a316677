#include "media/source/camera_list.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/owned_file.h"

namespace qvid::media {
namespace {

std::optional<Camera> probe(const std::string& path) {
  const OwnedFile device(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (device.get() < 0) return std::nullopt;
  v4l2_capability capability{};
  if (::ioctl(device.get(), VIDIOC_QUERYCAP, &capability) < 0) return std::nullopt;
  // `capabilities` speaks for the whole device, whose other nodes may give only metadata.
  const auto of_this_node = (capability.capabilities & V4L2_CAP_DEVICE_CAPS) != 0
                                ? capability.device_caps
                                : capability.capabilities;
  if ((of_this_node & V4L2_CAP_VIDEO_CAPTURE) == 0) return std::nullopt;
  const auto* name = reinterpret_cast<const char*>(capability.card);
  return Camera{path, std::string(name, ::strnlen(name, sizeof capability.card))};
}

// The N of "videoN".
std::optional<int> video_number(std::string_view name) {
  constexpr std::string_view kPrefix = "video";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace

std::vector<Camera> list_cameras() {
  std::vector<std::pair<int, std::string>> nodes;
  std::error_code ignored;  // an unreadable /dev is a machine without cameras
  for (std::filesystem::directory_iterator it("/dev", ignored), end; it != end;
       it.increment(ignored)) {
    if (const auto number = video_number(it->path().filename().string())) {
      nodes.emplace_back(*number, it->path().string());
    }
  }
  std::sort(nodes.begin(), nodes.end());
  std::vector<Camera> cameras;
  for (const auto& [number, path] : nodes) {
    if (auto camera = probe(path)) cameras.push_back(*std::move(camera));
  }
  return cameras;
}

}  // namespace qvid::media
