// A text as a QR code (ISO/IEC 18004), for the camera of another device; what libqrencode does. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace qvid::ui {

struct QrCode {
  static constexpr std::size_t kMostText = 512;  // bytes: beyond it no camera reads it off a screen
  static constexpr int kQuiet = 4;               // modules of bright margin that a reader wants

  int side = 0;              // modules; 0: there is none
  std::vector<bool> dark{};  // side * side, row by row

  bool operator==(const QrCode&) const = default;
};

// With the lowest error correction: a screen is not scratched, and modules are larger. No code for an
// empty or too long text.
QrCode qr_code(const std::string& text);

}  // namespace qvid::ui
