#include "ui/call/call_window.h"

#include <SDL.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "ui/call/call_view.h"
#include "ui/call/tile_view.h"
#include "ui/window/keys.h"
#include "ui/window/notices.h"
#include "ui/window/video_texture.h"
#include "ui/window/window_shell.h"

namespace qvid::ui {
namespace {

// A tile's picture, on its way to the screen.
struct Picture {
  media::PictureSize nominal{16, 9};         // until the first one
  std::optional<media::VideoFrame> frame{};  // kept for when the device loses its textures
  std::shared_ptr<VideoTexture> texture{};   // shared with what was drawn last
  bool fresh = false;                        // frame is not in the texture yet
  std::string fault{};                       // why it cannot be shown; empty: it can
};

}  // namespace

class CallWindow::Impl {
 public:
  Impl(std::unique_ptr<WindowShell> shell, bool show_overlay)
      : shell_(std::move(shell)), overlay_(show_overlay) {}

  std::vector<CallCommand> wait(Duration at_most);
  void wake() { shell_->wake(); }
  void set_tiles(std::vector<TileModel> tiles);
  void show_tile(const std::string& key, const media::VideoFrame& picture,
                 media::PictureSize nominal);
  std::optional<Timestamp> draw(const CallModel& model);
  const std::string& pin_target() const { return pin_target_; }
  const std::string& target() const { return target_; }
  const std::string& selected() const { return selected_; }
  LayoutMode layout() const { return mode_; }
  Rectangle place_of(const std::string& key) const;
  media::PictureSize pixels_of(const std::string& key) const;
  Result<std::string> screenshot(const std::string& path) {
    return shell_->screenshot(path, nullptr);
  }

 private:
  using Commands = std::vector<CallCommand>;
  // True: the app shall have its turn now.
  bool handle(const SDL_Event& event, Commands& commands);
  void handle_key(const SDL_KeyboardEvent& key, Commands& commands);
  void end_talk(Commands& commands);
  void handle_click(const SDL_MouseButtonEvent& click, Commands& commands);
  void select_next();
  void pin(const std::string& key, Commands& commands);
  void sound(CallCommand command, Commands& commands);
  const std::string& chosen() const { return pointed_.empty() ? selected_ : pointed_; }
  bool known(const std::string& key) const;
  void follow_pins();
  void reset_textures();
  void upload(const std::string& key);
  std::vector<PlacedTile> place_tiles(const Rectangle& room);
  void draw_tiles(Microphone microphone);

  std::unique_ptr<WindowShell> shell_;
  std::vector<TileModel> tiles_;
  std::size_t not_shown_ = 0;
  std::map<std::string, Picture> pictures_;  // one a tile

  // What was drawn last. ImGui points into the pictures until the next frame.
  std::vector<PlacedTile> placed_;
  std::vector<TilePicture> drawn_;
  std::optional<Timestamp> notice_ends_;

