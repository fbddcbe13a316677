// What each key does: a table for each kind of window, from which its help is made too.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace qvid::ui {

// Whose keys: a window that plays one video, or a call of many parties.
enum class KeySet : std::uint8_t { kPlayer, kCall };

enum class KeyAction : std::uint8_t {
  kNone,
  kToggleOverlay,
  kToggleHelp,
  kToggleFullscreen,
  kScreenshot,
  kLeave,  // out of full screen; from a window: quit
  kQuit,
  // Of sound, in both.
  kLouder,
  kSofter,
  kSilence,  // what comes from afar: not heard here, or heard again
  // Of a player.
  kPause,
  kBack10,  // seconds, of a stored video, as the next ones
  kForward10,
  kBack60,
  kForward60,
  kBegin,
  kFaster,
  kSlower,
  kNormalSpeed,
  kNextSpeed,  // behind the fastest the slowest: a button's
  kLayers,     // the base alone, or all of them again
  // Of a call.
  kMute,  // one's own microphone
  kTalk,  // while it is held
  kCamera,
  kShare,
  kFreeze,  // what is shared
  kPin,
  kLayout,
  kSelectNext,
  kChat,
  kPeople,
  kDevices,
  kHand,  // raise it, or take it down
  kRecord,
  kMore,  // what has no button
  kPageBack,
  kPageOn,
};

// `key` and `modifiers` as in SDL_Keysym (sym, mod). Keys held with Ctrl, Alt or the window
// manager's key are not ours.
KeyAction action_of(KeySet set, std::int32_t key, std::uint16_t modifiers);

// A key that is held does this again and again.
bool repeats(KeyAction action);

// The name of the first key that does this: "m", "Escape"; empty: none does.
std::string key_of(KeySet set, KeyAction action);

struct KeyHelp {
  const char* keys;
  const char* effect;
};
std::span<const KeyHelp> key_help(KeySet set);

}  // namespace qvid::ui
