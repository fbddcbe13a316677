#include "ui/player_window.h"

#include <SDL.h>

#include <optional>
#include <utility>

#include "base/clock.h"
#include "ui/aspect.h"
#include "ui/keys.h"
#include "ui/notices.h"
#include "ui/progress_bar.h"
#include "ui/video_texture.h"
#include "ui/window_shell.h"

namespace qvid::ui {

class PlayerWindow::Impl {
 public:
  Impl(std::unique_ptr<WindowShell> shell, bool show_overlay)
      : shell_(std::move(shell)), texture_(shell_->renderer()), overlay_(show_overlay) {}

  std::vector<KeyCommand> wait(Duration at_most);
  void wake() { shell_->wake(); }
  Duration sought() const { return sought_; }
  void show(const media::VideoFrame& picture, media::PictureSize nominal);
  void draw(const OverlayModel& model);
  Result<std::string> screenshot(const std::string& path);

 private:
  // True: the app shall have its turn now.
  bool handle(const SDL_Event& event, std::vector<KeyCommand>& commands);
  bool handle_key(const SDL_Keysym& key, std::vector<KeyCommand>& commands);
  bool handle_mouse(const SDL_Event& event, std::vector<KeyCommand>& commands);
  void upload_picture();
  WindowShell::Pictures picture_drawing() const;

  std::unique_ptr<WindowShell> shell_;
  VideoTexture texture_;

  std::optional<media::VideoFrame> picture_;  // kept for when the device loses its textures
  media::PictureSize nominal_;
  bool fresh_ = false;  // picture_ is not in texture_ yet
  std::string fault_;   // why the picture cannot be shown; empty: it can

