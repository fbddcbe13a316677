// What each key does: one table, from which the help is made too.
#pragma once

#include <cstdint>
#include <span>

namespace qvid::ui {

enum class KeyAction : std::uint8_t {
  kNone,
  kToggleOverlay,
  kToggleHelp,
  kToggleFullscreen,
  kScreenshot,
  kPause,
  kBack10,  // seconds, of a stored video, as the next ones
  kForward10,
  kBack60,
  kForward60,
  kBegin,
  kLeave,  // out of full screen; from a window: quit
  kQuit,
};

// `key` and `modifiers` as in SDL_Keysym (sym, mod). Keys held with Ctrl, Alt or the window
// manager's key are not ours.
KeyAction action_of(std::int32_t key, std::uint16_t modifiers);

struct KeyHelp {
  const char* keys;
  const char* effect;
};
std::span<const KeyHelp> key_help();

}  // namespace qvid::ui
