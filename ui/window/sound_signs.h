// Signs of sound, drawn as shapes, for the font has no letters for them: a microphone, a
// loudspeaker, each struck through where it is off, and how loud somebody is. Inside a frame of
// ImGui (ui/window/gui.h); `at` is the upper left corner of a square of `side` units.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>

#include "ui/window/paint.h"
#include "ui/window/tile_model.h"

namespace qvid::ui {

enum class SoundSign : std::uint8_t { kMicrophone, kLoudspeaker };

// `struck`: the colour of the stroke through it; empty: none.
void draw_sign(SoundSign sign, const ImVec2& at, float side, ImU32 color,
               std::optional<ImU32> struck = std::nullopt);

// Through such a square, from its upper left to its lower right.
void draw_stroke(const ImVec2& at, float side, ImU32 color);

// A sign, a few words or both on a ground of their own.
struct Pill {
  std::optional<SoundSign> sign = SoundSign::kMicrophone;
  bool struck = false;
  ImU32 color = kBright;
  ImU32 ground = kDark;
  std::string text{};  // may be empty where there is a sign
};
inline constexpr float kPillHeight = 22;
float pill_width(const Pill& pill);
void draw_pill(const Pill& pill, const ImVec2& at);

// What is told of one's own microphone at a glance, in a word; empty: nothing, all is well or there
// is none.
std::optional<Pill> microphone_pill(Microphone microphone);

// A frame within the box, the brighter and wider the louder it is; none where motion is reduced
// (ui/window/motion.h).
void draw_glow(const Box& box, float level);

}  // namespace qvid::ui
