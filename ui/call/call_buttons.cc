#include "ui/call/call_buttons.h"

#include <array>

#include "ui/text/translated.h"

namespace qvid::ui {
namespace {

constexpr std::array kActions{KeyAction::kMute,    KeyAction::kCamera, KeyAction::kShare,
                              KeyAction::kHand,    KeyAction::kChat,   KeyAction::kPeople,
                              KeyAction::kDevices, KeyAction::kLayout, KeyAction::kToggleFullscreen,
                              KeyAction::kMore,    KeyAction::kQuit};
constexpr std::array kMoreActions{KeyAction::kRecord,     KeyAction::kToggleOverlay,
                                  KeyAction::kScreenshot, KeyAction::kLouder,
                                  KeyAction::kSofter,     KeyAction::kToggleHelp};

constexpr auto kSharingActions = [] {
  std::array<KeyAction, kActions.size() + 1> all{};
  auto* to = all.begin();
  for (const KeyAction action : kActions) {
    *to++ = action;
    if (action == KeyAction::kShare) *to++ = KeyAction::kFreeze;
  }
  return all;
}();

}  // namespace

std::string name_of(KeyAction action, const CallButtons& now) {
  switch (action) {
    case KeyAction::kMute:
      if (now.microphone == Microphone::kNone) return tr("No microphone");
      if (now.microphone == Microphone::kHeld) return tr("Muted by who runs the room");
      return is_heard(now.microphone) ? tr("Mute") : tr("Unmute");
    case KeyAction::kCamera: return now.camera_on ? tr("Camera off") : tr("Camera on");
    case KeyAction::kShare: return now.sharing ? tr("Stop sharing") : tr("Share the screen");
    case KeyAction::kFreeze:
      return now.frozen ? tr("Show it as it is again") : tr("Freeze what you share");
    case KeyAction::kChat:
      return now.unread == 0 ? tr("Chat") : filled(tr("Chat: {} unread"), now.unread);
    case KeyAction::kHand: return now.own_hand ? tr("Lower your hand") : tr("Raise your hand");
    case KeyAction::kPeople:
      return now.hands == 0 ? tr("People") : filled(tr("People: hands raised: {}"), now.hands);
    case KeyAction::kDevices: return tr("Devices");
    case KeyAction::kLayout:
      return now.layout == LayoutMode::kGrid ? tr("One large") : tr("All equal");
    case KeyAction::kToggleFullscreen:
      return now.fullscreen ? tr("Leave full screen") : tr("Full screen");
    case KeyAction::kToggleHelp: return tr("Keys");
    case KeyAction::kQuit: return tr("Leave the call");
    case KeyAction::kMore: return tr("More");
    case KeyAction::kRecord: return now.recording ? tr("Stop recording") : tr("Record the call");
    case KeyAction::kToggleOverlay: return tr("Statistics");
    case KeyAction::kScreenshot: return tr("Save a screenshot");
    case KeyAction::kLouder: return tr("Louder");
    case KeyAction::kSofter: return tr("Softer");
    default: return {};
  }
}

std::span<const KeyAction> more_actions() { return kMoreActions; }

std::span<const KeyAction> call_actions(bool sharing) {
  if (sharing) return kSharingActions;
  return kActions;
}

std::string tooltip_of(KeyAction action, const CallButtons& buttons) {
  return with_key(name_of(action, buttons), KeySet::kCall, action);
}

}  // namespace qvid::ui
