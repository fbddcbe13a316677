#include "ui/player/player_window.h"

#include <SDL.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "ui/player/player_buttons.h"
#include "ui/player/player_scene.h"
#include "ui/player/player_view.h"
#include "ui/player/preview_view.h"
#include "ui/text/translated.h"
#include "ui/window/aspect.h"
#include "ui/window/drawn_scene.h"
#include "ui/window/keys.h"
#include "ui/window/notices.h"
#include "ui/window/progress_bar.h"
#include "ui/window/toolbar.h"
#include "ui/window/video_texture.h"
#include "ui/window/window_shell.h"

namespace qvid::ui {
namespace {

constexpr Duration kChangeShown = 2s;

}  // namespace

class PlayerWindow::Impl {
 public:
  Impl(std::unique_ptr<WindowShell> shell, bool show_overlay)
      : shell_(std::move(shell)),
        texture_(shell_->renderer()),
        preview_texture_(shell_->renderer()),
        overlay_(show_overlay) {}

  std::vector<KeyCommand> wait(Duration at_most);
  void wake() { shell_->wake(); }
  Duration sought() const { return sought_; }
  std::optional<Duration> pointed() const { return bar_.pointed(); }
  void show_preview(std::optional<media::VideoFrame> picture);
  void show(const media::VideoFrame& picture, media::PictureSize nominal);
  std::optional<Timestamp> draw(const OverlayModel& model);
  Result<std::string> screenshot(const std::string& path);

 private:
  // True: the app shall have its turn now.
  bool handle(const SDL_Event& event, std::vector<KeyCommand>& commands);
  void handle_key(const SDL_KeyboardEvent& key, std::vector<KeyCommand>& commands);
  void act(KeyAction action, std::vector<KeyCommand>& commands);
  bool handle_mouse(const SDL_Event& event, std::vector<KeyCommand>& commands);
  void upload_picture();
  void note_changes(const OverlayModel& model, Timestamp now);
  void note_end(std::optional<Timestamp> end);
  PlayerScene scene_of(const OverlayModel& model, Timestamp now) const;
  void draw_scene(Timestamp now);
  void draw_toolbar(float above);
  void draw_preview(float above);
  WindowShell::Pictures picture_drawing();

  std::unique_ptr<WindowShell> shell_;
  VideoTexture texture_;
  VideoTexture preview_texture_;

  std::optional<media::VideoFrame> picture_;  // kept for when the device loses its textures
  media::PictureSize nominal_;
  bool fresh_ = false;  // picture_ is not in texture_ yet
  std::string fault_;   // why the picture cannot be shown; empty: it can
  std::optional<media::VideoFrame> preview_;
  bool fresh_preview_ = false;  // preview_ is not in its texture yet
  Rectangle preview_place_{};   // empty: it is not shown

  ProgressBar bar_;
  Toolbar toolbar_;
  Duration sought_{};
  float volume_ = 1;          // as told last
  Timestamp volume_until_{};  // it is shown
  double speed_ = 1;          // as told last
  Timestamp speed_until_{};   // it is shown
  bool overlay_ = false;
  bool help_ = false;

