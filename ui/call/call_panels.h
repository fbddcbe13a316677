// The side panel of a call's window: which one is shown, its keys, and what the user does in it.
//
// A panel that opens takes the keyboard. While one types there every key is its own, else those that
// move the focus are; Escape closes it. Thread: the main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/call/call_buttons.h"
#include "ui/call/call_window.h"
#include "ui/call/chat_panel.h"
#include "ui/call/devices_panel.h"
#include "ui/call/people_panel.h"
#include "ui/call/share_panel.h"
#include "ui/call/side_panel.h"
#include "ui/window/gui.h"

struct SDL_Keysym;
struct SDL_MouseButtonEvent;
struct SDL_MouseMotionEvent;
struct SDL_Renderer;

namespace qvid::ui {

class CallPanels {
 public:
  using Commands = std::vector<CallCommand>;
  CallPanels(Gui& gui, SDL_Renderer& renderer) : gui_(gui), shares_(renderer) {}

  PanelKind shown() const { return shown_; }
  bool shows(PanelKind panel) const { return shown_ == panel; }
  // One that is shown without the focus gets it.
  void toggle(PanelKind panel);
  // Shows what can be shared, for the user to choose.
  void offer(std::vector<ShareChoice> choices, std::optional<bool> with_sound);
  SharePanel& shares() { return shares_; }
  // True: it is the panel's.
  bool handle_key(const SDL_Keysym& key, Commands& commands);

  // The same of the mouse, but for what ImGui is told of it.
  bool handle_press(const SDL_MouseButtonEvent& press);
  bool handle_motion(const SDL_MouseMotionEvent& motion);
  void handle_release(const SDL_MouseButtonEvent& release);

  // In a window of this size from now on, so much taken from its edges; empty: none is shown.
  const Rectangle& place(media::PictureSize window, int above, int below);
  const Rectangle& placed() const { return place_; }
  // Inside a frame of ImGui; nothing where none is shown.
  void draw(const ChatModel& chat, const PeopleModel& people, const CallButtons& buttons,
            const DevicesModel& devices);
  // A panel is on its way to the keyboard: keys are its own, and it is to be drawn again at once, so
  // that none comes in between; for kMostToFocus times at the most.
  static constexpr int kMostToFocus = 6;
  bool focusing() const { return focus_ || (shows(PanelKind::kChat) && chat_.focusing()); }
  void stop_focusing() { chat_.stop_focusing(); }
  // What the user has done in what was drawn; `changed`: another panel is shown since.
  struct Done {
    Commands commands{};
    bool changed = false;
    KeyAction action = KeyAction::kNone;  // as if its key had been pressed
  };
  Done take();

  // Of kSay, kOpen, kPerson, kShareThis, kDevice.
  const std::string& said() const { return said_; }
  const std::string& link() const { return link_; }
  const PersonInput& person() const { return person_; }
  const std::string& share() const { return share_; }
  std::optional<bool> share_with_sound() const { return shares_.with_sound(); }
  const DeviceInput& device() const { return device_; }

 private:
  void show(PanelKind panel);
  void open_link(const std::string& link, Commands& commands);
  void draw_chat(const ChatModel& model);
  void draw_people(const PeopleModel& model);
  void draw_shares();
  void draw_more(const CallButtons& buttons);
  void draw_devices(const DevicesModel& model);
  SharePart* part() { return shows(PanelKind::kShare) ? shares_.part() : nullptr; }
  // True: something was chosen.
  bool take_share(Commands& commands);
  void hide();

  Gui& gui_;
  PanelKind shown_ = PanelKind::kNone;
  bool focus_ = false;  // from the next drawing on
  Rectangle place_{};
  ChatPanel chat_;
  PeoplePanel people_;
  std::string said_;
  std::string link_;
  PersonInput person_;
  SharePanel shares_;
  std::string share_;
  DeviceInput device_;
  Done done_;
};

}  // namespace qvid::ui
