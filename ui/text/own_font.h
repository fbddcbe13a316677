// DejaVu Sans, as the program has it in itself: cmake/own_font.cmake puts it in.
#pragma once

#include <span>

namespace qvid::ui {

// A file of TrueType; lives as long as the program. Thread: any.
std::span<const unsigned char> own_font();

}  // namespace qvid::ui