  ProgressBar bar_;
  Duration sought_{};
  bool overlay_ = false;
  bool help_ = false;
};

std::vector<KeyCommand> PlayerWindow::Impl::wait(Duration at_most) {
  std::vector<KeyCommand> commands;
  shell_->wait(at_most, [&](const SDL_Event& event) { return handle(event, commands); });
  return commands;
}

bool PlayerWindow::Impl::handle(const SDL_Event& event, std::vector<KeyCommand>& commands) {
  switch (event.type) {
    case SDL_QUIT: commands.push_back(KeyCommand::kQuit); return true;
    case SDL_RENDER_TARGETS_RESET:
    case SDL_RENDER_DEVICE_RESET:
      texture_.reset();
      fresh_ = picture_.has_value();
      return true;
    case SDL_MOUSEMOTION:
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP: return handle_mouse(event, commands);
    case SDL_KEYDOWN:
      bar_.touch(steady_now());
      return event.key.repeat != 0 || handle_key(event.key.keysym, commands);
    case SDL_WINDOWEVENT:
      if (event.window.event == SDL_WINDOWEVENT_CLOSE) commands.push_back(KeyCommand::kQuit);
      return true;
    default: return true;
  }
}

bool PlayerWindow::Impl::handle_mouse(const SDL_Event& event, std::vector<KeyCommand>& commands) {
  const Timestamp now = steady_now();
  const media::PictureSize size = shell_->size();
  if (event.type == SDL_MOUSEMOTION) {
    bar_.drag(event.motion.x, size);
    // A mouse reports a thousand times a second; only a drag needs a drawing of its own, and the
    // bar's appearance.
    return bar_.touch(now) || event.motion.state != 0;
  }
  bar_.touch(now);
  if (event.button.button != SDL_BUTTON_LEFT) return true;
  if (event.type == SDL_MOUSEBUTTONUP) {
    if (const auto place = bar_.release()) {
      sought_ = *place;
      commands.push_back(KeyCommand::kSeek);
    }
    return true;
  }
  if (shell_->gui().wants_mouse() || bar_.press(event.button.x, event.button.y, size, now)) {
    return true;
  }
  if (event.button.clicks == 2) shell_->set_fullscreen(!shell_->fullscreen());
  return true;
}

bool PlayerWindow::Impl::handle_key(const SDL_Keysym& key, std::vector<KeyCommand>& commands) {
  switch (action_of(KeySet::kPlayer, key.sym, key.mod)) {
    case KeyAction::kToggleOverlay: overlay_ = !overlay_; break;
    case KeyAction::kToggleHelp: help_ = !help_; break;
    case KeyAction::kToggleFullscreen: shell_->set_fullscreen(!shell_->fullscreen()); break;
    case KeyAction::kPause: commands.push_back(KeyCommand::kPause); break;
    case KeyAction::kBack10: commands.push_back(KeyCommand::kBack10); break;
    case KeyAction::kForward10: commands.push_back(KeyCommand::kForward10); break;
    case KeyAction::kBack60: commands.push_back(KeyCommand::kBack60); break;
    case KeyAction::kForward60: commands.push_back(KeyCommand::kForward60); break;
    case KeyAction::kBegin: commands.push_back(KeyCommand::kBegin); break;
    case KeyAction::kScreenshot: commands.push_back(KeyCommand::kScreenshot); break;
    case KeyAction::kLeave:
      if (shell_->fullscreen()) {
        shell_->set_fullscreen(false);
      } else {
        commands.push_back(KeyCommand::kQuit);
      }
      break;
    case KeyAction::kQuit: commands.push_back(KeyCommand::kQuit); break;
    default: break;  // a call's
  }
  return true;
}

void PlayerWindow::Impl::show(const media::VideoFrame& picture, media::PictureSize nominal) {
  if (!picture_) shell_->fit_to(nominal);
  picture_ = picture;
  nominal_ = nominal;
  fresh_ = true;
}

// At the drawing, not at show(): of two pictures in a turn the first need not travel.
void PlayerWindow::Impl::upload_picture() {
  if (!fresh_) return;
  fresh_ = false;
  const auto uploaded = texture_.upload(*picture_);
  fault_ = uploaded ? std::string() : uploaded.error().message;
}

WindowShell::Pictures PlayerWindow::Impl::picture_drawing() const {
  return [this](media::PictureSize output) { texture_.draw(fit(nominal_, output)); };
}

void PlayerWindow::Impl::draw(const OverlayModel& model) {
  const media::PictureSize size = shell_->output_size();
  if (size.width <= 0 || size.height <= 0) return;
  upload_picture();
  const Timestamp now = steady_now();
  bar_.set(model.progress, model.paused);
  shell_->gui().begin_frame();
  if (texture_.empty()) draw_waiting("waiting for video...");
  if (const std::string& status = fault_.empty() ? model.status : fault_; !status.empty()) {
    draw_banner(status, bar_.height(now));
  }
  bar_.draw(now);
  if (model.paused) draw_pause_sign();
  if (overlay_) draw_overlay(model);
  if (help_) draw_help(KeySet::kPlayer);
  shell_->gui().end_frame();
  shell_->present(picture_drawing());
}

Result<std::string> PlayerWindow::Impl::screenshot(const std::string& path) {
  return shell_->screenshot(path, picture_drawing());
}

Result<std::unique_ptr<PlayerWindow>> PlayerWindow::open(const WindowOptions& options) {
  auto shell = WindowShell::open(options, WindowShell::Cursor::kHiddenInFullScreen);
  if (!shell) return shell.error();
  return std::unique_ptr<PlayerWindow>(
      new PlayerWindow(std::make_unique<Impl>(*std::move(shell), options.show_overlay)));
}

PlayerWindow::PlayerWindow(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PlayerWindow::~PlayerWindow() = default;

std::vector<KeyCommand> PlayerWindow::wait(Duration at_most) { return impl_->wait(at_most); }
Duration PlayerWindow::sought() const { return impl_->sought(); }
void PlayerWindow::wake() { impl_->wake(); }
void PlayerWindow::show(const media::VideoFrame& picture, media::PictureSize nominal) {
  impl_->show(picture, nominal);
}
void PlayerWindow::draw(const OverlayModel& model) { impl_->draw(model); }
Result<std::string> PlayerWindow::screenshot(const std::string& path) {
  return impl_->screenshot(path);
}

}  // namespace qvid::ui
