// Pictures written as PNG files: screenshots, and evidence of what a person would have seen.
//
// Colours come out right for the frame's range and matrix; chroma is interpolated.
//
// Thread: any; no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <variant>

#include "base/result.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

Result<std::monostate> write_png(const VideoFrame& frame, const std::filesystem::path& path);

// Three bytes per pixel; `stride` bytes from one row to the next.
Result<std::monostate> write_png_rgb(PictureSize size, std::ptrdiff_t stride,
                                     const std::uint8_t* rgb24, const std::filesystem::path& path);

}  // namespace qvid::media
