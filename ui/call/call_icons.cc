#include "ui/call/call_icons.h"

#include <cmath>
#include <numbers>

#include "ui/call/hand_sign.h"
#include "ui/window/icon_canvas.h"
#include "ui/window/sound_signs.h"

namespace qvid::ui {
namespace {

void draw_camera(const IconCanvas& c) {
  c.fill(0, 0.22f, 0.64f, 0.78f);
  ground().AddTriangleFilled(c(0.68f, 0.5f), c(1, 0.24f), c(1, 0.76f), kBright);
}

void draw_screen(const IconCanvas& c) {
  c.frame(0, 0.1f, 1, 0.76f);
  ground().AddLine(c(0.3f, 0.95f), c(0.7f, 0.95f), kBright, c.pen());
}

// Two bars, as a player's pause; where it stands still, what goes on.
void draw_freeze(const IconCanvas& c, bool frozen) {
  c.frame(0, 0.1f, 1, 0.76f);
  if (frozen) {
    ground().AddTriangleFilled(c(0.36f, 0.22f), c(0.36f, 0.64f), c(0.72f, 0.43f), kAmber);
  } else {
    for (const float x : {0.34f, 0.54f}) c.fill(x, 0.24f, x + 0.12f, 0.62f);
  }
}

// What it leads to: the other layout.
void draw_layout(const IconCanvas& c, LayoutMode now) {
  if (now == LayoutMode::kGrid) {
    c.fill(0, 0.12f, 0.66f, 0.88f);
    for (const float y : {0.12f, 0.4f, 0.68f}) c.fill(0.76f, y, 1, y + 0.2f);
    return;
  }
  for (const float y : {0.08f, 0.55f}) {
    for (const float x : {0.0f, 0.54f}) c.fill(x, y, x + 0.46f, y + 0.38f);
  }
}

// How many, at the upper right.
void draw_count(const IconCanvas& c, std::uint64_t number) {
  if (number == 0) return;
  const std::string count = number > 99 ? "99" : std::to_string(number);
  const ImVec2 middle = c(1.1f, 0);
  ground().AddCircleFilled(middle, 0.42f * c.side, kRedGround);
  write({middle.x - width_of(count) / 2, middle.y - line_height() / 2}, kBright, count);
}

// Two of them, one behind the other.
void draw_people(const IconCanvas& c) {
  for (const float x : {0.68f, 0.32f}) {
    const ImU32 color = x > 0.5f ? kFaint : kBright;
    ground().AddCircleFilled(c(x, 0.28f), 0.2f * c.side, color);
    ground().AddRectFilled(c(x - 0.32f, 0.54f), c(x + 0.32f, 0.96f), color, 0.24f * c.side);
  }
}

// A bubble of speech with lines in it.
void draw_chat(const IconCanvas& c) {
  c.frame(0, 0.1f, 1, 0.74f);
  ground().AddTriangleFilled(c(0.18f, 0.72f), c(0.46f, 0.72f), c(0.18f, 1), kBright);
  for (const float y : {0.32f, 0.52f}) {
    ground().AddLine(c(0.2f, y), c(0.8f, y), kBright, c.pen());
  }
}

// A gear.
void draw_gear(const IconCanvas& c) {
  constexpr int kTeeth = 8;
  for (int i = 0; i < kTeeth; ++i) {
    const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(i) / kTeeth;
    const float x = std::cos(angle);
    const float y = std::sin(angle);
    ground().AddLine(c(0.5f + 0.3f * x, 0.5f + 0.3f * y), c(0.5f + 0.5f * x, 0.5f + 0.5f * y),
                     kBright, 0.18f * c.side);
  }
  ground().AddCircle(c(0.5f, 0.5f), 0.28f * c.side, kBright, 0, 0.17f * c.side);
}

// A receiver that is put down.
void draw_leave(const IconCanvas& c) {
  ground().PathArcTo(c(0.5f, 0.86f), 0.46f * c.side, 3.66f, 5.76f);
  ground().PathStroke(kBright, ImDrawFlags_None, c.pen() * 2);
  c.fill(0.0f, 0.52f, 0.26f, 0.76f);
  c.fill(0.74f, 0.52f, 1, 0.76f);
}

}  // namespace

void draw_icon(KeyAction action, const CallButtons& buttons, const Box& button) {
  const IconCanvas c = canvas_in(button);
  switch (action) {
    case KeyAction::kMute:
      draw_sign(SoundSign::kMicrophone, c.at, c.side, kBright,
                is_heard(buttons.microphone) ? std::nullopt : std::optional<ImU32>(kRed));
      break;
    case KeyAction::kCamera:
      draw_camera(c);
      if (!buttons.camera_on) draw_stroke(c.at, c.side, kRed);
      break;
    case KeyAction::kShare:
      draw_screen(c);
      if (buttons.sharing) {
        ground().AddRectFilled(c(0.22f, 0.28f), c(0.78f, 0.58f), kAmber, 1);
      }
      break;
    case KeyAction::kFreeze: draw_freeze(c, buttons.frozen); break;
    case KeyAction::kHand: draw_hand(c.at, c.side, buttons.own_hand ? kAmber : kBright); break;
    case KeyAction::kChat:
      draw_chat(c);
      draw_count(c, buttons.unread);
      break;
    case KeyAction::kPeople:
      draw_people(c);
      draw_count(c, static_cast<std::uint64_t>(buttons.hands));
      break;
    case KeyAction::kDevices: draw_gear(c); break;
    case KeyAction::kLayout: draw_layout(c, buttons.layout); break;
    case KeyAction::kToggleFullscreen: draw_full_screen(c); break;
    case KeyAction::kMore:
      for (const float x : {0.15f, 0.5f, 0.85f}) {
        ground().AddCircleFilled(c(x, 0.5f), 0.11f * c.side, kBright);
      }
      break;
    case KeyAction::kQuit: draw_leave(c); break;
    default: break;
  }
}

}  // namespace qvid::ui
