// The windows that an X display shows, for who wants to serve or share one of them.
//
// Bound: kMostWindows, titles of kLongestTitle bytes. Thread: any; a connection of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace qvid::media {

inline constexpr std::size_t kMostWindows = 64;
inline constexpr std::size_t kLongestTitle = 256;

struct ShownWindow {
  std::uint32_t number = 0;
  std::string title;  // as the program gave it: any bytes
};
// Those with a title, as the window manager lists them, or else the root's children. Empty: there are
// none, or there is no such display.
std::vector<ShownWindow> list_windows(const std::string& display);

}  // namespace qvid::media