  DrawnScene<PlayerScene> drawn_;
  std::optional<Timestamp> ends_;  // when something of it goes by itself
  bool handled_ = true;            // input since then
};

std::vector<KeyCommand> PlayerWindow::Impl::wait(Duration at_most) {
  // What has ended already is not waited for: a minimised window draws nothing that would take it
  // away.
  const Timestamp now = steady_now();
  if (ends_ && *ends_ > now) at_most = std::min(at_most, *ends_ - now);
  std::vector<KeyCommand> commands;
  shell_->wait(at_most, [&](const SDL_Event& event) {
    const bool turn = handle(event, commands);
    handled_ = handled_ || turn;
    return turn;
  });
  return commands;
}

bool PlayerWindow::Impl::handle(const SDL_Event& event, std::vector<KeyCommand>& commands) {
  switch (event.type) {
    case SDL_QUIT: commands.push_back(KeyCommand::kQuit); return true;
    case SDL_RENDER_TARGETS_RESET:
    case SDL_RENDER_DEVICE_RESET:
      texture_.reset();
      preview_texture_.reset();
      fresh_ = picture_.has_value();
      fresh_preview_ = preview_.has_value();
      return true;
    case SDL_MOUSEMOTION:
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP: return handle_mouse(event, commands);
    case SDL_MOUSEWHEEL:
      if (!shell_->gui().wants_mouse() && event.wheel.y != 0) {
        commands.push_back(event.wheel.y > 0 ? KeyCommand::kLouder : KeyCommand::kSofter);
      }
      return true;
    case SDL_KEYDOWN:
      bar_.touch(steady_now());
      handle_key(event.key, commands);
      return true;
    case SDL_WINDOWEVENT:
      if (event.window.event == SDL_WINDOWEVENT_CLOSE) commands.push_back(KeyCommand::kQuit);
      if (event.window.event == SDL_WINDOWEVENT_LEAVE) {
        toolbar_.leave();
        bar_.leave();
      }
      return true;
    default: return true;
  }
}

bool PlayerWindow::Impl::handle_mouse(const SDL_Event& event, std::vector<KeyCommand>& commands) {
  const Timestamp now = steady_now();
  const media::PictureSize size = shell_->size();
  if (event.type == SDL_MOUSEMOTION) {
    const bool of_bar = bar_.point(event.motion.x, event.motion.y, size, now);
    const bool of_toolbar = toolbar_.point(event.motion.x, event.motion.y, now);
    // A mouse reports a thousand times a second; only a drag needs a drawing of its own, and what
    // looks another way.
    return bar_.touch(now) || of_bar || of_toolbar || event.motion.state != 0;
  }
  const bool bar_seen = bar_.seen(now);
  bar_.touch(now);
  if (event.button.button != SDL_BUTTON_LEFT) return true;
  if (event.type == SDL_MOUSEBUTTONUP) {
    if (const auto place = bar_.release()) {
      sought_ = *place;
      commands.push_back(KeyCommand::kSeek);
    }
    if (event.button.which == SDL_TOUCH_MOUSEID) bar_.leave();  // the finger is nowhere now
    return true;
  }
  if (shell_->gui().wants_mouse()) return true;
  // A finger on a bare picture brings the bar, and does nothing else.
  if (bar_seen && bar_.press(event.button.x, event.button.y, size, now)) return true;
  if (const auto action = toolbar_.press(event.button.x, event.button.y, now)) {
    act(*action, commands);
  } else if (event.button.clicks == 2) {
    shell_->set_fullscreen(!shell_->fullscreen());
  }
  return true;
}

void PlayerWindow::Impl::handle_key(const SDL_KeyboardEvent& key,
                                    std::vector<KeyCommand>& commands) {
  const KeyAction action = action_of(KeySet::kPlayer, key.keysym.sym, key.keysym.mod);
  if (key.repeat == 0 || repeats(action)) act(action, commands);
}

void PlayerWindow::Impl::act(KeyAction action, std::vector<KeyCommand>& commands) {
  switch (action) {
    case KeyAction::kToggleOverlay: overlay_ = !overlay_; break;
    case KeyAction::kToggleHelp: help_ = !help_; break;
    case KeyAction::kToggleFullscreen: shell_->set_fullscreen(!shell_->fullscreen()); break;
    case KeyAction::kPause: commands.push_back(KeyCommand::kPause); break;
    case KeyAction::kBack10: commands.push_back(KeyCommand::kBack10); break;
    case KeyAction::kForward10: commands.push_back(KeyCommand::kForward10); break;
    case KeyAction::kBack60: commands.push_back(KeyCommand::kBack60); break;
    case KeyAction::kForward60: commands.push_back(KeyCommand::kForward60); break;
    case KeyAction::kBegin: commands.push_back(KeyCommand::kBegin); break;
    case KeyAction::kFaster: commands.push_back(KeyCommand::kFaster); break;
    case KeyAction::kSlower: commands.push_back(KeyCommand::kSlower); break;
    case KeyAction::kNormalSpeed: commands.push_back(KeyCommand::kNormalSpeed); break;
    case KeyAction::kNextSpeed: commands.push_back(KeyCommand::kNextSpeed); break;
    case KeyAction::kLayers: commands.push_back(KeyCommand::kLayers); break;
    case KeyAction::kScreenshot: commands.push_back(KeyCommand::kScreenshot); break;
    case KeyAction::kLeave:
      if (shell_->fullscreen()) {
        shell_->set_fullscreen(false);
      } else {
        commands.push_back(KeyCommand::kQuit);
      }
      break;
    case KeyAction::kQuit: commands.push_back(KeyCommand::kQuit); break;
    case KeyAction::kSilence: commands.push_back(KeyCommand::kSilence); break;
    case KeyAction::kLouder: commands.push_back(KeyCommand::kLouder); break;
    case KeyAction::kSofter: commands.push_back(KeyCommand::kSofter); break;
    default: break;  // a call's
  }
}

void PlayerWindow::Impl::show(const media::VideoFrame& picture, media::PictureSize nominal) {
  if (!picture_) shell_->fit_to(nominal);
  picture_ = picture;
  nominal_ = nominal;
  fresh_ = true;
}

// The same one again is no news; that there is none any more, the scene says.
void PlayerWindow::Impl::show_preview(std::optional<media::VideoFrame> picture) {
  const bool same = picture && preview_ && picture->owner == preview_->owner;
  fresh_preview_ = (same && fresh_preview_) || (picture && !same);
  preview_ = std::move(picture);
  if (!preview_) preview_texture_.forget_frame();
}

// At the drawing, not at show(): of two pictures in a turn the first need not travel.
void PlayerWindow::Impl::upload_picture() {
  if (std::exchange(fresh_preview_, false) && !preview_texture_.upload(*preview_)) preview_.reset();
  if (!fresh_) return;
  fresh_ = false;
  const auto uploaded = texture_.upload(*picture_);
  fault_ = uploaded ? std::string() : uploaded.error().message;
}

// What is seen for a while after its change.
void PlayerWindow::Impl::note_changes(const OverlayModel& model, Timestamp now) {
  if (std::exchange(volume_, model.volume) != model.volume) volume_until_ = now + kChangeShown;
  if (std::exchange(speed_, model.speed) != model.speed) speed_until_ = now + kChangeShown;
  ends_.reset();
  note_end(toolbar_.end(now));
  note_end(bar_.end(now));
  if (now < volume_until_) note_end(volume_until_);
  if (now < speed_until_) note_end(speed_until_);
}

void PlayerWindow::Impl::note_end(std::optional<Timestamp> end) {
  if (end) ends_ = ends_ ? std::min(*ends_, *end) : *end;
}

PlayerScene PlayerWindow::Impl::scene_of(const OverlayModel& model, Timestamp now) const {
  const bool toolbar_seen = toolbar_.seen(now);
  const bool bar_seen = bar_.seen(now);
  return {.waiting = texture_.empty(),
          .status = fault_.empty() ? model.status : fault_,
          .stored = model.progress.has_value(),
          .progress = bar_seen ? model.progress : std::nullopt,
          .pointed = bar_.pointed(),
          .preview = preview_.has_value(),
          .pause_sign = model.paused && !toolbar_seen,
          .volume = now < volume_until_ ? std::optional(model.volume) : std::nullopt,
          .speed = now < speed_until_ ? std::optional(model.speed) : std::nullopt,
          .buttons = {.paused = model.paused,
                      .silenced = model.silenced,
                      .statistics = overlay_,
                      .fullscreen = shell_->fullscreen(),
                      .speed = model.speed,
                      .has_layers = model.has_layers,
                      .base_alone = model.base_alone},
          .toolbar_seen = toolbar_seen,
          .hovered = toolbar_.hovered(),
          .help = help_,
          .overlay = overlay_ ? model : OverlayModel(),
          .output = shell_->output_size()};
}

void PlayerWindow::Impl::draw_toolbar(float above) {
  const PlayerScene& scene = drawn_.scene();
  const PlayerButtons& buttons = scene.buttons;
  shell_->set_clickable(scene.toolbar_seen || scene.pointed.has_value());
  toolbar_.place(player_actions(scene.stored, buttons.has_layers),
                 scene.toolbar_seen ? shell_->size() : media::PictureSize{},
                 static_cast<int>(std::ceil(above)));
  toolbar_.draw({.icon = [&](KeyAction action, const Box& box) { draw_icon(action, buttons, box); },
                 .tooltip = [&](KeyAction action) { return tooltip_of(action, buttons); }});
}

// Above the bar and the buttons, where the mouse points at a place of the video.
void PlayerWindow::Impl::draw_preview(float above) {
  preview_place_ = {};
  const auto place = bar_.pointed();
  if (!place) return;
  const media::PictureSize window = shell_->size();
  const float x = bar_.x_of(*place, window);
  const Rectangle buttons = toolbar_.area();
  const int below =
      buttons.empty() ? static_cast<int>(std::ceil(above)) : window.height - buttons.y;
  if (preview_) preview_place_ = place_preview(preview_->size, x, window, below);
  if (preview_place_.empty()) return draw_preview_text(x, window, below, place_text(*place));
  draw_preview_frame(preview_place_, place_text(*place));
}

WindowShell::Pictures PlayerWindow::Impl::picture_drawing() {
  return [this](media::PictureSize output) {
    texture_.draw(fit(nominal_, output));
    const media::PictureSize units = shell_->size();
    if (preview_place_.empty() || units.width <= 0 || units.height <= 0) return;
    const auto pixels = [](int at, int of, int in) {
      return static_cast<int>(std::int64_t{at} * of / in);
    };
    preview_texture_.draw({pixels(preview_place_.x, output.width, units.width),
                           pixels(preview_place_.y, output.height, units.height),
                           pixels(preview_place_.width, output.width, units.width),
                           pixels(preview_place_.height, output.height, units.height)});
  };
}

std::optional<Timestamp> PlayerWindow::Impl::draw(const OverlayModel& model) {
  const media::PictureSize size = shell_->output_size();
  if (size.width <= 0 || size.height <= 0) return std::nullopt;
  const bool due = std::exchange(handled_, false) || fresh_ || fresh_preview_ || shell_->settling();
  upload_picture();
  const Timestamp now = steady_now();
  bar_.set(model.progress, model.paused);
  if (toolbar_.seen(now)) bar_.touch(now);  // the buttons stand on it
  note_changes(model, now);
  if (!drawn_.is_news(scene_of(model, now), due, overlay_ || help_)) return std::nullopt;
  shell_->gui().frame([&] { draw_scene(now); });
  shell_->present(picture_drawing());
  return steady_now();
}

void PlayerWindow::Impl::draw_scene(Timestamp now) {
  const PlayerScene& scene = drawn_.scene();
  if (scene.waiting) draw_waiting(tr("waiting for video..."));
  const float bar = bar_.height(now);
  if (!scene.status.empty()) draw_banner(scene.status, bar);
  bar_.draw(now);
  if (scene.pause_sign) draw_pause_sign();
  const auto width = static_cast<float>(shell_->size().width);
  draw_volume_pill(scene, width);
  draw_speed_pill(scene, width);
  draw_toolbar(bar + banner_height(scene.status));
  draw_preview(bar + banner_height(scene.status));
  if (overlay_) draw_overlay(scene.overlay);
  if (help_) draw_help(KeySet::kPlayer);
}

Result<std::string> PlayerWindow::Impl::screenshot(const std::string& path) {
  return shell_->screenshot(path, picture_drawing());
}

Result<std::unique_ptr<PlayerWindow>> PlayerWindow::open(const WindowOptions& options) {
  auto shell = WindowShell::open(options);
  if (!shell) return shell.error();
  return std::unique_ptr<PlayerWindow>(
      new PlayerWindow(std::make_unique<Impl>(*std::move(shell), options.show_overlay)));
}

PlayerWindow::PlayerWindow(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PlayerWindow::~PlayerWindow() = default;

std::vector<KeyCommand> PlayerWindow::wait(Duration at_most) { return impl_->wait(at_most); }
Duration PlayerWindow::sought() const { return impl_->sought(); }
std::optional<Duration> PlayerWindow::pointed() const { return impl_->pointed(); }
void PlayerWindow::show_preview(std::optional<media::VideoFrame> picture) {
  impl_->show_preview(std::move(picture));
}
void PlayerWindow::wake() { impl_->wake(); }
void PlayerWindow::show(const media::VideoFrame& picture, media::PictureSize nominal) {
  impl_->show(picture, nominal);
}
std::optional<Timestamp> PlayerWindow::draw(const OverlayModel& model) {
  return impl_->draw(model);
}
Result<std::string> PlayerWindow::screenshot(const std::string& path) {
  return impl_->screenshot(path);
}

}  // namespace qvid::ui
