#include "ui/player/preview_view.h"

#include <algorithm>
#include <cmath>

#include "ui/window/paint.h"

namespace qvid::ui {
namespace {

constexpr media::PictureSize kMostRoom{160, 120};
constexpr int kPreviewMargin = 8;

// Of something that wide, so that its middle is over `x` as far as the window allows.
int left_of(float x, int width, int window) {
  const int most = std::max(kPreviewMargin, window - width - kPreviewMargin);
  return std::clamp(static_cast<int>(std::lround(x)) - width / 2, kPreviewMargin, most);
}

void draw_place_words(float left, float bottom, float width, const std::string& place) {
  const float top = bottom - line_height() - kSpace;
  ground().AddRectFilled({left, top}, {left + width, bottom}, kDark);
  write({left + (width - width_of(place)) / 2, top + kSpace / 2}, kBright, place);
}

}  // namespace

Rectangle place_preview(media::PictureSize picture, float x, media::PictureSize window, int below) {
  Rectangle place = fit(picture, kMostRoom);
  if (place.empty()) return {};
  place.x = left_of(x, place.width, window.width);
  place.y = window.height - below - kPreviewMargin - place.height;
  const bool fits =
      place.x + place.width + kPreviewMargin <= window.width && place.y >= kPreviewMargin;
  return fits ? place : Rectangle{};
}

void draw_preview_frame(const Rectangle& picture, const std::string& place) {
  const Box box = box_of(picture);
  draw_place_words(box.min.x, box.max.y, box.width(), place);
  ground().AddRect({box.min.x - 1, box.min.y - 1}, {box.max.x + 1, box.max.y + 1}, kBright);
}

void draw_preview_text(float x, media::PictureSize window, int below, const std::string& place) {
  const float width = width_of(place) + 2 * kSpace;
  draw_place_words(static_cast<float>(left_of(x, static_cast<int>(width), window.width)),
                   static_cast<float>(window.height - below - kPreviewMargin), width, place);
}

}  // namespace qvid::ui
