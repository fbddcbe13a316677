#include "ui/player_window.h"

#include <SDL.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "media/image_file.h"
#include "ui/aspect.h"
#include "ui/gui.h"
#include "ui/keys.h"
#include "ui/notices.h"
#include "ui/progress_bar.h"
#include "ui/sdl_handles.h"
#include "ui/sdl_video.h"
#include "ui/video_texture.h"

namespace qvid::ui {
namespace {

constexpr media::PictureSize kMinWindow{320, 180};  // the help still fits
constexpr int kTurnsToSettle = 3;                   // ImGui: measure, place, draw
constexpr Duration kSettleTurn = 16ms;
constexpr Duration kLongestWait = 1h;  // so that milliseconds fit SDL's int

Error no_window() {
  return {std::string("no window can be opened (") + SDL_GetError() +
          "). Run it in a desktop session, with DISPLAY or WAYLAND_DISPLAY set, or without a "
          "window: --headless"};
}

// As large as the picture, or as what the display has room for.
media::PictureSize initial_size(media::PictureSize wanted) {
  if (wanted.width <= 0 || wanted.height <= 0) wanted = {640, 360};
  SDL_Rect room{};
  if (SDL_GetDisplayUsableBounds(0, &room) == 0 &&
      (wanted.width > room.w || wanted.height > room.h)) {
    const Rectangle fitting = fit(wanted, {room.w, room.h});
    if (!fitting.empty()) wanted = {fitting.width, fitting.height};
  }
  return {std::max(wanted.width, kMinWindow.width), std::max(wanted.height, kMinWindow.height)};
}

Uint32 fullscreen_flag(bool on) { return on ? Uint32{SDL_WINDOW_FULLSCREEN_DESKTOP} : 0; }

int to_sdl_ms(Duration d) {
  const Duration bounded = std::clamp(d, Duration::zero(), kLongestWait);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(bounded).count());
}

}  // namespace

class PlayerWindow::Impl {
 public:
  explicit Impl(const WindowOptions& options) : overlay_(options.show_overlay) {
    if (!video_.ok()) return;
    wake_event_ = SDL_RegisterEvents(1);
    const media::PictureSize size = initial_size(options.size);
    const Uint32 flags =
        SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | fullscreen_flag(options.fullscreen);
    window_.reset(SDL_CreateWindow(options.title.c_str(), SDL_WINDOWPOS_UNDEFINED,
                                   SDL_WINDOWPOS_UNDEFINED, size.width, size.height, flags));
    if (!window_) return;
    SDL_SetWindowMinimumSize(window_.get(), kMinWindow.width, kMinWindow.height);
    // -1 and no flags: the first renderer that works; the last that SDL tries is the software one.
    renderer_.reset(SDL_CreateRenderer(window_.get(), -1, 0));
    if (!renderer_) return;
    gui_.emplace(*window_, *renderer_);
    texture_.emplace(*renderer_);
    fullscreen_ = options.fullscreen;
    SDL_ShowCursor(fullscreen_ ? SDL_DISABLE : SDL_ENABLE);
    SDL_DisableScreenSaver();
  }
  bool ok() const { return gui_.has_value() && wake_event_ != ~Uint32{0}; }

  std::vector<KeyCommand> wait(Duration at_most);
  void wake();
  Duration sought() const { return sought_; }
  void show(const media::VideoFrame& picture, media::PictureSize nominal);
  void draw(const OverlayModel& model);
  Result<std::string> screenshot(const std::string& path);

 private:
  // True: the app shall have its turn now.
  bool handle(const SDL_Event& event, std::vector<KeyCommand>& commands);
  bool handle_key(const SDL_Keysym& key, std::vector<KeyCommand>& commands);
  bool handle_mouse(const SDL_Event& event, std::vector<KeyCommand>& commands);
  media::PictureSize size() const;  // in units of the mouse
  void set_fullscreen(bool on);
  media::PictureSize output_size() const;  // in pixels; no area where there is nothing to draw on
  void fit_to(media::PictureSize nominal);
  void upload_picture();
  void compose();

  SdlVideo video_;
  WindowHandle window_;
  RendererHandle renderer_;
  std::optional<Gui> gui_;
  std::optional<VideoTexture> texture_;

  std::optional<media::VideoFrame> picture_;  // kept for when the device loses its textures
  media::PictureSize nominal_;
  bool fresh_ = false;  // picture_ is not in texture_ yet
  std::string fault_;   // why the picture cannot be shown; empty: it can

