#include "ui/call/hand_sign.h"

#include <algorithm>
#include <string>

namespace qvid::ui {

void draw_hand(const ImVec2& at, float side, ImU32 color) {
  const auto place = [&](float x, float y) { return ImVec2{at.x + x * side, at.y + y * side}; };
  const float finger = 0.14f * side;
  constexpr float kTops[] = {0.14f, 0.02f, 0.08f, 0.22f};
  float x = 0.24f;
  for (const float top : kTops) {
    ground().AddRectFilled(place(x, top), {place(x, 0).x + finger, place(0, 0.62f).y}, color,
                           finger / 2);
    x += 0.18f;
  }
  ground().AddRectFilled(place(0.24f, 0.5f), place(0.92f, 0.98f), color, 0.2f * side);
  ground().AddLine(place(0.3f, 0.82f), place(0.06f, 0.52f), color, std::max(1.5f, finger));
}

float draw_raised_hand(const ImVec2& at, int number) {
  constexpr float kHand = 14;
  const std::string order = std::to_string(number);
  const float width = kHand + width_of(order) + 3 * kSpace;
  ground().AddRectFilled(at, {at.x + width, at.y + kHandHeight}, kDark, kHandHeight / 2);
  draw_hand({at.x + kSpace, at.y + (kHandHeight - kHand) / 2}, kHand, kAmber);
  write({at.x + kHand + 2 * kSpace, at.y + (kHandHeight - line_height()) / 2}, kAmber, order);
  return width;
}

}  // namespace qvid::ui
