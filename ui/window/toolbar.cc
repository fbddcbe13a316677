#include "ui/window/toolbar.h"

#include <algorithm>
#include <utility>

#include "ui/text/translated.h"

namespace qvid::ui {
namespace {

constexpr int kButton = 44;     // side: what a finger hits
constexpr int kLeastSide = 22;  // smaller it is no button
constexpr int kBetweenButtons = 6;
constexpr int kLeastBetween = 2;  // where there is no room for more
constexpr int kFromEdge = 12;

// What SDL calls the keys that have no sign of their own.
[[maybe_unused]] constexpr const char* kKeyNames[] = {marked("Space"), marked("Left"),
                                                      marked("Right")};

}  // namespace

std::vector<ToolbarButton> lay_out_toolbar(std::span<const KeyAction> actions,
                                           media::PictureSize window, int above) {
  const int count = static_cast<int>(actions.size());
  const int room = window.width - 2 * kFromEdge;
  const bool tight = count * kLeastSide + (count - 1) * kBetweenButtons > room;
  const int between = tight ? kLeastBetween : kBetweenButtons;
  const int gaps = (count - 1) * between;
  const int side = std::min(kButton, (room - gaps) / std::max(count, 1));
  const int top = window.height - above - kFromEdge - side;
  std::vector<ToolbarButton> buttons;
  if (side < kLeastSide || top < kFromEdge) return buttons;
  int x = (window.width - count * side - gaps) / 2;
  for (const KeyAction action : actions) {
    buttons.push_back({action, {x, top, side, side}});
    x += side + between;
  }
  return buttons;
}

std::string with_key(const std::string& name, KeySet set, KeyAction action) {
  const std::string key = key_of(set, action);
  return key.empty() ? name : name + " (" + tr(key.c_str()) + ")";
}

void Toolbar::place(std::span<const KeyAction> actions, media::PictureSize window, int above) {
  buttons_ = lay_out_toolbar(actions, window, above);
  width_ = window.width;
  // What the mouse was over may have gone from under it.
  if (hovered_ != KeyAction::kNone) hovered_ = button_at(mouse_.x, mouse_.y);
}

Rectangle Toolbar::area() const {
  if (buttons_.empty()) return {};
  Rectangle area = buttons_.front().place;
  area.width = buttons_.back().place.x + buttons_.back().place.width - area.x;
  return area;
}

KeyAction Toolbar::button_at(int x, int y) const {
  for (const ToolbarButton& button : buttons_) {
    if (button.place.has(x, y)) return button.action;
  }
  return KeyAction::kNone;
}

bool Toolbar::point(int x, int y, Timestamp now) {
  const bool was_seen = seen(now);
  mouse_ = {x, y};
  const KeyAction before = std::exchange(hovered_, button_at(x, y));
  touched_ = now;
  return !was_seen || hovered_ != before;
}

std::optional<KeyAction> Toolbar::press(int x, int y, Timestamp now) {
  const KeyAction action = button_at(x, y);
  touched_ = now;
  return action == KeyAction::kNone ? std::nullopt : std::optional(action);
}

bool Toolbar::seen(Timestamp now) const {
  return hovered_ != KeyAction::kNone || (touched_ && now < *touched_ + kStays);
}

std::optional<Timestamp> Toolbar::end(Timestamp now) const {
  if (hovered_ != KeyAction::kNone || !seen(now)) return std::nullopt;
  return *touched_ + kStays;
}

void Toolbar::draw(const Look& look) const {
  for (const ToolbarButton& button : buttons_) {
    const Box box = box_of(button.place);
    const bool hovered = button.action == hovered_;
    const bool leaves = button.action == KeyAction::kQuit;
    const ImU32 colour = leaves ? kRedGround : hovered ? kButtonHovered : kButtonGround;
    ground().AddRectFilled(box.min, box.max, colour, 2 * kRounded);
    look.icon(button.action, box);
    if (!hovered) continue;
    ground().AddRect(box.min, box.max, kBright, 2 * kRounded, 0, 2);
    draw_tooltip(look.tooltip(button.action), box);
  }
}

void Toolbar::draw_tooltip(const std::string& text, const Box& button) const {
  const float width = width_of(text) + 2 * kSpace;
  const float most = static_cast<float>(width_) - width - kSpace;
  const float left = std::max(kSpace, std::min((button.min.x + button.max.x - width) / 2, most));
  const float top = button.min.y - line_height() - 3 * kSpace;
  ground().AddRectFilled({left, top}, {left + width, top + line_height() + 2 * kSpace},
                         kTooltipGround, kRounded);
  write({left + kSpace, top + kSpace}, kBright, text);
}

}  // namespace qvid::ui
