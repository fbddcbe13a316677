#include "ui/player/player_view.h"

#include "ui/window/paint.h"
#include "ui/window/sound_signs.h"
#include "ui/window/tile_model.h"

namespace qvid::ui {

void draw_volume_pill(const PlayerScene& scene, float width) {
  const bool silenced = scene.buttons.silenced;
  if (!silenced && !scene.volume) return;
  Pill pill{.sign = SoundSign::kLoudspeaker, .struck = silenced};
  if (scene.volume) {
    pill.text = volume_text(*scene.volume);
    if (pill.text.empty()) pill.text = "100 %";
  }
  if (silenced) pill.color = kAmber;
  draw_pill(pill, {width - pill_width(pill) - 2 * kSpace, 2 * kSpace});
}

void draw_speed_pill(const PlayerScene& scene, float width) {
  if (!scene.speed) return;
  const Pill pill{.sign = std::nullopt, .text = speed_text(*scene.speed) + "×"};
  draw_pill(pill, {width - pill_width(pill) - 2 * kSpace, 3 * kSpace + kPillHeight});
}

}  // namespace qvid::ui
