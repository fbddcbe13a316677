#include "ui/keys.h"

#include <SDL.h>

#include <array>

namespace qvid::ui {
namespace {

struct Binding {
  SDL_Keycode key;
  KeyAction action;
};
constexpr std::array kBindings{
    Binding{SDLK_i, KeyAction::kToggleOverlay},    Binding{SDLK_h, KeyAction::kToggleHelp},
    Binding{SDLK_F1, KeyAction::kToggleHelp},      Binding{SDLK_QUESTION, KeyAction::kToggleHelp},
    Binding{SDLK_f, KeyAction::kToggleFullscreen}, Binding{SDLK_s, KeyAction::kScreenshot},
    Binding{SDLK_ESCAPE, KeyAction::kLeave},       Binding{SDLK_q, KeyAction::kQuit},
    Binding{SDLK_SPACE, KeyAction::kPause},        Binding{SDLK_LEFT, KeyAction::kBack10},
    Binding{SDLK_RIGHT, KeyAction::kForward10},    Binding{SDLK_DOWN, KeyAction::kBack60},
    Binding{SDLK_UP, KeyAction::kForward60},       Binding{SDLK_HOME, KeyAction::kBegin},
};

constexpr std::array kHelp{
    KeyHelp{"space", "pause, or play on"},
    KeyHelp{"left, right", "10 seconds back or on (files)"},
    KeyHelp{"down, up", "a minute back or on (files)"},
    KeyHelp{"Home", "to the beginning (files)"},
    KeyHelp{"i", "statistics on or off"},
    KeyHelp{"f, double click", "full screen on or off"},
    KeyHelp{"s", "save a screenshot"},
    KeyHelp{"h, F1, ?", "this help on or off"},
    KeyHelp{"Esc", "leave full screen, or quit"},
    KeyHelp{"q", "quit"},
};

}  // namespace

KeyAction action_of(std::int32_t key, std::uint16_t modifiers) {
  if ((modifiers & (KMOD_CTRL | KMOD_ALT | KMOD_GUI)) != 0) return KeyAction::kNone;
  // SDL names the key, not the sign on it: '?' is Shift and '/' on many keyboards.
  if (key == SDLK_SLASH && (modifiers & KMOD_SHIFT) != 0) return KeyAction::kToggleHelp;
  for (const Binding& binding : kBindings) {
    if (binding.key == key) return binding.action;
  }
  return KeyAction::kNone;
}

std::span<const KeyHelp> key_help() { return kHelp; }

}  // namespace qvid::ui
