#include "ui/call/call_panels.h"

#include <SDL.h>

#include <utility>

#include "ui/call/more_panel.h"
#include "ui/text/translated.h"

namespace qvid::ui {

void CallPanels::show(PanelKind panel) {
  shown_ = panel;
  focus_ = panel != PanelKind::kNone;
  if (panel == PanelKind::kNone) gui_.leave_windows();
  if (panel == PanelKind::kChat) chat_.open();
  if (panel != PanelKind::kShare) shares_.close();
}

void CallPanels::toggle(PanelKind panel) {
  const bool close = shown_ == panel && (gui_.wants_keys() || focus_);
  show(close ? PanelKind::kNone : panel);
}

void CallPanels::offer(std::vector<ShareChoice> choices, std::optional<bool> with_sound) {
  shares_.offer(std::move(choices), with_sound);
  show(PanelKind::kShare);
}

bool CallPanels::handle_key(const SDL_Keysym& key, Commands& commands) {
  if (shown_ == PanelKind::kNone) return false;
  if (shows(PanelKind::kShare) && shares_.handle_key(key)) {
    if (take_share(commands)) show(PanelKind::kNone);
    return true;
  }
  if (key.sym == SDLK_o && (key.mod & KMOD_CTRL) != 0 && shows(PanelKind::kChat)) {
    open_link(chat_.last_link(), commands);
    return true;
  }
  switch (key.sym) {
    case SDLK_ESCAPE: show(PanelKind::kNone); return true;
    case SDLK_PAGEUP:
    case SDLK_PAGEDOWN:
      if (!shows(PanelKind::kChat)) return false;
      chat_.scroll(key.sym == SDLK_PAGEUP ? -1 : 1);
      return true;
    case SDLK_TAB:
    case SDLK_SPACE:
    case SDLK_RETURN:
    case SDLK_KP_ENTER:
    case SDLK_UP:
    case SDLK_DOWN:
    case SDLK_LEFT:
    case SDLK_RIGHT: return focusing() || gui_.wants_keys();
    default: return (shows(PanelKind::kChat) && focusing()) || gui_.wants_text();
  }
}

bool CallPanels::handle_press(const SDL_MouseButtonEvent& press) {
  SharePart* const chosen = part();
  return chosen != nullptr && chosen->press(press.x, press.y);
}

bool CallPanels::handle_motion(const SDL_MouseMotionEvent& motion) {
  SharePart* const chosen = part();
  return chosen != nullptr && chosen->move(motion.x, motion.y);
}

void CallPanels::handle_release(const SDL_MouseButtonEvent& release) {
  SharePart* const chosen = part();
  if (chosen == nullptr || release.button != SDL_BUTTON_LEFT) return;
  chosen->move(release.x, release.y);
  chosen->release();
}

void CallPanels::open_link(const std::string& link, Commands& commands) {
  if (link.empty()) return;
  link_ = link;
  commands.push_back(CallCommand::kOpen);
}

const Rectangle& CallPanels::place(media::PictureSize window, int above, int below) {
  place_ = {};
  if (shown_ == PanelKind::kNone) return place_;
  const bool all = shows(PanelKind::kShare) && shares_.chooses_part();
  place_ = place_panel(window, above, below, all);
  return place_;
}

void CallPanels::draw(const ChatModel& chat, const PeopleModel& people, const CallButtons& buttons,
                      const DevicesModel& devices) {
  if (shown_ == PanelKind::kNone) return;
  const bool focus = std::exchange(focus_, false);
  const auto draw = [&](const char* title, const std::function<void()>& content) {
    if (draw_panel(place_, title, focus, content)) return;
    hide();
    done_.changed = true;
  };
  switch (shown_) {
    case PanelKind::kNone: return;
    case PanelKind::kChat: return draw(tr("Chat"), [&] { draw_chat(chat); });
    case PanelKind::kPeople: return draw(tr("People"), [&] { draw_people(people); });
    case PanelKind::kShare: return draw(tr("Share"), [this] { draw_shares(); });
    case PanelKind::kMore: return draw(tr("More"), [&] { draw_more(buttons); });
    case PanelKind::kDevices: return draw(tr("Devices"), [&] { draw_devices(devices); });
  }
}

void CallPanels::draw_chat(const ChatModel& model) {
  const ChatPanel::Input input = chat_.draw(model);
  open_link(input.opened, done_.commands);
  if (input.said.empty()) return;
  said_ = input.said;
  done_.commands.push_back(CallCommand::kSay);
}

void CallPanels::draw_people(const PeopleModel& model) {
  const PersonInput input = people_.draw(model);
  switch (input.action) {
    case PersonAction::kNone: return;
    case PersonAction::kHand: done_.commands.push_back(CallCommand::kHand); return;
    case PersonAction::kWrite:
      chat_.address(input.name);
      show(PanelKind::kChat);
      done_.changed = true;
      return;
    default: person_ = input; done_.commands.push_back(CallCommand::kPerson);
  }
}

void CallPanels::draw_shares() {
  const bool chose_part = shares_.chooses_part();
  shares_.draw();
  if (take_share(done_.commands)) hide();
  done_.changed =
      done_.changed || shown_ != PanelKind::kShare || shares_.chooses_part() != chose_part;
}

bool CallPanels::take_share(Commands& commands) {
  std::string chosen = shares_.take_chosen();
  if (chosen.empty()) return false;
  share_ = std::move(chosen);
  commands.push_back(CallCommand::kShareThis);
  return true;
}

void CallPanels::hide() {
  shown_ = PanelKind::kNone;
  shares_.close();
}

// Louder and softer are pressed again and again.
void CallPanels::draw_more(const CallButtons& buttons) {
  const KeyAction action = draw_more_panel(buttons);
  if (action == KeyAction::kNone) return;
  done_.action = action;
  done_.changed = true;
  if (!repeats(action)) show(PanelKind::kNone);
}

void CallPanels::draw_devices(const DevicesModel& model) {
  const auto chosen = draw_devices_panel(model);
  if (!chosen) return;
  device_ = *chosen;
  done_.commands.push_back(CallCommand::kDevice);
}

CallPanels::Done CallPanels::take() { return std::exchange(done_, {}); }

}  // namespace qvid::ui
