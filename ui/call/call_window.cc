#include "ui/call/call_window.h"

#include <SDL.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "ui/call/call_buttons.h"
#include "ui/call/call_icons.h"
#include "ui/call/call_panels.h"
#include "ui/call/call_scene.h"
#include "ui/call/call_view.h"
#include "ui/call/tile_board.h"
#include "ui/text/translated.h"
#include "ui/window/drawn_scene.h"
#include "ui/window/keys.h"
#include "ui/window/motion.h"
#include "ui/window/notices.h"
#include "ui/window/window_shell.h"

namespace qvid::ui {
class CallWindow::Impl {
 public:
  Impl(std::unique_ptr<WindowShell> shell, bool show_overlay)
      : shell_(std::move(shell)),
        board_(shell_->renderer()),
        panels_(shell_->gui(), shell_->renderer()),
        overlay_(show_overlay) {}

  std::vector<CallCommand> wait(Duration at_most);
  WindowShell& shell() { return *shell_; }
  TileBoard& board() { return board_; }
  std::optional<Timestamp> draw(const CallModel& model);
  const std::string& pin_target() const { return pin_target_; }
  const std::string& target() const { return target_; }
  CallPanels& panels() { return panels_; }
  void offer(std::vector<ShareChoice> choices, std::optional<bool> with_sound) {
    panels_.offer(std::move(choices), with_sound);
    handled_ = true;
  }
  media::PictureSize pixels_of(const std::string& key) const;

 private:
  using Commands = std::vector<CallCommand>;
  // True: the app shall have its turn now.
  bool handle(const SDL_Event& event, Commands& commands);
  bool handle_motion(const SDL_MouseMotionEvent& motion);
  void handle_key(const SDL_KeyboardEvent& key, Commands& commands);
  void act(KeyAction action, Commands& commands);
  void end_talk(Commands& commands);
  void handle_click(const SDL_MouseButtonEvent& click, Commands& commands);
  void pin(const std::string& key, Commands& commands);
  void sound(CallCommand command, Commands& commands);
  CallScene scene_of(const CallModel& model, media::PictureSize output, Timestamp now) const;
  void draw_scene();

  std::unique_ptr<WindowShell> shell_;
  TileBoard board_;
  Toolbar toolbar_;
  CallPanels panels_;

  DrawnScene<CallScene> drawn_;
  std::optional<Timestamp> ends_;  // when something of it goes by itself
  bool handled_ = true;            // input since then