  ProgressBar bar_;
  Duration sought_{};
  bool overlay_ = false;
  bool help_ = false;
  bool fullscreen_ = false;
  int turns_to_settle_ = kTurnsToSettle;

  Uint32 wake_event_ = ~Uint32{0};
  std::atomic<bool> woken_ = false;  // a wake event is in SDL's queue, or about to be
};

std::vector<KeyCommand> PlayerWindow::Impl::wait(Duration at_most) {
  at_most = std::clamp(at_most, Duration::zero(), kLongestWait);
  if (turns_to_settle_ > 0) {
    --turns_to_settle_;
    at_most = std::min(at_most, kSettleTurn);
  }
  const Timestamp until = steady_now() + at_most;
  std::vector<KeyCommand> commands;
  bool turn = false;
  SDL_Event event;
  do {
    if (SDL_WaitEventTimeout(&event, to_sdl_ms(until - steady_now())) == 0) continue;
    do {
      if (handle(event, commands)) turn = true;
    } while (SDL_PollEvent(&event) != 0);
  } while (!turn && steady_now() < until);  // SDL's own clock may end up to a millisecond early
  return commands;
}

void PlayerWindow::Impl::wake() {
  if (woken_.exchange(true)) return;
  SDL_Event event{};
  event.type = wake_event_;
  if (SDL_PushEvent(&event) != 1) woken_ = false;  // full or shutting down; the next may succeed
}

bool PlayerWindow::Impl::handle(const SDL_Event& event, std::vector<KeyCommand>& commands) {
  if (event.type == wake_event_) {
    woken_.exchange(false);  // before the app looks, so that what comes later wakes again
    return true;
  }
  gui_->handle(event);
  switch (event.type) {
    case SDL_QUIT: commands.push_back(KeyCommand::kQuit); return true;
    case SDL_RENDER_TARGETS_RESET:
    case SDL_RENDER_DEVICE_RESET:
      texture_->reset();
      gui_->reload_textures();
      fresh_ = picture_.has_value();
      return true;
    case SDL_MOUSEMOTION:
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP: return handle_mouse(event, commands);
    case SDL_KEYDOWN:
      turns_to_settle_ = kTurnsToSettle;
      bar_.touch(steady_now());
      return event.key.repeat != 0 || handle_key(event.key.keysym, commands);
    case SDL_WINDOWEVENT:
      if (event.window.event == SDL_WINDOWEVENT_CLOSE) commands.push_back(KeyCommand::kQuit);
      turns_to_settle_ = kTurnsToSettle;
      return true;
    default: return true;
  }
}

