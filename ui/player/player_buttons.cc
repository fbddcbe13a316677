#include "ui/player/player_buttons.h"

#include <fmt/format.h>

#include <array>

#include "ui/text/translated.h"
#include "ui/window/icon_canvas.h"
#include "ui/window/sound_signs.h"

namespace qvid::ui {
namespace {

constexpr std::array kStored{
    KeyAction::kPause,      KeyAction::kBack10,           KeyAction::kForward10,
    KeyAction::kNextSpeed,  KeyAction::kSilence,          KeyAction::kSofter,
    KeyAction::kLouder,     KeyAction::kLayers,           KeyAction::kToggleOverlay,
    KeyAction::kScreenshot, KeyAction::kToggleFullscreen, KeyAction::kToggleHelp};
constexpr std::array kLive{
    KeyAction::kPause,      KeyAction::kSilence,          KeyAction::kSofter,
    KeyAction::kLouder,     KeyAction::kLayers,           KeyAction::kToggleOverlay,
    KeyAction::kScreenshot, KeyAction::kToggleFullscreen, KeyAction::kToggleHelp};

std::string name_of(KeyAction action, const PlayerButtons& now) {
  switch (action) {
    case KeyAction::kPause: return now.paused ? tr("Play on") : tr("Pause");
    case KeyAction::kBack10: return tr("10 seconds back");
    case KeyAction::kForward10: return tr("10 seconds on");
    case KeyAction::kNextSpeed: return tr("Speed");
    case KeyAction::kLayers:
      return now.base_alone ? tr("All layers: sharper") : tr("Base layer alone: less data");
    case KeyAction::kSilence: return now.silenced ? tr("Sound on") : tr("Sound off");
    case KeyAction::kSofter: return tr("Softer");
    case KeyAction::kLouder: return tr("Louder");
    case KeyAction::kToggleOverlay:
      return now.statistics ? tr("Hide the statistics") : tr("Statistics");
    case KeyAction::kScreenshot: return tr("Save a screenshot");
    case KeyAction::kToggleFullscreen:
      return now.fullscreen ? tr("Leave full screen") : tr("Full screen");
    case KeyAction::kToggleHelp: return tr("Keys");
    default: return {};
  }
}

// A triangle that points to `to`, its base at `from`.
void draw_arrow(const IconCanvas& c, float from, float to) {
  ground().AddTriangleFilled(c(from, 0.14f), c(from, 0.86f), c(to, 0.5f), kBright);
}

void draw_pause(const IconCanvas& c, bool paused) {
  if (paused) return draw_arrow(c, 0.16f, 0.92f);
  c.fill(0.18f, 0.1f, 0.4f, 0.9f);
  c.fill(0.6f, 0.1f, 0.82f, 0.9f);
}

void draw_steps(const IconCanvas& c, bool back) {
  for (const float x : {0.0f, 0.5f}) {
    if (back) {
      draw_arrow(c, x + 0.5f, x);
    } else {
      draw_arrow(c, x, x + 0.5f);
    }
  }
}

void draw_sign_of_change(const IconCanvas& c, bool more) {
  c.fill(0.12f, 0.42f, 0.88f, 0.58f);
  if (more) c.fill(0.42f, 0.12f, 0.58f, 0.88f);
}

// Two sheets; the upper one is hollow where it is not there.
void draw_layers(const IconCanvas& c, bool base_alone) {
  const std::array lower{c(0, 0.6f), c(0.5f, 0.9f), c(1, 0.6f)};
  ground().AddPolyline(lower.data(), static_cast<int>(lower.size()), kBright, 0, 1.4f * c.pen());
  const std::array upper{c(0.5f, 0.06f), c(1, 0.36f), c(0.5f, 0.66f), c(0, 0.36f)};
  if (base_alone) {
    ground().AddQuad(upper[0], upper[1], upper[2], upper[3], kBright, c.pen());
  } else {
    ground().AddQuadFilled(upper[0], upper[1], upper[2], upper[3], kBright);
  }
}

// A plot with bars.
void draw_statistics(const IconCanvas& c) {
  c.fill(0.04f, 0.56f, 0.26f, 0.94f);
  c.fill(0.39f, 0.3f, 0.61f, 0.94f);
  c.fill(0.74f, 0.06f, 0.96f, 0.94f);
}

// A camera for stills.
void draw_still(const IconCanvas& c) {
  c.frame(0, 0.22f, 1, 0.88f);
  c.fill(0.34f, 0.1f, 0.66f, 0.24f);
  ground().AddCircle(c(0.5f, 0.55f), 0.18f * c.side, kBright, 0, c.pen());
}

}  // namespace

std::vector<KeyAction> player_actions(bool stored, bool has_layers) {
  std::vector<KeyAction> actions(kLive.begin(), kLive.end());
  if (stored) actions.assign(kStored.begin(), kStored.end());
  if (!has_layers) std::erase(actions, KeyAction::kLayers);
  return actions;
}

std::string speed_text(double speed) { return fmt::format("{:.3g}", speed); }

std::string tooltip_of(KeyAction action, const PlayerButtons& buttons) {
  // Two keys do what the one button does in turn.
  if (action == KeyAction::kNextSpeed) {
    return name_of(action, buttons) + " (" + key_of(KeySet::kPlayer, KeyAction::kSlower) + " " +
           key_of(KeySet::kPlayer, KeyAction::kFaster) + ")";
  }
  return with_key(name_of(action, buttons), KeySet::kPlayer, action);
}

void draw_icon(KeyAction action, const PlayerButtons& buttons, const Box& button) {
  const IconCanvas c = canvas_in(button);
  switch (action) {
    case KeyAction::kPause: draw_pause(c, buttons.paused); break;
    case KeyAction::kBack10: draw_steps(c, true); break;
    case KeyAction::kForward10: draw_steps(c, false); break;
    case KeyAction::kNextSpeed: draw_letters(c, speed_text(buttons.speed)); break;
    case KeyAction::kLayers: draw_layers(c, buttons.base_alone); break;
    case KeyAction::kSilence:
      draw_sign(SoundSign::kLoudspeaker, c.at, c.side, kBright,
                buttons.silenced ? std::optional<ImU32>(kRed) : std::nullopt);
      break;
    case KeyAction::kSofter: draw_sign_of_change(c, false); break;
    case KeyAction::kLouder: draw_sign_of_change(c, true); break;
    case KeyAction::kToggleOverlay: draw_statistics(c); break;
    case KeyAction::kScreenshot: draw_still(c); break;
    case KeyAction::kToggleFullscreen: draw_full_screen(c); break;
    case KeyAction::kToggleHelp: draw_letters(c, "?"); break;
    default: break;
  }
}

}  // namespace qvid::ui
