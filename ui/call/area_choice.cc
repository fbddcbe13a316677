#include "ui/call/area_choice.h"

#include <algorithm>
#include <cstdlib>

namespace qvid::ui {
namespace {

int even(int length) { return length & ~1; }

// Of a side that is wanted so long, on a desktop that has so much.
int allowed(int wanted, int room) {
  const int most = even(room);
  return std::clamp(even(wanted), std::min(AreaChoice::kLeastSide, most), most);
}

struct Side {
  int from = 0;
  int length = 0;
};

Side spanned(int anchor, int other, int room) {
  anchor = std::clamp(anchor, 0, room);
  other = std::clamp(other, 0, room);
  const int length = allowed(std::abs(other - anchor), room);
  const int from = other < anchor ? anchor - length : anchor;
  return {std::clamp(from, 0, room - length), length};
}

}  // namespace

AreaChoice::AreaChoice(media::PictureSize desktop) : desktop_(desktop) {
  const int width = allowed(desktop.width / 2, desktop.width);
  const int height = allowed(desktop.height / 2, desktop.height);
  area_ = {(desktop.width - width) / 2, (desktop.height - height) / 2, width, height};
}

void AreaChoice::span(int from_x, int from_y, int to_x, int to_y) {
  const Side across = spanned(from_x, to_x, desktop_.width);
  const Side down = spanned(from_y, to_y, desktop_.height);
  area_ = {across.from, down.from, across.length, down.length};
}

void AreaChoice::move(int by_x, int by_y) {
  area_.x = std::clamp(area_.x + by_x, 0, desktop_.width - area_.width);
  area_.y = std::clamp(area_.y + by_y, 0, desktop_.height - area_.height);
}

// At the desktop's edge there is less room than it has.
void AreaChoice::grow(int by_x, int by_y) {
  area_.width =
      std::min(allowed(area_.width + by_x, desktop_.width), even(desktop_.width - area_.x));
  area_.height =
      std::min(allowed(area_.height + by_y, desktop_.height), even(desktop_.height - area_.y));
}

}  // namespace qvid::ui
