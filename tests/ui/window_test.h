// A window under test on SDL's dummy video driver, which has no screen and no window manager. The
// environment is set before SDL is first used; where SDL was built without that driver the tests
// say so and skip.
#pragma once

#include <SDL.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "base/units.h"
#include "ui/window_options.h"

namespace qvid::ui {

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
  static void push_key(SDL_Keycode key, SDL_Keymod modifiers) {
    SDL_Event event{};
    event.type = SDL_KEYDOWN;
    event.key.state = SDL_PRESSED;
    event.key.keysym.sym = key;
    event.key.keysym.scancode = SDL_GetScancodeFromKey(key);
    event.key.keysym.mod = static_cast<Uint16>(modifiers);
    ASSERT_EQ(SDL_PushEvent(&event), 1);
  }
  Commands after(SDL_Keycode key, SDL_Keymod modifiers = KMOD_NONE) {
    push_key(key, modifiers);
    return window_->wait(1s);
  }

  std::unique_ptr<Window> window_;

 private:
  const media::PictureSize size_;
};

}  // namespace qvid::ui