  std::string pin_target_;
  std::string target_;
  Unread unread_;
  std::optional<SDL_Keycode> talk_key_;  // held down
  bool overlay_ = false;
  bool help_ = false;
};

std::vector<CallCommand> CallWindow::Impl::wait(Duration at_most) {
  // What has ended already is not waited for: a minimised window draws nothing that would take it
  // away.
  const Timestamp now = steady_now();
  if (ends_ && *ends_ > now) at_most = std::min(at_most, *ends_ - now);
  CallPanels::Done done = panels_.take();
  handled_ = handled_ || done.changed;
  if (done.changed || !done.commands.empty()) at_most = Duration::zero();
  Commands commands = std::move(done.commands);
  act(done.action, commands);
  shell_->wait(at_most, [&](const SDL_Event& event) {
    const bool turn = handle(event, commands);
    handled_ = handled_ || turn;
    return turn;
  });
  return commands;
}

bool CallWindow::Impl::handle(const SDL_Event& event, Commands& commands) {
  switch (event.type) {
    case SDL_QUIT: commands.push_back(CallCommand::kQuit); return true;
    case SDL_RENDER_TARGETS_RESET:
    case SDL_RENDER_DEVICE_RESET:
      board_.reset();
      panels_.shares().reset();
      return true;
    case SDL_MOUSEMOTION: return handle_motion(event.motion);
    case SDL_MOUSEWHEEL:
      if (!shell_->gui().wants_mouse() && event.wheel.y != 0) {
        board_.turn_page(event.wheel.y > 0 ? -1 : 1);
      }
      return true;
    case SDL_MOUSEBUTTONDOWN: handle_click(event.button, commands); return true;
    case SDL_MOUSEBUTTONUP: panels_.handle_release(event.button); return true;
    case SDL_KEYDOWN: handle_key(event.key, commands); return true;
    case SDL_KEYUP:
      if (talk_key_ == event.key.keysym.sym) end_talk(commands);
      return true;
    case SDL_WINDOWEVENT:
      if (event.window.event == SDL_WINDOWEVENT_FOCUS_LOST) end_talk(commands);
      if (event.window.event == SDL_WINDOWEVENT_CLOSE) commands.push_back(CallCommand::kQuit);
      if (event.window.event == SDL_WINDOWEVENT_LEAVE) {
        board_.leave();
        toolbar_.leave();
      }
      return true;
    default: return true;
  }
}

bool CallWindow::Impl::handle_motion(const SDL_MouseMotionEvent& motion) {
  if (panels_.handle_motion(motion)) return true;
  const bool over_another = board_.point(motion.x, motion.y);
  const bool of_toolbar = toolbar_.point(motion.x, motion.y, steady_now());
  // A drag of the overlay is drawn, and what follows the mouse in a panel.
  return of_toolbar || over_another || motion.state != 0 ||
         panels_.placed().has(motion.x, motion.y);
}

void CallWindow::Impl::handle_key(const SDL_KeyboardEvent& key, Commands& commands) {
  if (panels_.handle_key(key.keysym, commands)) return;
  const KeyAction action = action_of(KeySet::kCall, key.keysym.sym, key.keysym.mod);
  if (key.repeat != 0 && !repeats(action)) return;
  if (action == KeyAction::kTalk) {
    if (talk_key_) return;  // its release was never told
    talk_key_ = key.keysym.sym;
    commands.push_back(CallCommand::kTalk);
    return;
  }
  act(action, commands);
}

void CallWindow::Impl::act(KeyAction action, Commands& commands) {
  switch (action) {
    case KeyAction::kToggleOverlay: overlay_ = !overlay_; break;
    case KeyAction::kToggleHelp: help_ = !help_; break;
    case KeyAction::kToggleFullscreen: shell_->set_fullscreen(!shell_->fullscreen()); break;
    case KeyAction::kScreenshot: commands.push_back(CallCommand::kScreenshot); break;
    case KeyAction::kCamera: commands.push_back(CallCommand::kCamera); break;
    case KeyAction::kShare:
      if (!panels_.shows(PanelKind::kShare)) return commands.push_back(CallCommand::kShare);
      panels_.toggle(PanelKind::kShare);
      break;
    case KeyAction::kFreeze: commands.push_back(CallCommand::kFreeze); break;
    case KeyAction::kPin: pin(board_.chosen(), commands); break;
    case KeyAction::kMute: commands.push_back(CallCommand::kMute); break;
    case KeyAction::kLouder: sound(CallCommand::kLouder, commands); break;
    case KeyAction::kSofter: sound(CallCommand::kSofter, commands); break;
    case KeyAction::kSilence: sound(CallCommand::kSilence, commands); break;
    case KeyAction::kLayout:
      board_.toggle_layout();
      commands.push_back(CallCommand::kLayout);
      break;
    case KeyAction::kChat: panels_.toggle(PanelKind::kChat); break;
    case KeyAction::kPeople: panels_.toggle(PanelKind::kPeople); break;
    case KeyAction::kDevices: panels_.toggle(PanelKind::kDevices); break;
    case KeyAction::kHand: commands.push_back(CallCommand::kHand); break;
    case KeyAction::kRecord: commands.push_back(CallCommand::kRecord); break;
    case KeyAction::kMore: panels_.toggle(PanelKind::kMore); break;
    case KeyAction::kPageBack: board_.turn_page(-1); break;
    case KeyAction::kPageOn: board_.turn_page(1); break;
    case KeyAction::kSelectNext:
      if (board_.tiles().empty()) break;
      board_.select_next();
      commands.push_back(CallCommand::kSelect);
      break;
    case KeyAction::kLeave:
      if (shell_->fullscreen()) {
        shell_->set_fullscreen(false);
      } else {
        commands.push_back(CallCommand::kQuit);
      }
      break;
    case KeyAction::kQuit: commands.push_back(CallCommand::kQuit); break;
    default: break;  // a player's
  }
}

void CallWindow::Impl::handle_click(const SDL_MouseButtonEvent& click, Commands& commands) {
  if (click.button != SDL_BUTTON_LEFT || panels_.handle_press(click)) return;
  if (shell_->gui().wants_mouse()) return;
  if (panels_.placed().has(click.x, click.y)) return;  // a finger's, which was nowhere before
  if (const auto action = toolbar_.press(click.x, click.y, steady_now())) {
    return act(*action, commands);
  }
  const TileBoard::Click clicked = board_.click(click.x, click.y);
  if (clicked.selects) commands.push_back(CallCommand::kSelect);
  if (click.clicks == 2) pin(clicked.key, commands);
}

void CallWindow::Impl::pin(const std::string& key, Commands& commands) {
  if (!board_.has(key)) return;  // it may have gone since it was drawn
  pin_target_ = key;
  commands.push_back(CallCommand::kPin);
}

void CallWindow::Impl::sound(CallCommand command, Commands& commands) {
  const TileModel* const tile = board_.find(board_.chosen());
  target_ = tile == nullptr || tile->own ? std::string() : tile->key;  // nobody hears oneself
  if (command == CallCommand::kSilence && target_.empty()) return;
  commands.push_back(command);
}

void CallWindow::Impl::end_talk(Commands& commands) {
  if (!talk_key_) return;
  talk_key_.reset();
  commands.push_back(CallCommand::kTalkEnd);
}

CallScene CallWindow::Impl::scene_of(const CallModel& model, media::PictureSize output,
                                     Timestamp now) const {
  const auto faces =
      static_cast<std::size_t>(std::ranges::count(board_.tiles(), false, &TileModel::share));
  return {.tiles = board_.shown_tiles(overlay_),
          .shapes = board_.shapes(),
          .chosen = board_.chosen(),
          .bar = {.room = model.room,
                  .recorders = model.recorders,
                  .parties = std::max(model.members, faces + board_.not_shown()),
                  .not_shown = board_.not_shown(),
                  .page = board_.page(),
                  .pages = board_.pages(),
                  .camera_on = model.camera_on,
                  .camera_fault = model.camera_fault,
                  .sharing = model.sharing,
                  .frozen = model.frozen,
                  .microphone = model.microphone,
                  .volume = model.volume,
                  .unread = unread_.count()},
          .status = model.status,
          .notices = model.notices.at(now),
          .buttons = {.microphone = model.microphone,
                      .camera_on = model.camera_on,
                      .sharing = model.sharing,
                      .frozen = model.frozen,
                      .layout = board_.layout(),
                      .fullscreen = shell_->fullscreen(),
                      .unread = unread_.count(),
                      .hands = static_cast<int>(std::ranges::count_if(
                          model.people.people, [](const Person& p) { return p.hand > 0; })),
                      .own_hand = model.people.own_hand,
                      .recording = model.recording},
          .toolbar_seen = toolbar_.seen(now),
          .hovered = toolbar_.hovered(),
          .overlay = overlay_ ? model.overlay : OverlayModel(),
          .talk_trigger = help_ ? model.talk_trigger : std::string(),
          .panel = panels_.shown(),
          .chat = panels_.shows(PanelKind::kChat) ? model.chat : ChatModel(),
          .people = panels_.shows(PanelKind::kPeople) ? model.people : PeopleModel(),
          .devices = panels_.shows(PanelKind::kDevices) ? model.devices : DevicesModel(),
          .reduced_motion = motion_is_reduced(),
          .output = output};
}

std::optional<Timestamp> CallWindow::Impl::draw(const CallModel& model) {
  const media::PictureSize output = shell_->output_size();
  if (output.width <= 0 || output.height <= 0) return std::nullopt;
  const Timestamp now = steady_now();
  ends_ = model.notices.next_end(now);
  if (const auto end = toolbar_.end(now)) ends_ = ends_ ? std::min(*ends_, *end) : *end;
  unread_.note(model.chat.told, panels_.shows(PanelKind::kChat));
  const bool due = std::exchange(handled_, false) || panels_.shares().fresh() || shell_->settling();
  const bool by_imgui = overlay_ || help_ || panels_.shown() != PanelKind::kNone;
  board_.upload();
  if (!drawn_.is_news(scene_of(model, output, now), due, by_imgui)) {
    const std::vector<Rectangle> pictures = board_.take_new_pictures();
    if (pictures.empty()) return std::nullopt;
    shell_->present_parts(pictures, WindowShell::Parts::kPictures);  // of the frame before
    return steady_now();
  }
  panels_.shares().upload();
  const bool loaded = shell_->gui().frame([this] { draw_scene(); });
  for (int i = 0; i < CallPanels::kMostToFocus && panels_.focusing(); ++i) {
    shell_->gui().frame([this] { draw_scene(); });
  }
  panels_.stop_focusing();
  const auto changed = board_.take_changed();
  const bool in_parts = changed && !due && !by_imgui && !loaded;
  if (in_parts && differ_in_tiles_alone(drawn_.before(), drawn_.scene())) {
    shell_->gui().same_but_for(*changed);
    shell_->present_parts(*changed, WindowShell::Parts::kAll);
  } else {
    shell_->present(nullptr);
  }
  return steady_now();
}

void CallWindow::Impl::draw_scene() {
  const CallScene& scene = drawn_.scene();
  // Nothing of a tile lies under the bar or the banner.
  const media::PictureSize size = shell_->size();
  const int banner = static_cast<int>(std::ceil(banner_height(scene.status)));
  const media::PictureSize room{size.width - panels_.place(size, kCallBarHeight, banner).width,
                                size.height};
  toolbar_.place(call_actions(scene.buttons.sharing),
                 scene.toolbar_seen ? room : media::PictureSize{}, banner);
  board_.draw({0, kCallBarHeight, room.width, std::max(0, size.height - kCallBarHeight - banner)},
              toolbar_.area(), scene.bar.microphone, overlay_);
  if (board_.tiles().empty()) draw_waiting(tr("waiting for the call..."));
  draw_call_bar(scene.bar);
  const bool unheard = scene.bar.microphone == Microphone::kUnheard;
  const auto width = static_cast<float>(room.width);
  if (unheard) draw_unheard_hint(width);
  draw_call_notices(scene.notices, width, unheard ? kUnheardHintHeight : 0);
  const CallButtons& buttons = scene.buttons;
  toolbar_.draw({.icon = [&](KeyAction action, const Box& box) { draw_icon(action, buttons, box); },
                 .tooltip = [&](KeyAction action) { return tooltip_of(action, buttons); }});
  if (banner > 0) draw_banner(scene.status);
  if (overlay_) draw_overlay(scene.overlay, kCallBarHeight);
  panels_.draw(scene.chat, scene.people, scene.buttons, scene.devices);
  if (help_) draw_help(KeySet::kCall, scene.talk_trigger);
}

media::PictureSize CallWindow::Impl::pixels_of(const std::string& key) const {
  const Rectangle place = board_.place_of(key);
  const media::PictureSize units = shell_->size();
  const media::PictureSize pixels = shell_->output_size();
  if (place.empty() || units.width <= 0 || units.height <= 0) return {};
  return {place.width * pixels.width / units.width, place.height * pixels.height / units.height};
}

Result<std::unique_ptr<CallWindow>> CallWindow::open(const WindowOptions& options) {
  auto shell = WindowShell::open(options);
  if (!shell) return shell.error();
  return std::unique_ptr<CallWindow>(
      new CallWindow(std::make_unique<Impl>(*std::move(shell), options.show_overlay)));
}

CallWindow::CallWindow(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CallWindow::~CallWindow() = default;

std::vector<CallCommand> CallWindow::wait(Duration at_most) { return impl_->wait(at_most); }
void CallWindow::wake() { impl_->shell().wake(); }
void CallWindow::set_tiles(std::vector<TileModel> tiles) { impl_->board().set(std::move(tiles)); }
void CallWindow::show_tile(const std::string& key, const media::VideoFrame& picture,
                           media::PictureSize nominal) {
  impl_->board().show(key, picture, nominal);
}
void CallWindow::offer_shares(std::vector<ShareChoice> choices, std::optional<bool> with_sound) {
  impl_->offer(std::move(choices), with_sound);
}
void CallWindow::show_still(const std::string& source, const media::VideoFrame& still) {
  impl_->panels().shares().show_still(source, still);
}
std::vector<Rectangle> CallWindow::screens() {
  std::vector<Rectangle> screens;
  for (int i = 0; i < SDL_GetNumVideoDisplays(); ++i) {
    SDL_Rect at{};
    if (SDL_GetDisplayBounds(i, &at) == 0) screens.push_back({at.x, at.y, at.w, at.h});
  }
  return screens;
}
std::optional<Timestamp> CallWindow::draw(const CallModel& model) { return impl_->draw(model); }
const std::string& CallWindow::pin_target() const { return impl_->pin_target(); }
const std::string& CallWindow::target() const { return impl_->target(); }
const std::string& CallWindow::said() const { return impl_->panels().said(); }
const std::string& CallWindow::link() const { return impl_->panels().link(); }
const std::string& CallWindow::share() const { return impl_->panels().share(); }
std::optional<bool> CallWindow::share_with_sound() const {
  return impl_->panels().share_with_sound();
}
const DeviceInput& CallWindow::device() const { return impl_->panels().device(); }
const PersonInput& CallWindow::person() const { return impl_->panels().person(); }
bool CallWindow::attended() const { return impl_->shell().attended(); }
bool CallWindow::shows_chat() const { return impl_->panels().shows(PanelKind::kChat); }
bool CallWindow::shows_devices() const { return impl_->panels().shows(PanelKind::kDevices); }
const std::string& CallWindow::selected() const { return impl_->board().selected(); }
LayoutMode CallWindow::layout() const { return impl_->board().layout(); }
LayoutMode CallWindow::chosen_layout() const { return impl_->board().chosen_layout(); }
void CallWindow::set_layout(LayoutMode mode) { impl_->board().set_layout(mode); }
media::PictureSize CallWindow::size() const {
  return impl_->shell().fullscreen() ? media::PictureSize() : impl_->shell().size();
}
Rectangle CallWindow::place_of(const std::string& key) const {
  return impl_->board().place_of(key);
}
std::vector<std::string> CallWindow::shown() const { return impl_->board().shown(); }
media::PictureSize CallWindow::pixels_of(const std::string& key) const {
  return impl_->pixels_of(key);
}
Result<std::string> CallWindow::screenshot(const std::string& path) {
  return impl_->shell().screenshot(path, nullptr);
}

}  // namespace qvid::ui
