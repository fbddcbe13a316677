// A window under test on SDL's dummy video driver, which has no screen and no window manager. The
// environment is set before SDL is first used; where SDL was built without that driver the tests
// say so and skip.
#pragma once

#include <SDL.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "base/units.h"
#include "ui/window/toolbar.h"
#include "ui/window/window_options.h"

namespace qvid::ui {

struct Rgb {
  int r = 0;
  int g = 0;
  int b = 0;
};

// Of the only window that is open; null: there is none.
inline SDL_Renderer* renderer_of_window() {
  for (Uint32 id = 1; id < 1000; ++id) {
    if (SDL_Window* window = SDL_GetWindowFromID(id)) return SDL_GetRenderer(window);
  }
  ADD_FAILURE() << "no window";
  return nullptr;
}

// What that window shows there.
inline Rgb pixel_at(int x, int y) {
  std::array<std::uint8_t, 3> rgb{};
  const SDL_Rect where{x, y, 1, 1};
  EXPECT_EQ(
      SDL_RenderReadPixels(renderer_of_window(), &where, SDL_PIXELFORMAT_RGB24, rgb.data(), 3), 0);
  return {rgb[0], rgb[1], rgb[2]};
}

template <class Window, class Command>
class WindowTest : public testing::Test {
 protected:
  using Commands = std::vector<Command>;

  explicit WindowTest(media::PictureSize size) : size_(size) {}

  static void SetUpTestSuite() { setenv("SDL_VIDEODRIVER", "dummy", 1); }

  void SetUp() override {
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0) {
      GTEST_SKIP() << "this SDL has no dummy video driver: " << SDL_GetError();
    }
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    window_ = open({.title = "test", .size = size_});
    ASSERT_NE(window_, nullptr);
    settle();
  }
  void TearDown() override {
    window_.reset();
    EXPECT_EQ(SDL_WasInit(SDL_INIT_VIDEO), 0u);
  }

  static std::unique_ptr<Window> open(const WindowOptions& options) {
    auto opened = Window::open(options);
    if (!opened) {
      ADD_FAILURE() << opened.error().message;
      return nullptr;
    }
    return *std::move(opened);
  }
  // Takes the events of opening, and the short turns that follow them.
  void settle() {
    for (int i = 0; i < 6; ++i) window_->wait(1ms);
  }
  enum class Stroke { kPress, kRepeat, kRelease };
  static void push_key(SDL_Keycode key, SDL_Keymod modifiers, Stroke stroke = Stroke::kPress) {
    SDL_Event event{};
    const bool up = stroke == Stroke::kRelease;
    event.type = up ? SDL_KEYUP : SDL_KEYDOWN;
    event.key.state = up ? SDL_RELEASED : SDL_PRESSED;
    event.key.repeat = stroke == Stroke::kRepeat ? 1 : 0;
    event.key.keysym.sym = key;
    event.key.keysym.scancode = SDL_GetScancodeFromKey(key);
    event.key.keysym.mod = static_cast<Uint16>(modifiers);
    ASSERT_EQ(SDL_PushEvent(&event), 1);
  }
  // In the middle of a button, if it is one of those.
  static void push_press(std::span<const ToolbarButton> buttons, KeyAction action) {
    const auto button = std::ranges::find(buttons, action, &ToolbarButton::action);
    if (button == buttons.end()) return;
    SDL_Event event{};
    event.type = SDL_MOUSEBUTTONDOWN;
    event.button.button = SDL_BUTTON_LEFT;
    event.button.clicks = 1;
    event.button.x = button->place.x + button->place.width / 2;
    event.button.y = button->place.y + button->place.height / 2;
    ASSERT_EQ(SDL_PushEvent(&event), 1);
  }
  Commands after(SDL_Keycode key, SDL_Keymod modifiers = KMOD_NONE,
                 Stroke stroke = Stroke::kPress) {
    push_key(key, modifiers, stroke);
    return window_->wait(1s);
  }
  Commands after_repeat(SDL_Keycode key) { return after(key, KMOD_NONE, Stroke::kRepeat); }
  Commands after_release(SDL_Keycode key) { return after(key, KMOD_NONE, Stroke::kRelease); }
  Commands after_window_event(SDL_WindowEventID id) {
    SDL_Event event{};
    event.type = SDL_WINDOWEVENT;
    event.window.event = static_cast<Uint8>(id);
    EXPECT_EQ(SDL_PushEvent(&event), 1);
    return window_->wait(1s);
  }

  std::unique_ptr<Window> window_;

 private:
  const media::PictureSize size_;
};

}  // namespace qvid::ui
