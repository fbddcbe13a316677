#include "ui/window/window_shell.h"

#include <SDL.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "media/picture/image_file.h"
#include "ui/window/aspect.h"
#include "ui/window/colors.h"
#include "ui/window/renderer.h"

namespace qvid::ui {
namespace {

constexpr media::PictureSize kMinWindow{320, 180};  // names and the bar can still be read
constexpr int kTurnsToSettle = 3;                   // ImGui: measure, place, draw
constexpr Duration kSettleTurn = 16ms;
constexpr Duration kLongestWait = 1h;  // so that milliseconds fit SDL's int

Error no_window() {
  return {std::string("no window can be opened (") + SDL_GetError() +
          "). Run it in a desktop session, with DISPLAY or WAYLAND_DISPLAY set, or without a "
          "window: --headless"};
}

// A display of so many dots an inch is meant for an interface that is larger: whole factors, as
// desktops choose them. Where SDL's window has units of its own that has been done.
constexpr float kDotsPerInch = 96;

float scale_of_display(SDL_Window& window, SDL_Renderer& renderer) {
  int pixels = 0;
  int units = 0;
  float dots = 0;
  SDL_GetRendererOutputSize(&renderer, &pixels, nullptr);
  SDL_GetWindowSize(&window, &units, nullptr);
  const int display = std::max(SDL_GetWindowDisplayIndex(&window), 0);
  if (pixels > units || SDL_GetDisplayDPI(display, nullptr, nullptr, &dots) != 0) return 1;
  return std::clamp(std::floor(dots / kDotsPerInch), 1.0f, kMostScale);
}

media::PictureSize scaled(media::PictureSize size, float by) {
  return {static_cast<int>(std::lround(static_cast<float>(size.width) * by)),
          static_cast<int>(std::lround(static_cast<float>(size.height) * by))};
}

// As large as the picture, or as what the display has room for; in units of SDL's window.
media::PictureSize initial_size(media::PictureSize wanted, float scale) {
  if (wanted.width <= 0 || wanted.height <= 0) wanted = {640, 360};
  wanted = scaled(wanted, scale);
  SDL_Rect room{};
  if (SDL_GetDisplayUsableBounds(0, &room) == 0 &&
      (wanted.width > room.w || wanted.height > room.h)) {
    const Rectangle fitting = fit(wanted, {room.w, room.h});
    if (!fitting.empty()) wanted = {fitting.width, fitting.height};
  }
  const media::PictureSize least = scaled(kMinWindow, scale);
  return {std::max(wanted.width, least.width), std::max(wanted.height, least.height)};
}

Uint32 fullscreen_flag(bool on) { return on ? Uint32{SDL_WINDOW_FULLSCREEN_DESKTOP} : 0; }

int to_sdl_ms(Duration d) {
  const Duration bounded = std::clamp(d, Duration::zero(), kLongestWait);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(bounded).count());
}

// One a turn: ImGui before 1.87 knows what is down when it draws, and would not see what goes up
// before, or down again. The text of a key is of its turn: what the key opens does not get it.
bool is_stroke(const SDL_Event& event) {
  return event.type == SDL_KEYDOWN || event.type == SDL_KEYUP ||
         event.type == SDL_MOUSEBUTTONDOWN || event.type == SDL_MOUSEBUTTONUP;
}

bool another_stroke_waits() {
  SDL_Event next;
  SDL_PumpEvents();
  return SDL_PeepEvents(&next, 1, SDL_PEEKEVENT, SDL_FIRSTEVENT, SDL_LASTEVENT) == 1 &&
         is_stroke(next);
}

}  // namespace

