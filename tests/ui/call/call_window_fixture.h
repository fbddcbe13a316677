// The window of a call on SDL's dummy video driver (tests/ui/window_test.h), and what it shows.
#pragma once

#include <SDL.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tests/media/grey_frame.h"
#include "tests/ui/window_test.h"
#include "ui/call/call_window.h"

namespace qvid::ui {

inline std::vector<TileModel> some_tiles(int count) {
  std::vector<TileModel> tiles;
  for (int i = 0; i < count; ++i) {
    tiles.push_back({.key = std::to_string(i), .name = "Party " + std::to_string(i)});
  }
  return tiles;
}

inline CallModel full_model() {
  CallModel model{.room = "team",
                  .status = "connection lost; trying again in 2 s",
                  .camera_on = true,
                  .sharing = true,
                  .overlay = {.title = "team",
                              .rows = {{"delay", "43 ms"}, {"100 %s %n", "no format"}},
                              .delay_ms = {40, 42, 55}}};
  model.notices.add("Ann joined", steady_now());
  model.notices.add("a name that\nis " + std::string(1000, 'x') + " long left", steady_now());
  return model;
}

class CallWindowTest : public WindowTest<CallWindow, CallCommand> {
 protected:
  CallWindowTest() : WindowTest({640, 386}) {}

  Commands after_click(const std::string& key, int clicks = 1) {
    const Rectangle place = window_->place_of(key);
    SDL_Event event{};
    event.type = SDL_MOUSEBUTTONDOWN;
    event.button.button = SDL_BUTTON_LEFT;
    event.button.clicks = static_cast<Uint8>(clicks);
    event.button.x = place.x + place.width / 4;
    event.button.y = place.y + place.height / 4;
    EXPECT_EQ(SDL_PushEvent(&event), 1);
    return window_->wait(1s);
  }
  void move_mouse_to(const std::string& key) {
    const Rectangle place = window_->place_of(key);
    SDL_Event event{};
    event.type = SDL_MOUSEMOTION;
    event.motion.x = place.x + place.width / 4;
    event.motion.y = place.y + place.height / 4;
    EXPECT_EQ(SDL_PushEvent(&event), 1);
    window_->wait(1ms);
  }
  // Shows a picture on the tile and tells whether somebody holds it still.
  std::weak_ptr<const void> show(const std::string& key, media::PictureSize size = {64, 36},
                                 int luma = 128) {
    const media::VideoFrame frame = grey_frame(size, luma);
    window_->show_tile(key, frame, size);
    return frame.owner;
  }
};

// With a panel beside the tiles.
class CallPanelTest : public CallWindowTest {
 protected:
  // As many drawings as ImGui takes to move the focus.
  void draw() {
    for (int i = 0; i < 4; ++i) {
      window_->draw(model_);
      window_->wait(1ms);
    }
  }
  // Down and up in one turn, as a quick finger; what follows from it.
  Commands press(SDL_Keycode key) {
    push_key(key, KMOD_NONE);
    push_key(key, KMOD_NONE, Stroke::kRelease);
    Commands commands = window_->wait(1s);
    for (int i = 0; i < 4; ++i) {
      window_->draw(model_);
      for (const CallCommand command : window_->wait(1ms)) commands.push_back(command);
    }
    return commands;
  }
  CallModel model_;
};

}  // namespace qvid::ui
