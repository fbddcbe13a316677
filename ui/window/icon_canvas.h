// Where the picture on a button is drawn, of shapes whose places are shares of its side, and the
// pictures that several windows have. Inside a frame of ImGui (ui/window/gui.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "ui/window/paint.h"

namespace qvid::ui {

struct IconCanvas {
  ImVec2 at;
  float side;

  ImVec2 operator()(float x, float y) const { return {at.x + x * side, at.y + y * side}; }
  float pen() const { return std::max(1.5f, side * 0.09f); }
  void frame(float left, float top, float right, float bottom) const {
    ground().AddRect((*this)(left, top), (*this)(right, bottom), kBright, 2, 0, pen());
  }
  void fill(float left, float top, float right, float bottom) const {
    ground().AddRectFilled((*this)(left, top), (*this)(right, bottom), kBright, 2);
  }
};

// In the middle of the button.
inline IconCanvas canvas_in(const Box& button) {
  constexpr float kShare = 0.5f;  // of the button's side
  const float side = button.width() * kShare;
  return {{(button.min.x + button.max.x - side) / 2, (button.min.y + button.max.y - side) / 2},
          side};
}

// In the middle; smaller where a few of them are too wide for the button.
inline void draw_letters(const IconCanvas& c, const std::string& letters) {
  constexpr float kMost = 1.7f;  // of the canvas' side
  const float fit = std::min(1.0f, kMost * c.side / width_of(letters));
  const ImVec2 at{std::floor(c.at.x + (c.side - fit * width_of(letters)) / 2),
                  std::floor(c.at.y + (c.side - fit * line_height()) / 2)};
  ground().AddText(ImGui::GetFont(), fit * ImGui::GetFontSize(), at, kBright, letters.c_str());
}

// Four corners.
inline void draw_full_screen(const IconCanvas& c) {
  constexpr float kInward = 0.28f;
  for (const float x : {0.06f, 0.94f}) {
    for (const float y : {0.1f, 0.9f}) {
      ground().AddLine(c(x, y), c(x < 0.5f ? x + kInward : x - kInward, y), kBright, c.pen());
      ground().AddLine(c(x, y), c(x, y < 0.5f ? y + kInward : y - kInward), kBright, c.pen());
    }
  }
}

}  // namespace qvid::ui