bool PlayerWindow::Impl::handle_mouse(const SDL_Event& event, std::vector<KeyCommand>& commands) {
  const Timestamp now = steady_now();
  if (event.type == SDL_MOUSEMOTION) {
    bar_.drag(event.motion.x, size());
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
  if (gui_->wants_mouse() || bar_.press(event.button.x, event.button.y, size(), now)) return true;
  if (event.button.clicks == 2) set_fullscreen(!fullscreen_);
  return true;
}

media::PictureSize PlayerWindow::Impl::size() const {
  media::PictureSize size;
  SDL_GetWindowSize(window_.get(), &size.width, &size.height);
  return size;
}

bool PlayerWindow::Impl::handle_key(const SDL_Keysym& key, std::vector<KeyCommand>& commands) {
  switch (action_of(key.sym, key.mod)) {
    case KeyAction::kNone: break;
    case KeyAction::kToggleOverlay: overlay_ = !overlay_; break;
    case KeyAction::kToggleHelp: help_ = !help_; break;
    case KeyAction::kToggleFullscreen: set_fullscreen(!fullscreen_); break;
    case KeyAction::kPause: commands.push_back(KeyCommand::kPause); break;
    case KeyAction::kBack10: commands.push_back(KeyCommand::kBack10); break;
    case KeyAction::kForward10: commands.push_back(KeyCommand::kForward10); break;
    case KeyAction::kBack60: commands.push_back(KeyCommand::kBack60); break;
    case KeyAction::kForward60: commands.push_back(KeyCommand::kForward60); break;
    case KeyAction::kBegin: commands.push_back(KeyCommand::kBegin); break;
    case KeyAction::kScreenshot: commands.push_back(KeyCommand::kScreenshot); break;
    case KeyAction::kLeave:
      if (fullscreen_) {
        set_fullscreen(false);
      } else {
        commands.push_back(KeyCommand::kQuit);
      }
      break;
    case KeyAction::kQuit: commands.push_back(KeyCommand::kQuit); break;
  }
  return true;
}

void PlayerWindow::Impl::set_fullscreen(bool on) {
  if (SDL_SetWindowFullscreen(window_.get(), fullscreen_flag(on)) != 0) return;
  fullscreen_ = on;
  SDL_ShowCursor(on ? SDL_DISABLE : SDL_ENABLE);
}

media::PictureSize PlayerWindow::Impl::output_size() const {
  if ((SDL_GetWindowFlags(window_.get()) & (SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN)) != 0) {
    return {};
  }
  media::PictureSize size;
  if (SDL_GetRendererOutputSize(renderer_.get(), &size.width, &size.height) != 0) return {};
  return size;
}

// The first picture: the window takes its shape, unless it fills the screen.
void PlayerWindow::Impl::fit_to(media::PictureSize nominal) {
  if (fullscreen_ || (SDL_GetWindowFlags(window_.get()) & SDL_WINDOW_MAXIMIZED) != 0) return;
  const media::PictureSize size = initial_size(nominal);
  SDL_SetWindowSize(window_.get(), size.width, size.height);
  // It must not grow over the display's edge.
  SDL_SetWindowPosition(window_.get(), SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED);
}

void PlayerWindow::Impl::show(const media::VideoFrame& picture, media::PictureSize nominal) {
  if (!picture_) fit_to(nominal);
  picture_ = picture;
  nominal_ = nominal;
  fresh_ = true;
}

// At the drawing, not at show(): of two pictures in a turn the first need not travel.
void PlayerWindow::Impl::upload_picture() {
  if (!fresh_) return;
  fresh_ = false;
  const auto uploaded = texture_->upload(*picture_);
  fault_ = uploaded ? std::string() : uploaded.error().message;
}

void PlayerWindow::Impl::compose() {
  SDL_SetRenderDrawColor(renderer_.get(), 18, 18, 20, SDL_ALPHA_OPAQUE);
  SDL_RenderClear(renderer_.get());
  media::PictureSize output;
  SDL_GetRendererOutputSize(renderer_.get(), &output.width, &output.height);
  texture_->draw(fit(nominal_, output));
  gui_->render();
}

void PlayerWindow::Impl::draw(const OverlayModel& model) {
  const media::PictureSize size = output_size();
  if (size.width <= 0 || size.height <= 0) return;
  upload_picture();
  const Timestamp now = steady_now();
  bar_.set(model.progress, model.paused);
  gui_->begin_frame();
  if (texture_->empty()) draw_waiting();
  if (const std::string& status = fault_.empty() ? model.status : fault_; !status.empty()) {
    draw_banner(status, bar_.height(now));
  }
  bar_.draw(now);
  if (model.paused) draw_pause_sign();
  if (overlay_) draw_overlay(model);
  if (help_) draw_help();
  gui_->end_frame();
  compose();
  SDL_RenderPresent(renderer_.get());
}

// Drawn once more, into a texture: after the presentation the window's own pixels are undefined,
// and other windows may cover them.
Result<std::string> PlayerWindow::Impl::screenshot(const std::string& path) {
  const auto failed = [&] { return Error{"no screenshot " + path + ": " + SDL_GetError()}; };
  const media::PictureSize size = output_size();
  if (size.width <= 0 || size.height <= 0) {
    return Error{"no screenshot " + path + ": the window is minimised"};
  }
  const TextureHandle target(SDL_CreateTexture(renderer_.get(), SDL_PIXELFORMAT_RGBA32,
                                               SDL_TEXTUREACCESS_TARGET, size.width, size.height));
  if (!target || SDL_SetRenderTarget(renderer_.get(), target.get()) != 0) return failed();
  compose();
  const int stride = size.width * 3;
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(stride) *
                                static_cast<std::size_t>(size.height));
  const bool read = SDL_RenderReadPixels(renderer_.get(), nullptr, SDL_PIXELFORMAT_RGB24,
                                         rgb.data(), stride) == 0;
  SDL_SetRenderTarget(renderer_.get(), nullptr);
  if (!read) return failed();
  if (const auto written = media::write_png_rgb(size, stride, rgb.data(), path); !written) {
    return written.error();
  }
  return path;
}

Result<std::unique_ptr<PlayerWindow>> PlayerWindow::open(const WindowOptions& options) {
  auto impl = std::make_unique<Impl>(options);
  if (!impl->ok()) return no_window();
  return std::unique_ptr<PlayerWindow>(new PlayerWindow(std::move(impl)));
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
