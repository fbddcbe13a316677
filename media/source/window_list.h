// What an X display shows, for who wants to serve or share it or one of its windows.
//
// Bound: kMostWindows, titles of kLongestTitle bytes. Thread: any; a connection of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "media/picture/video_frame.h"

namespace qvid::media {

inline constexpr std::size_t kMostWindows = 64;
inline constexpr std::size_t kLongestTitle = 256;

struct ShownWindow {
  std::uint32_t number = 0;
  std::string title;  // as the program gave it: any bytes
};
struct ShownScreen {
  PictureSize size{};
  // Those with a title, as the window manager lists them, or else the root's children; none of this
  // program's own.
  std::vector<ShownWindow> windows{};
};
// Empty: there is no such display.
std::optional<ShownScreen> look_at_screen(const std::string& display);

}  // namespace qvid::media