WindowShell::WindowShell(const WindowOptions& options) : turns_to_settle_(kTurnsToSettle) {
  if (!video_.ok()) return;
  wake_event_ = SDL_RegisterEvents(1);
  const media::PictureSize size = initial_size(options.size, 1);
  const Uint32 flags =
      SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | fullscreen_flag(options.fullscreen);
  window_.reset(SDL_CreateWindow(options.title.c_str(), SDL_WINDOWPOS_UNDEFINED,
                                 SDL_WINDOWPOS_UNDEFINED, size.width, size.height, flags));
  if (!window_) return;
  renderer_ = open_renderer(*window_);
  if (!renderer_) return;
  scale_ = options.scale > 0 ? std::clamp(options.scale, kLeastScale, kMostScale)
                             : scale_of_display(*window_, *renderer_);
  const media::PictureSize least = scaled(kMinWindow, scale_);
  SDL_SetWindowMinimumSize(window_.get(), least.width, least.height);
  gui_.emplace(*window_, *renderer_, scale_);
  fullscreen_ = options.fullscreen;
  if (scale_ != 1) fit_to(options.size);
  show_cursor();
  SDL_DisableScreenSaver();
}

Result<std::unique_ptr<WindowShell>> WindowShell::open(const WindowOptions& options) {
  auto shell = std::unique_ptr<WindowShell>(new WindowShell(options));
  if (!shell->ok()) return no_window();
  return shell;
}

void WindowShell::wait(Duration at_most, const std::function<bool(const SDL_Event&)>& handle) {
  at_most = std::clamp(at_most, Duration::zero(), kLongestWait);
  settling_ = turns_to_settle_ > 0;
  if (settling_) {
    --turns_to_settle_;
    at_most = std::min(at_most, kSettleTurn);
  }
  const Timestamp until = steady_now() + at_most;
  bool turn = false;
  SDL_Event event;
  do {
    if (SDL_WaitEventTimeout(&event, to_sdl_ms(until - steady_now())) == 0) continue;
    bool stroke = false;
    do {
      stroke = stroke || is_stroke(event);
      to_units(event);
      if (handle_own(event) || handle(event)) turn = true;
      // What SDL has now: each look at the display's connection is a call of the system, and the next turn
      // begins with one.
    } while (!(stroke && another_stroke_waits()) &&
             SDL_PeepEvents(&event, 1, SDL_GETEVENT, SDL_FIRSTEVENT, SDL_LASTEVENT) == 1);
  } while (!turn && steady_now() < until);  // SDL's own clock may end up to a millisecond early
}

void WindowShell::to_units(SDL_Event& event) const {
  if (scale_ == 1) return;
  const auto scale = [this](int& place) {
    place = static_cast<int>(std::floor(static_cast<float>(place) / scale_));
  };
  if (event.type == SDL_MOUSEMOTION) {
    scale(event.motion.x);
    scale(event.motion.y);
  } else if (event.type == SDL_MOUSEBUTTONDOWN || event.type == SDL_MOUSEBUTTONUP) {
    scale(event.button.x);
    scale(event.button.y);
  }
}

// True: it was the shell's alone.
bool WindowShell::handle_own(const SDL_Event& event) {
  if (event.type == wake_event_) {
    woken_.exchange(false);  // before the app looks, so that what comes later wakes again
    return true;
  }
  gui_->handle(event);
  switch (event.type) {
    case SDL_RENDER_TARGETS_RESET:
    case SDL_RENDER_DEVICE_RESET: gui_->reload_textures(); break;
    case SDL_KEYDOWN:
    case SDL_WINDOWEVENT: turns_to_settle_ = kTurnsToSettle; break;
    default: break;
  }
  return false;
}

void WindowShell::wake() {
  if (woken_.exchange(true)) return;
  SDL_Event event{};
  event.type = wake_event_;
  if (SDL_PushEvent(&event) != 1) woken_ = false;  // full or shutting down; the next may succeed
}

bool WindowShell::attended() const {
  return (SDL_GetWindowFlags(window_.get()) & SDL_WINDOW_INPUT_FOCUS) != 0;
}

void WindowShell::set_title(const std::string& title) {
  SDL_SetWindowTitle(window_.get(), title.c_str());
}

void WindowShell::set_fullscreen(bool on) {
  if (SDL_SetWindowFullscreen(window_.get(), fullscreen_flag(on)) != 0) return;
  fullscreen_ = on;
  show_cursor();
}

