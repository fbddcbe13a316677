#include "ui/window/keys.h"

#include <SDL.h>

#include <array>

#include "base/ascii.h"
#include "ui/text/translated.h"

namespace qvid::ui {
namespace {

struct Binding {
  SDL_Keycode key;
  KeyAction action;
};
constexpr std::array kOfAll{
    Binding{SDLK_i, KeyAction::kToggleOverlay},    Binding{SDLK_h, KeyAction::kToggleHelp},
    Binding{SDLK_F1, KeyAction::kToggleHelp},      Binding{SDLK_QUESTION, KeyAction::kToggleHelp},
    Binding{SDLK_f, KeyAction::kToggleFullscreen}, Binding{SDLK_s, KeyAction::kScreenshot},
    Binding{SDLK_ESCAPE, KeyAction::kLeave},       Binding{SDLK_q, KeyAction::kQuit},
    Binding{SDLK_PLUS, KeyAction::kLouder},        Binding{SDLK_KP_PLUS, KeyAction::kLouder},
    Binding{SDLK_EQUALS, KeyAction::kLouder},  // '+' is Shift and '=' on many keyboards
    Binding{SDLK_MINUS, KeyAction::kSofter},       Binding{SDLK_KP_MINUS, KeyAction::kSofter},
};
constexpr std::array kOfPlayer{
    Binding{SDLK_SPACE, KeyAction::kPause},        Binding{SDLK_LEFT, KeyAction::kBack10},
    Binding{SDLK_RIGHT, KeyAction::kForward10},    Binding{SDLK_DOWN, KeyAction::kBack60},
    Binding{SDLK_UP, KeyAction::kForward60},       Binding{SDLK_HOME, KeyAction::kBegin},
    Binding{SDLK_m, KeyAction::kSilence},          Binding{SDLK_0, KeyAction::kLouder},
    Binding{SDLK_9, KeyAction::kSofter},           Binding{SDLK_RIGHTBRACKET, KeyAction::kFaster},
    Binding{SDLK_LEFTBRACKET, KeyAction::kSlower}, Binding{SDLK_BACKSPACE, KeyAction::kNormalSpeed},
    Binding{SDLK_l, KeyAction::kLayers},
};
constexpr std::array kOfCall{
    Binding{SDLK_c, KeyAction::kCamera},        Binding{SDLK_d, KeyAction::kShare},
    Binding{SDLK_z, KeyAction::kFreeze},        Binding{SDLK_p, KeyAction::kPin},
    Binding{SDLK_l, KeyAction::kLayout},        Binding{SDLK_TAB, KeyAction::kSelectNext},
    Binding{SDLK_m, KeyAction::kMute},          Binding{SDLK_SPACE, KeyAction::kTalk},
    Binding{SDLK_x, KeyAction::kSilence},       Binding{SDLK_t, KeyAction::kChat},
    Binding{SDLK_u, KeyAction::kPeople},        Binding{SDLK_r, KeyAction::kHand},
    Binding{SDLK_PAGEUP, KeyAction::kPageBack}, Binding{SDLK_PAGEDOWN, KeyAction::kPageOn},
    Binding{SDLK_e, KeyAction::kRecord},        Binding{SDLK_PERIOD, KeyAction::kMore},
    Binding{SDLK_o, KeyAction::kDevices},
};

constexpr std::array kPlayerHelp{
    KeyHelp{marked("space"), marked("pause, or play on")},
    KeyHelp{marked("left, right"), marked("10 seconds back or on (files)")},
    KeyHelp{marked("down, up"), marked("a minute back or on (files)")},
    KeyHelp{marked("Home"), marked("to the beginning (files)")},
    KeyHelp{"], [", marked("faster, slower (files)")},
    KeyHelp{marked("Backspace"), marked("at normal speed (files)")},
    KeyHelp{"l", marked("the base layer alone, or all")},
    KeyHelp{"m", marked("sound off or on")},
    KeyHelp{marked("+, -, 9, 0, wheel"), marked("louder, softer")},
    KeyHelp{"i", marked("statistics on or off")},
    KeyHelp{marked("f, double click"), marked("full screen on or off")},
    KeyHelp{"s", marked("save a screenshot")},
    KeyHelp{marked("h, F1, ?"), marked("this help on or off")},
    KeyHelp{marked("Esc"), marked("leave full screen, or quit")},
    KeyHelp{"q", marked("quit")},
};
constexpr std::array kCallHelp{
    KeyHelp{"m", marked("mute your microphone, or unmute it")},
    KeyHelp{marked("space, held"), marked("talk while you are muted")},
    KeyHelp{"c", marked("camera on or off")},
    KeyHelp{"d", marked("choose what to share, or stop it")},
    KeyHelp{"z", marked("freeze what you share, or go on")},
    KeyHelp{marked("click, Tab"), marked("select a picture, or the next")},
    KeyHelp{marked("p, double click"), marked("pin a picture, or let it go")},
    KeyHelp{marked("+, -"), marked("louder or softer: who is selected, or all")},
    KeyHelp{"x", marked("do not hear who is selected, or again")},
    KeyHelp{"l", marked("all equal, or one large")},
    KeyHelp{marked("Page Up, Down"), marked("other pictures, where not all fit")},
    KeyHelp{"t", marked("chat: read and write; Esc leaves it")},
    KeyHelp{marked("Ctrl+o, there"), marked("open its latest link")},
    KeyHelp{"u", marked("people: arrows, space; Esc leaves them")},
    KeyHelp{"o", marked("camera, microphone, speaker")},
    KeyHelp{"r", marked("raise your hand, or take it down")},
    KeyHelp{"e", marked("record the call, or stop it")},
    KeyHelp{".", marked("more: what has no button")},
    KeyHelp{"i", marked("statistics on or off")},
    KeyHelp{"f", marked("full screen on or off")},
    KeyHelp{"s", marked("save a screenshot")},
    KeyHelp{marked("h, F1, ?"), marked("this help on or off")},
    KeyHelp{marked("Esc, q"), marked("leave full screen (Esc), or the call")},
};

KeyAction look_up(std::span<const Binding> bindings, std::int32_t key) {
  for (const Binding& binding : bindings) {
    if (binding.key == key) return binding.action;
  }
  return KeyAction::kNone;
}

std::span<const Binding> bindings_of(KeySet set) {
  if (set == KeySet::kCall) return kOfCall;
  return kOfPlayer;
}

}  // namespace

KeyAction action_of(KeySet set, std::int32_t key, std::uint16_t modifiers) {
  if ((modifiers & (KMOD_CTRL | KMOD_ALT | KMOD_GUI)) != 0) return KeyAction::kNone;
  // SDL names the key, not the sign on it: '?' is Shift and '/' on many keyboards.
  if (key == SDLK_SLASH && (modifiers & KMOD_SHIFT) != 0) return KeyAction::kToggleHelp;
  if (const KeyAction action = look_up(kOfAll, key); action != KeyAction::kNone) return action;
  return look_up(bindings_of(set), key);
}

std::string key_of(KeySet set, KeyAction action) {
  for (const std::span<const Binding> bindings :
       {std::span<const Binding>(kOfAll), bindings_of(set)}) {
    for (const Binding& binding : bindings) {
      if (binding.action != action) continue;
      const std::string name = SDL_GetKeyName(binding.key);
      return name.size() == 1 ? lower_case(name) : name;  // SDL names what is printed on it
    }
  }
  return {};
}

bool repeats(KeyAction action) {
  return action == KeyAction::kLouder || action == KeyAction::kSofter;
}

std::span<const KeyHelp> key_help(KeySet set) {
  if (set == KeySet::kCall) return kCallHelp;
  return kPlayerHelp;
}

}  // namespace qvid::ui
