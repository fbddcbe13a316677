#include "ui/call/toolbar.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ui/call/toolbar_icons.h"
#include "ui/text/translated.h"
#include "ui/window/paint.h"

namespace qvid::ui {
namespace {

constexpr std::array kActions{
    KeyAction::kMute,       KeyAction::kCamera, KeyAction::kShare,  KeyAction::kHand,
    KeyAction::kChat,       KeyAction::kPeople, KeyAction::kLayout, KeyAction::kToggleFullscreen,
    KeyAction::kToggleHelp, KeyAction::kQuit};
constexpr int kButton = 44;     // side: what a finger hits
constexpr int kLeastSide = 24;  // smaller it is no button
constexpr int kBetweenButtons = 6;
constexpr int kFromEdge = 12;

const ImU32 kIdleGround = IM_COL32(44, 47, 56, 240);
const ImU32 kHoveredButton = IM_COL32(78, 84, 100, 250);

std::string name_of(KeyAction action, const ToolbarModel& model) {
  switch (action) {
    case KeyAction::kMute:
      if (model.microphone == Microphone::kNone) return tr("No microphone");
      if (model.microphone == Microphone::kHeld) return tr("Muted by who runs the room");
      return is_heard(model.microphone) ? tr("Mute") : tr("Unmute");
    case KeyAction::kCamera: return model.camera_on ? tr("Camera off") : tr("Camera on");
    case KeyAction::kShare: return model.sharing ? tr("Stop sharing") : tr("Share the screen");
    case KeyAction::kChat:
      return model.unread == 0 ? tr("Chat") : filled(tr("Chat: {} unread"), model.unread);
    case KeyAction::kHand: return model.own_hand ? tr("Lower your hand") : tr("Raise your hand");
    case KeyAction::kPeople:
      return model.hands == 0 ? tr("People") : filled(tr("People: hands raised: {}"), model.hands);
    case KeyAction::kLayout:
      return model.layout == LayoutMode::kGrid ? tr("One large") : tr("All equal");
    case KeyAction::kToggleFullscreen:
      return model.fullscreen ? tr("Leave full screen") : tr("Full screen");
    case KeyAction::kToggleHelp: return tr("Keys");
    case KeyAction::kQuit: return tr("Leave the call");
    default: return {};
  }
}

}  // namespace

std::vector<ToolbarButton> lay_out_toolbar(media::PictureSize window, int above) {
  constexpr int kCount = static_cast<int>(kActions.size());
  constexpr int kGaps = (kCount - 1) * kBetweenButtons;
  const int side = std::min(kButton, (window.width - 2 * kFromEdge - kGaps) / kCount);
  const int top = window.height - above - kFromEdge - side;
  std::vector<ToolbarButton> buttons;
  if (side < kLeastSide || top < kFromEdge) return buttons;
  int x = (window.width - kCount * side - kGaps) / 2;
  for (const KeyAction action : kActions) {
    buttons.push_back({action, {x, top, side, side}});
    x += side + kBetweenButtons;
  }
  return buttons;
}

std::string tooltip_of(KeyAction action, const ToolbarModel& model) {
  const std::string name = name_of(action, model);
  const std::string key = key_of(KeySet::kCall, action);
  return key.empty() ? name : name + " (" + key + ")";
}

KeyAction Toolbar::button_at(int x, int y) const {
  for (const ToolbarButton& button : buttons_) {
    if (button.place.has(x, y)) return button.action;
  }
  return KeyAction::kNone;
}

bool Toolbar::point(int x, int y, Timestamp now) {
  const bool was_seen = seen(now);
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

void Toolbar::draw(const ToolbarModel& model) const {
  for (const ToolbarButton& button : buttons_) {
    const Box box = box_of(button.place);
    const bool hovered = button.action == hovered_;
    const bool leaves = button.action == KeyAction::kQuit;
    const ImU32 colour = leaves ? kRedGround : hovered ? kHoveredButton : kIdleGround;
    ground().AddRectFilled(box.min, box.max, colour, 2 * kRounded);
    draw_icon(button.action, model, box);
    if (!hovered) continue;
    ground().AddRect(box.min, box.max, kBright, 2 * kRounded, 0, 2);
    const std::string tip = tooltip_of(button.action, model);
    const float width = width_of(tip) + 2 * kSpace;
    const float most = static_cast<float>(width_) - width - kSpace;
    const float left = std::max(kSpace, std::min((box.min.x + box.max.x - width) / 2, most));
    const float top = box.min.y - line_height() - 3 * kSpace;
    ground().AddRectFilled({left, top}, {left + width, top + line_height() + 2 * kSpace},
                           IM_COL32(12, 12, 14, 240), kRounded);
    write({left + kSpace, top + kSpace}, kBright, tip);
  }
}

}  // namespace qvid::ui