void WindowShell::set_clickable(bool on) {
  if (std::exchange(clickable_, on) != on) show_cursor();
}

void WindowShell::show_cursor() const {
  const bool hidden = fullscreen_ && !clickable_;
  SDL_ShowCursor(hidden ? SDL_DISABLE : SDL_ENABLE);
}

void WindowShell::fit_to(media::PictureSize nominal) {
  if (fullscreen_ || (SDL_GetWindowFlags(window_.get()) & SDL_WINDOW_MAXIMIZED) != 0) return;
  const media::PictureSize size = initial_size(nominal, scale_);
  SDL_SetWindowSize(window_.get(), size.width, size.height);
  // It must not grow over the display's edge.
  SDL_SetWindowPosition(window_.get(), SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED);
}

media::PictureSize WindowShell::size() const {
  media::PictureSize size;
  SDL_GetWindowSize(window_.get(), &size.width, &size.height);
  return scaled(size, 1 / scale_);
}

media::PictureSize WindowShell::output_size() const {
  if ((SDL_GetWindowFlags(window_.get()) & (SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN)) != 0) {
    return {};
  }
  media::PictureSize size;
  if (SDL_GetRendererOutputSize(renderer_.get(), &size.width, &size.height) != 0) return {};
  return size;
}

void WindowShell::compose(const Pictures& pictures) {
  constexpr auto part = [](int shift) { return static_cast<Uint8>(kWindowGround >> shift); };
  SDL_SetRenderDrawColor(renderer_.get(), part(IM_COL32_R_SHIFT), part(IM_COL32_G_SHIFT),
                         part(IM_COL32_B_SHIFT), SDL_ALPHA_OPAQUE);
  SDL_RenderClear(renderer_.get());
  media::PictureSize output;
  SDL_GetRendererOutputSize(renderer_.get(), &output.width, &output.height);
  if (pictures) pictures(output);
  gui_->render();
}

void WindowShell::present(const Pictures& pictures) {
  compose(pictures);
  SDL_RenderPresent(renderer_.get());
}

// SDL's software renderer draws into the window's surface, and that keeps its pixels: what is not drawn
// over is as it was (SDL_GetWindowSurface).
void WindowShell::present_parts(std::span<const Rectangle> parts, Parts which) {
  const float scale = gui_->pixels_per_unit();
  if (!clips_exactly(scale) || !draws_on_processor(*renderer_)) return present(nullptr);
  std::vector<SDL_Rect> pixels;
  for (const Rectangle& part : parts) {
    if (part.empty()) continue;
    if (which == Parts::kPictures) {
      gui_->render_part_again(part);
    } else {
      gui_->render_part(part);
    }
    const auto scaled = [scale](int units) { return units * static_cast<int>(scale); };
    pixels.push_back({scaled(part.x), scaled(part.y), scaled(part.width), scaled(part.height)});
  }
  if (pixels.empty()) return;
  // Not SDL_RenderPresent, for which the server copies all of the window.
  SDL_RenderFlush(renderer_.get());
  if (SDL_UpdateWindowSurfaceRects(window_.get(), pixels.data(), static_cast<int>(pixels.size())) !=
      0) {
    SDL_RenderPresent(renderer_.get());
  }
}

// Drawn once more, into a texture: after the presentation the window's own pixels are undefined,
// and other windows may cover them.
Result<std::string> WindowShell::screenshot(const std::string& path, const Pictures& pictures) {
  const auto failed = [&] { return Error{"no screenshot " + path + ": " + SDL_GetError()}; };
  const media::PictureSize size = output_size();
  if (size.width <= 0 || size.height <= 0) {
    return Error{"no screenshot " + path + ": the window is minimised"};
  }
  const TextureHandle target(SDL_CreateTexture(renderer_.get(), SDL_PIXELFORMAT_RGBA32,
                                               SDL_TEXTUREACCESS_TARGET, size.width, size.height));
  if (!target || SDL_SetRenderTarget(renderer_.get(), target.get()) != 0) return failed();
  compose(pictures);
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

}  // namespace qvid::ui
