#include "ui/window/sound_signs.h"

#include <algorithm>
#include <cmath>

#include "ui/text/translated.h"
#include "ui/window/motion.h"

namespace qvid::ui {
namespace {

constexpr float kPi = 3.14159265f;
constexpr float kPillSign = 14;  // side

// Places within the square, as shares of its side.
struct Square {
  ImVec2 at;
  float side;
  ImVec2 operator()(float x, float y) const { return {at.x + x * side, at.y + y * side}; }
};

// Whole: of such lines ImGui makes a third of the triangles.
float thin(const Square& s) { return std::max(1.0f, std::round(s.side * 0.12f)); }

void arc(const ImVec2& middle, float radius, float from, float to, ImU32 color, float thickness) {
  constexpr int kSegments = 8;  // of signs this small ImGui makes twice as many
  ground().PathArcTo(middle, radius, from, to, kSegments);
  ground().PathStroke(color, ImDrawFlags_None, thickness);
}

void draw_microphone(const Square& s, ImU32 color) {
  fill_rounded({s(0.34f, 0), s(0.66f, 0.58f)}, color);
  arc(s(0.5f, 0.42f), 0.33f * s.side, 0, kPi, color, thin(s));
  ground().AddLine(s(0.5f, 0.74f), s(0.5f, 0.95f), color, thin(s));
  ground().AddLine(s(0.28f, 0.95f), s(0.72f, 0.95f), color, thin(s));
}

void draw_loudspeaker(const Square& s, ImU32 color, bool sounds) {
  ground().AddRectFilled(s(0.02f, 0.33f), s(0.25f, 0.67f), color, 1);
  ground().AddQuadFilled(s(0.2f, 0.36f), s(0.52f, 0.08f), s(0.52f, 0.92f), s(0.2f, 0.64f), color);
  if (!sounds) return;
  for (const float radius : {0.22f, 0.42f}) {
    arc(s(0.54f, 0.5f), radius * s.side, -kPi / 4, kPi / 4, color, thin(s));
  }
}

}  // namespace

void draw_sign(SoundSign sign, const ImVec2& at, float side, ImU32 color,
               std::optional<ImU32> struck) {
  const Square s{{std::floor(at.x), std::floor(at.y)}, side};
  if (sign == SoundSign::kMicrophone) {
    draw_microphone(s, color);
  } else {
    draw_loudspeaker(s, color, !struck);
  }
  if (struck) draw_stroke(s.at, side, *struck);
}

// With a dark edge, so that it is seen on the sign too.
void draw_stroke(const ImVec2& at, float side, ImU32 color) {
  const Square s{at, side};
  ground().AddLine(s(0.02f, 0.02f), s(0.98f, 0.98f), kStrokeEdge, thin(s) + 2);
  ground().AddLine(s(0.02f, 0.02f), s(0.98f, 0.98f), color, thin(s));
}

float pill_width(const Pill& pill) {
  const float sign = pill.sign ? kPillSign + kSpace : 0;
  const float text = pill.text.empty() ? 0 : width_of(pill.text) + kSpace;
  return kSpace + sign + text;
}

void draw_pill(const Pill& pill, const ImVec2& at) {
  ground().AddRectFilled(at, {at.x + pill_width(pill), at.y + kPillHeight}, pill.ground,
                         kPillHeight / 2);
  float x = at.x + kSpace;
  if (pill.sign) {
    draw_sign(*pill.sign, {x, at.y + (kPillHeight - kPillSign) / 2}, kPillSign, pill.color,
              pill.struck ? std::optional<ImU32>(pill.color) : std::nullopt);
    x += kPillSign + kSpace;
  }
  if (pill.text.empty()) return;
  write({x, at.y + (kPillHeight - line_height()) / 2}, pill.color, pill.text);
}

std::optional<Pill> microphone_pill(Microphone microphone) {
  switch (microphone) {
    case Microphone::kNone:
    case Microphone::kOn: break;
    case Microphone::kMuted:
    case Microphone::kUnheard:
      return Pill{.struck = true, .ground = kRedGround, .text = tr("muted")};
    case Microphone::kHeld:
      return Pill{.struck = true, .ground = kRedGround, .text = tr("muted by the room")};
    case Microphone::kTalking: return Pill{.ground = kGreenGround, .text = tr("talking")};
  }
  return std::nullopt;
}

void draw_glow(const Box& box, float level) {
  constexpr int kRings = 16;  // a unit each
  const int rings = static_cast<int>(std::lround(level * kRings));
  if (motion_is_reduced()) return;
  if (box.width() < 3 * kRings || box.height() < 3 * kRings) return;
  for (int i = 0; i < rings; ++i) {
    const auto opacity = static_cast<ImU32>(190 * (rings - i) / (rings + 1));
    draw_outline(box, static_cast<float>(i), 1, with_opacity(kGreen, opacity));
  }
}

}  // namespace qvid::ui
