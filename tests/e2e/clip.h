// A small video file.
#pragma once

#include <filesystem>
#include <fstream>

namespace e2e {

// Moving grey at 15 frames a second, two seconds unless told otherwise, as YUV4MPEG2.
inline void write_clip(const std::filesystem::path& path, int frames = 30) {
  constexpr int kWidth = 64;
  constexpr int kHeight = 48;
  std::ofstream out(path, std::ios::binary);
  out << "YUV4MPEG2 W" << kWidth << " H" << kHeight << " F15:1 Ip A1:1 C420\n";
  for (int frame = 0; frame < frames; ++frame) {
    out << "FRAME\n";
    for (int i = 0; i < kWidth * kHeight; ++i) out.put(static_cast<char>((i + frame * 5) & 0x7f));
    for (int i = 0; i < kWidth * kHeight / 2; ++i) out.put(static_cast<char>(128));
  }
}

}  // namespace e2e