  LayoutMode mode_ = LayoutMode::kGrid;
  std::optional<LayoutMode>
      before_pin_;  // to go back to; empty: nothing is pinned, or it was chosen
  bool pinned_ = false;
  std::string large_;  // the tile that was large last
  std::string selected_;
  std::string pointed_;  // under the mouse, unless a key has selected since
  std::string pin_target_;
  std::string target_;
  std::optional<SDL_Keycode> talk_key_;  // held down
  bool overlay_ = false;
  bool help_ = false;
};

std::vector<CallCommand> CallWindow::Impl::wait(Duration at_most) {
  // What has ended already is not waited for: a minimised window draws nothing that would take it
  // away.
  const Timestamp now = steady_now();
  if (notice_ends_ && *notice_ends_ > now) at_most = std::min(at_most, *notice_ends_ - now);
  Commands commands;
  shell_->wait(at_most, [&](const SDL_Event& event) { return handle(event, commands); });
  return commands;
}

bool CallWindow::Impl::handle(const SDL_Event& event, Commands& commands) {
  switch (event.type) {
    case SDL_QUIT: commands.push_back(CallCommand::kQuit); return true;
    case SDL_RENDER_TARGETS_RESET:
    case SDL_RENDER_DEVICE_RESET: reset_textures(); return true;
    case SDL_MOUSEMOTION: {
      const PlacedTile* tile = tile_at(placed_, event.motion.x, event.motion.y);
      pointed_ = tile != nullptr ? tile->key : std::string();
      return event.motion.state != 0;  // a drag of the overlay; nothing else follows the mouse
    }
    case SDL_MOUSEBUTTONDOWN: handle_click(event.button, commands); return true;
    case SDL_KEYDOWN: handle_key(event.key, commands); return true;
    case SDL_KEYUP:
      if (talk_key_ == event.key.keysym.sym) end_talk(commands);
      return true;
    case SDL_WINDOWEVENT:
      if (event.window.event == SDL_WINDOWEVENT_FOCUS_LOST) end_talk(commands);
      if (event.window.event == SDL_WINDOWEVENT_CLOSE) commands.push_back(CallCommand::kQuit);
      if (event.window.event == SDL_WINDOWEVENT_LEAVE) pointed_.clear();
      return true;
    default: return true;
  }
}

void CallWindow::Impl::handle_key(const SDL_KeyboardEvent& key, Commands& commands) {
  const KeyAction action = action_of(KeySet::kCall, key.keysym.sym, key.keysym.mod);
  if (key.repeat != 0 && !repeats(action)) return;
  switch (action) {
    case KeyAction::kToggleOverlay: overlay_ = !overlay_; break;
    case KeyAction::kToggleHelp: help_ = !help_; break;
    case KeyAction::kToggleFullscreen: shell_->set_fullscreen(!shell_->fullscreen()); break;
    case KeyAction::kScreenshot: commands.push_back(CallCommand::kScreenshot); break;
    case KeyAction::kCamera: commands.push_back(CallCommand::kCamera); break;
    case KeyAction::kShare: commands.push_back(CallCommand::kShare); break;
    case KeyAction::kPin: pin(chosen(), commands); break;
    case KeyAction::kMute: commands.push_back(CallCommand::kMute); break;
    case KeyAction::kTalk:
      if (talk_key_) break;  // its release was never told
      talk_key_ = key.keysym.sym;
      commands.push_back(CallCommand::kTalk);
      break;
    case KeyAction::kLouder: sound(CallCommand::kLouder, commands); break;
    case KeyAction::kSofter: sound(CallCommand::kSofter, commands); break;
    case KeyAction::kSilence: sound(CallCommand::kSilence, commands); break;
    case KeyAction::kLayout:
      mode_ = mode_ == LayoutMode::kGrid ? LayoutMode::kSpeaker : LayoutMode::kGrid;
      before_pin_.reset();
      commands.push_back(CallCommand::kLayout);
      break;
    case KeyAction::kSelectNext:
      if (tiles_.empty()) break;
      select_next();
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
  if (click.button != SDL_BUTTON_LEFT || shell_->gui().wants_mouse()) return;
  const PlacedTile* tile = tile_at(placed_, click.x, click.y);
  if (tile == nullptr && !selected_.empty()) {  // beside all of them: none
    selected_.clear();
    commands.push_back(CallCommand::kSelect);
  }
  if (tile == nullptr || !known(tile->key)) return;
  pointed_ = tile->key;
  if (selected_ != tile->key) {
    selected_ = tile->key;
    commands.push_back(CallCommand::kSelect);
  }
  if (click.clicks == 2) pin(tile->key, commands);
}

void CallWindow::Impl::select_next() {
  const auto now = std::find_if(tiles_.begin(), tiles_.end(),
                                [&](const TileModel& tile) { return tile.key == selected_; });
  const bool last = now == tiles_.end() || now + 1 == tiles_.end();
  selected_ = last ? tiles_.front().key : (now + 1)->key;
  pointed_.clear();
}

void CallWindow::Impl::pin(const std::string& key, Commands& commands) {
  if (!known(key)) return;  // it may have gone since it was drawn
  pin_target_ = key;
  commands.push_back(CallCommand::kPin);
}

void CallWindow::Impl::sound(CallCommand command, Commands& commands) {
  const auto tile = std::find_if(tiles_.begin(), tiles_.end(), [&](const TileModel& t) {
    return t.key == chosen() && !t.own;  // nobody hears oneself
  });
  target_ = tile == tiles_.end() ? std::string() : tile->key;
  if (command == CallCommand::kSilence && target_.empty()) return;
  commands.push_back(command);
}

void CallWindow::Impl::end_talk(Commands& commands) {
  if (!talk_key_) return;
  talk_key_.reset();
  commands.push_back(CallCommand::kTalkEnd);
}

bool CallWindow::Impl::known(const std::string& key) const { return pictures_.count(key) != 0; }

void CallWindow::Impl::set_tiles(std::vector<TileModel> tiles) {
  tiles_.clear();
  std::set<std::string> keys;
  not_shown_ = 0;
  for (TileModel& tile : tiles) {
    if (tile.key.empty() || keys.count(tile.key) != 0) continue;
    if (keys.size() == kMostTiles) {
      ++not_shown_;
      continue;
    }
    keys.insert(tile.key);
    tiles_.push_back(std::move(tile));
  }
  std::erase_if(pictures_, [&](const auto& entry) { return keys.count(entry.first) == 0; });
  for (const TileModel& tile : tiles_) {
    Picture& picture = pictures_[tile.key];
    if (!tile.video) picture = {.nominal = picture.nominal};
  }
  if (!known(selected_)) selected_.clear();
  if (!known(pointed_)) pointed_.clear();
  follow_pins();
}

void CallWindow::Impl::follow_pins() {
  const bool pinned =
      std::any_of(tiles_.begin(), tiles_.end(), [](const TileModel& tile) { return tile.pinned; });
  if (pinned && !pinned_) before_pin_ = std::exchange(mode_, LayoutMode::kSpeaker);
  if (!pinned && pinned_ && before_pin_) {
    mode_ = *before_pin_;
    before_pin_.reset();
  }
  pinned_ = pinned;
}

void CallWindow::Impl::show_tile(const std::string& key, const media::VideoFrame& picture,
                                 media::PictureSize nominal) {
  const auto tile =
      std::find_if(tiles_.begin(), tiles_.end(), [&](const TileModel& t) { return t.key == key; });
  if (tile == tiles_.end() || !tile->video) return;
  Picture& shown = pictures_[key];
  shown.frame = picture;
  shown.nominal = nominal;
  shown.fresh = true;
}

void CallWindow::Impl::reset_textures() {
  for (auto& [key, picture] : pictures_) {
    if (picture.texture) picture.texture->reset();
    picture.fresh = picture.frame.has_value();
  }
}

// At the drawing, not at show_tile(): of two pictures in a turn the first need not travel.
void CallWindow::Impl::upload(const std::string& key) {
  Picture& picture = pictures_[key];
  if (!picture.fresh) return;
  picture.fresh = false;
  if (!picture.texture) picture.texture = std::make_shared<VideoTexture>(shell_->renderer());
  const auto uploaded = picture.texture->upload(*picture.frame);
  picture.fault = uploaded ? std::string() : uploaded.error().message;
}

std::vector<PlacedTile> CallWindow::Impl::place_tiles(const Rectangle& room) {
  large_ = large_tile(tiles_, large_);
  std::vector<LayoutTile> tiles;
  tiles.reserve(tiles_.size());
  for (const TileModel& tile : tiles_) {
    tiles.push_back({.key = tile.key,
                     .aspect = pictures_[tile.key].nominal,
                     .important = tile.key == large_,
                     .own = tile.own});
  }
  return lay_out(room, tiles, mode_);
}

void CallWindow::Impl::draw_tiles(Microphone microphone) {
  std::map<std::string, const TileModel*> models;
  for (const TileModel& tile : tiles_) models[tile.key] = &tile;
  const bool has_corner = !placed_.empty() && placed_.back().corner;
  const Rectangle corner = has_corner ? placed_.back().box : Rectangle{};
  drawn_.clear();
  drawn_.reserve(placed_.size());  // none may move: ImGui points at them
  for (const PlacedTile& place : placed_) {
    TileModel model = *models[place.key];
    const Picture& picture = pictures_[place.key];
    if (!picture.fault.empty()) model.status = picture.fault;
    const bool seen = picture.texture && !picture.texture->empty();
    if (seen) drawn_.push_back({picture.texture, place.picture});
    draw_tile({.model = model,
               .place = place,
               .picture = seen ? &drawn_.back() : nullptr,
               .selected = place.key == selected_,
               .microphone = microphone,
               .over = place.corner ? Rectangle{} : corner});
  }
}

std::optional<Timestamp> CallWindow::Impl::draw(const CallModel& model) {
  const media::PictureSize output = shell_->output_size();
  if (output.width <= 0 || output.height <= 0) return std::nullopt;
  for (const TileModel& tile : tiles_) upload(tile.key);
  const Timestamp now = steady_now();
  notice_ends_ = model.notices.next_end(now);

  shell_->gui().frame([&] {
    // Nothing of a tile lies under the bar or the banner.
    const media::PictureSize size = shell_->size();
    const int banner = static_cast<int>(std::ceil(banner_height(model.status)));
    placed_ = place_tiles(
        {0, kCallBarHeight, size.width, std::max(0, size.height - kCallBarHeight - banner)});
    draw_tiles(model.microphone);
    if (tiles_.empty()) draw_waiting("waiting for the call...");
    draw_call_bar({.room = model.room,
                   .parties = std::max(model.members, tiles_.size() + not_shown_),
                   .not_shown = not_shown_,
                   .camera_on = model.camera_on,
                   .sharing = model.sharing,
                   .microphone = model.microphone,
                   .volume = model.volume});
    const bool unheard = model.microphone == Microphone::kUnheard;
    if (unheard) draw_unheard_hint();
    draw_call_notices(model.notices.at(now), unheard ? kUnheardHintHeight : 0);
    if (banner > 0) draw_banner(model.status);
    if (overlay_) draw_overlay(model.overlay, kCallBarHeight);
    if (help_) draw_help(KeySet::kCall);
  });
  shell_->present(nullptr);
  return steady_now();
}

Rectangle CallWindow::Impl::place_of(const std::string& key) const {
  for (const PlacedTile& tile : placed_) {
    if (tile.key == key) return tile.picture;
  }
  return {};
}

media::PictureSize CallWindow::Impl::pixels_of(const std::string& key) const {
  const Rectangle place = place_of(key);
  const media::PictureSize units = shell_->size();
  const media::PictureSize pixels = shell_->output_size();
  if (place.empty() || units.width <= 0 || units.height <= 0) return {};
  return {place.width * pixels.width / units.width, place.height * pixels.height / units.height};
}

Result<std::unique_ptr<CallWindow>> CallWindow::open(const WindowOptions& options) {
  auto shell = WindowShell::open(options, WindowShell::Cursor::kShown);
  if (!shell) return shell.error();
  return std::unique_ptr<CallWindow>(
      new CallWindow(std::make_unique<Impl>(*std::move(shell), options.show_overlay)));
}

CallWindow::CallWindow(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CallWindow::~CallWindow() = default;

std::vector<CallCommand> CallWindow::wait(Duration at_most) { return impl_->wait(at_most); }
void CallWindow::wake() { impl_->wake(); }
void CallWindow::set_tiles(std::vector<TileModel> tiles) { impl_->set_tiles(std::move(tiles)); }
void CallWindow::show_tile(const std::string& key, const media::VideoFrame& picture,
                           media::PictureSize nominal) {
  impl_->show_tile(key, picture, nominal);
}
std::optional<Timestamp> CallWindow::draw(const CallModel& model) { return impl_->draw(model); }
const std::string& CallWindow::pin_target() const { return impl_->pin_target(); }
const std::string& CallWindow::target() const { return impl_->target(); }
const std::string& CallWindow::selected() const { return impl_->selected(); }
LayoutMode CallWindow::layout() const { return impl_->layout(); }
Rectangle CallWindow::place_of(const std::string& key) const { return impl_->place_of(key); }
media::PictureSize CallWindow::pixels_of(const std::string& key) const {
  return impl_->pixels_of(key);
}
Result<std::string> CallWindow::screenshot(const std::string& path) {
  return impl_->screenshot(path);
}

}  // namespace qvid::ui
