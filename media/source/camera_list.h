// The cameras of this machine (Video4Linux).
#pragma once

#include <string>
#include <vector>

namespace qvid::media {

struct Camera {
  std::string path;  // "/dev/video0"
  std::string name;  // "Integrated Camera"
};

// Those that can be opened and can capture, by number. A camera that another program is using is
// among them: whether it is busy shows only when it is started.
std::vector<Camera> list_cameras();

}  // namespace qvid::media
