// The window on SDL's dummy video driver (window_test.h).
#include "ui/player/player_window.h"

#include <SDL.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "tests/ui/window_test.h"
#include "ui/player/player_buttons.h"

namespace qvid::ui {
namespace {

// Counts its living objects: a frame's owner that tells whether the window lets go of frames.
struct Pixels {
  inline static int living = 0;
  explicit Pixels(std::size_t size) : bytes(size, 128) { ++living; }
  ~Pixels() { --living; }
  std::vector<std::uint8_t> bytes;
};

media::VideoFrame grey_frame(media::PictureSize size) {
  media::VideoFrame frame;
  frame.size = size;
  const auto owner = std::make_shared<Pixels>(static_cast<std::size_t>(size.width * size.height));
  const std::uint8_t* bytes = owner->bytes.data();
  frame.planes = {media::Plane{bytes, size.width}, media::Plane{bytes, frame.chroma_width()},
                  media::Plane{bytes, frame.chroma_width()}};
  frame.owner = owner;
  return frame;
}

OverlayModel full_model() {
  return {.title = "alice",
          .rows = {{"delay", "43 ms"}, {"rate", "1.2 Mb/s"}, {"100 %s %n", "no format"}},
          .delay_ms = {40, 42, 55, 41, 43},
          .status = "connection lost, trying again in 2 s"};
}

void push_window_event(SDL_WindowEventID id) {
  SDL_Event event{};
  event.type = SDL_WINDOWEVENT;
  event.window.event = static_cast<Uint8>(id);
  ASSERT_EQ(SDL_PushEvent(&event), 1);
}

class PlayerWindowTest : public WindowTest<PlayerWindow, KeyCommand> {
 protected:
  PlayerWindowTest() : WindowTest({320, 240}) {}
  void TearDown() override {
    WindowTest::TearDown();
    EXPECT_EQ(Pixels::living, 0);
  }
};

TEST_F(PlayerWindowTest, DrawsWithoutAnyPicture) {
  window_->draw({});
  window_->draw(full_model());
}

TEST_F(PlayerWindowTest, ShowsPicturesOfChangingSizes) {
  for (const media::PictureSize size :
       {media::PictureSize{320, 240}, {640, 360}, {17, 33}, {16, 16}, {1280, 720}, {320, 240}}) {
    window_->show(grey_frame(size), {640, 360});
    window_->draw(full_model());
    EXPECT_EQ(Pixels::living, 1) << "only the last picture is kept";
  }
}

TEST_F(PlayerWindowTest, WhatNobodyChangesIsNotDrawn) {
  OverlayModel model{.progress = ProgressModel{.place = 5s, .duration = 60s}};
  const auto draws = [&] {
    window_->wait(1ms);
    return window_->draw(model).has_value();
  };
  window_->show(grey_frame({320, 240}), {320, 240});
  for (int i = 0; i < 6; ++i) draws();
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(draws()) << i;
  model.progress->place = 6s;
  EXPECT_FALSE(draws()) << "nothing of the bar is seen";
  window_->show(grey_frame({320, 240}), {320, 240});
  EXPECT_TRUE(draws()) << "another picture";
  EXPECT_FALSE(draws());
  model.paused = true;
  EXPECT_TRUE(draws()) << "it brings the bar";
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(draws()) << i;
  model.progress->buffered = 4s;
  EXPECT_TRUE(draws());
  model.volume = 0.5f;
  EXPECT_TRUE(draws());
  model.status = "connection lost";
  EXPECT_TRUE(draws());
  model.rows = {{"delay", "43 ms"}};
  EXPECT_FALSE(draws()) << "statistics that are not shown";
  after(SDLK_i);
  EXPECT_TRUE(window_->draw(model)) << "now they are";
  for (int i = 0; i < 6; ++i) draws();
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(draws()) << i;
  model.rows = {{"delay", "44 ms"}};
  EXPECT_TRUE(draws());
}

TEST_F(PlayerWindowTest, WhatIsShownForAWhileGoesInTime) {
  OverlayModel model;
  const auto turn = [&] {
    window_->wait(20s);  // as long as nothing ends
    return window_->draw(model).has_value();
  };
  window_->draw(model);
  model.volume = 0.5f;
  ASSERT_TRUE(window_->draw(model));
  const Timestamp before = steady_now();
  EXPECT_TRUE(turn());
  EXPECT_GT(steady_now() - before, 1s);
  EXPECT_LT(steady_now() - before, 10s);
  EXPECT_FALSE(window_->draw(model));
}

TEST_F(PlayerWindowTest, KeysThatTheAppActsOn) {
  EXPECT_EQ(after(SDLK_q), Commands{KeyCommand::kQuit});
  EXPECT_EQ(after(SDLK_ESCAPE), Commands{KeyCommand::kQuit});
  EXPECT_EQ(after(SDLK_s), Commands{KeyCommand::kScreenshot});
  EXPECT_EQ(after(SDLK_q, KMOD_LCTRL), Commands{});
  EXPECT_EQ(after(SDLK_x), Commands{});
}

TEST_F(PlayerWindowTest, KeysOfSound) {
  EXPECT_EQ(after(SDLK_m), Commands{KeyCommand::kSilence});
  EXPECT_EQ(after_repeat(SDLK_m), Commands{});
  for (const SDL_Keycode key : {SDLK_0, SDLK_PLUS, SDLK_EQUALS, SDLK_KP_PLUS}) {
    EXPECT_EQ(after(key), Commands{KeyCommand::kLouder});
  }
  for (const SDL_Keycode key : {SDLK_9, SDLK_MINUS, SDLK_KP_MINUS}) {
    EXPECT_EQ(after(key), Commands{KeyCommand::kSofter});
  }
  EXPECT_EQ(after_repeat(SDLK_9), Commands{KeyCommand::kSofter}) << "while it is held";
}

TEST_F(PlayerWindowTest, KeysOfSpeed) {
  EXPECT_EQ(after(SDLK_RIGHTBRACKET), Commands{KeyCommand::kFaster});
  EXPECT_EQ(after(SDLK_LEFTBRACKET), Commands{KeyCommand::kSlower});
  EXPECT_EQ(after(SDLK_BACKSPACE), Commands{KeyCommand::kNormalSpeed});
}

TEST_F(PlayerWindowTest, SilenceIsSeenAndAChangeOfVolume) {
  const auto corner = [&](const OverlayModel& model) {  // a place of the sign's ground
    window_->show(grey_frame({320, 240}), {320, 240});
    window_->draw(model);
    return pixel_at(320 - 12 - 13, 12 + 2).g;
  };
  const int bare = corner({});
  EXPECT_EQ(corner({.volume = 1}), bare);
  EXPECT_LT(corner({.silenced = true}), bare - 50);
  EXPECT_EQ(corner({}), bare);
  EXPECT_LT(corner({.volume = 0.5f}), bare - 50);
  EXPECT_LT(corner({.volume = 0.5f}), bare - 50) << "for a while";
}

TEST_F(PlayerWindowTest, KeysThatTheWindowActsOn) {
  window_->show(grey_frame({320, 240}), {320, 240});
  for (const SDL_Keycode key : {SDLK_i, SDLK_h, SDLK_F1, SDLK_QUESTION, SDLK_i, SDLK_h}) {
    EXPECT_EQ(after(key), Commands{});
    window_->draw(full_model());
  }
  EXPECT_EQ(after(SDLK_SLASH, KMOD_LSHIFT), Commands{});
  window_->draw(full_model());
}

TEST_F(PlayerWindowTest, EscapeLeavesFullScreenBeforeItQuits) {
  EXPECT_EQ(after(SDLK_f), Commands{});
  window_->draw(full_model());
  settle();
  EXPECT_EQ(after(SDLK_ESCAPE), Commands{});
  window_->draw(full_model());
  settle();
  EXPECT_EQ(after(SDLK_ESCAPE), Commands{KeyCommand::kQuit});
}

TEST_F(PlayerWindowTest, ClosingQuits) {
  push_window_event(SDL_WINDOWEVENT_CLOSE);
  EXPECT_EQ(window_->wait(1s), Commands{KeyCommand::kQuit});
}

TEST_F(PlayerWindowTest, SurvivesTheLossOfTheDevice) {
  window_->show(grey_frame({320, 240}), {320, 240});
  window_->draw(full_model());
  for (const SDL_EventType type : {SDL_RENDER_TARGETS_RESET, SDL_RENDER_DEVICE_RESET}) {
    SDL_Event event{};
    event.type = type;
    ASSERT_EQ(SDL_PushEvent(&event), 1);
    window_->wait(1s);
    window_->draw(full_model());
  }
}

TEST_F(PlayerWindowTest, MouseMotionAloneIsNoTurn) {
  SDL_Event event{};
  event.type = SDL_MOUSEMOTION;
  ASSERT_EQ(SDL_PushEvent(&event), 1);
  window_->wait(1s);  // it brings the buttons
  ASSERT_EQ(SDL_PushEvent(&event), 1);
  const Timestamp before = steady_now();
  window_->wait(20ms);
  EXPECT_GE(steady_now() - before, 20ms);
}

TEST_F(PlayerWindowTest, AButtonDoesWhatItsKeyDoes) {
  OverlayModel model;
  const auto press = [&](KeyAction action) {
    const bool stored = model.progress.has_value();
    // Above the progress bar, which appears with them.
    push_press(
        lay_out_toolbar(player_actions(stored, model.has_layers), {480, 360}, stored ? 34 : 0),
        action);
    Commands commands = window_->wait(1s);
    window_->draw(model);
    return commands;
  };
  window_.reset();
  window_ = open({.title = "buttons", .size = {480, 360}});
  ASSERT_NE(window_, nullptr);
  settle();
  window_->draw(model);
  EXPECT_EQ(press(KeyAction::kPause), Commands{}) << "not seen yet: it has brought them";
  EXPECT_EQ(press(KeyAction::kPause), Commands{KeyCommand::kPause});
  EXPECT_EQ(press(KeyAction::kSilence), Commands{KeyCommand::kSilence});
  EXPECT_EQ(press(KeyAction::kSofter), Commands{KeyCommand::kSofter});
  EXPECT_EQ(press(KeyAction::kLouder), Commands{KeyCommand::kLouder});
  EXPECT_EQ(press(KeyAction::kScreenshot), Commands{KeyCommand::kScreenshot});
  EXPECT_EQ(press(KeyAction::kToggleHelp), Commands{});
  EXPECT_EQ(press(KeyAction::kBack10), Commands{}) << "live has no other place";
  model.progress = ProgressModel{.place = 5s, .duration = 60s};
  window_->draw(model);
  EXPECT_EQ(press(KeyAction::kBack10), Commands{KeyCommand::kBack10});
  EXPECT_EQ(press(KeyAction::kForward10), Commands{KeyCommand::kForward10});
  EXPECT_EQ(press(KeyAction::kNextSpeed), Commands{KeyCommand::kNextSpeed});
  model.has_layers = true;
  window_->draw(model);
  EXPECT_EQ(press(KeyAction::kLayers), Commands{KeyCommand::kLayers});
}

TEST_F(PlayerWindowTest, TellsWhatTheMousePointsAtOnTheBar) {
  OverlayModel model;
  model.progress = ProgressModel{.place = 5s, .duration = 60s};
  window_->draw(model);
  const auto move_to = [&](int x, int y) {
    SDL_Event event{};
    event.type = SDL_MOUSEMOTION;
    event.motion.x = x;
    event.motion.y = y;
    EXPECT_EQ(SDL_PushEvent(&event), 1);
    window_->wait(1s);
    window_->draw(model);
  };
  move_to(100, 100);
  EXPECT_FALSE(window_->pointed());
  for (const int x : {0, 100, 2000, 160}) {
    move_to(x, 236);  // of 240
    EXPECT_TRUE(window_->pointed()) << x;
  }
  const auto there = [&] {  // above bar and buttons
    window_->draw(model);
    return pixel_at(150, 97).g;
  };
  EXPECT_LT(there(), 40) << "only the place is told";
  window_->show_preview(grey_frame({160, 90}));
  EXPECT_NEAR(there(), 130, 10);
  SDL_Event lost{};
  lost.type = SDL_RENDER_DEVICE_RESET;
  ASSERT_EQ(SDL_PushEvent(&lost), 1);
  window_->wait(1s);
  EXPECT_NEAR(there(), 130, 10) << "in a new texture";
  window_->show_preview({});
  EXPECT_LT(there(), 40);
  window_->show_preview(grey_frame({160, 90}));
  move_to(100, 100);
  EXPECT_FALSE(window_->pointed());
  EXPECT_LT(there(), 40) << "nothing is pointed at";
  window_->show_preview({});
}

TEST_F(PlayerWindowTest, TheWheelChangesTheVolume) {
  const auto turn = [&](int by) {
    SDL_Event event{};
    event.type = SDL_MOUSEWHEEL;
    event.wheel.y = by;
    EXPECT_EQ(SDL_PushEvent(&event), 1);
    return window_->wait(1s);
  };
  EXPECT_EQ(turn(1), Commands{KeyCommand::kLouder});
  EXPECT_EQ(turn(-1), Commands{KeyCommand::kSofter});
  EXPECT_EQ(turn(0), Commands{});
}

TEST_F(PlayerWindowTest, InFullScreenThePointerComesWithTheButtons) {
  after(SDLK_f);
  window_->draw({});
  EXPECT_EQ(SDL_ShowCursor(SDL_QUERY), SDL_DISABLE);
  SDL_Event event{};
  event.type = SDL_MOUSEMOTION;
  ASSERT_EQ(SDL_PushEvent(&event), 1);
  window_->wait(1s);
  window_->draw({});
  EXPECT_EQ(SDL_ShowCursor(SDL_QUERY), SDL_ENABLE);
}

TEST_F(PlayerWindowTest, WakeFromAnotherThreadEndsTheWait) {
  for (int i = 0; i < 20; ++i) {
    std::jthread waker([&] { window_->wake(); });
    const Timestamp before = steady_now();
    window_->wait(20s);
    EXPECT_LT(steady_now() - before, 5s) << "turn " << i;
  }
}

TEST_F(PlayerWindowTest, ManyWakesAreOneEvent) {
  for (int i = 0; i < 100'000; ++i) window_->wake();
  EXPECT_EQ(SDL_PeepEvents(nullptr, 0, SDL_PEEKEVENT, SDL_USEREVENT, SDL_LASTEVENT), 1);
  window_->wait(1s);
  EXPECT_EQ(SDL_PeepEvents(nullptr, 0, SDL_PEEKEVENT, SDL_USEREVENT, SDL_LASTEVENT), 0);
}

TEST_F(PlayerWindowTest, WaitEndsByItself) {
  const Timestamp before = steady_now();
  EXPECT_EQ(window_->wait(30ms), Commands{});
  EXPECT_GE(steady_now() - before, 30ms);
  EXPECT_EQ(window_->wait(-1s), Commands{});
}

TEST_F(PlayerWindowTest, ScreenshotIsAPng) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("qvid_ui_test_" + std::to_string(getpid()) + ".png");
  window_->show(grey_frame({320, 240}), {320, 240});
  window_->draw(full_model());
  const auto written = window_->screenshot(path.string());
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(*written, path.string());
  std::array<char, 4> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  EXPECT_EQ(start, (std::array<char, 4>{'\x89', 'P', 'N', 'G'}));
  std::filesystem::remove(path);

  EXPECT_FALSE(window_->screenshot("/nonexistent/folder/x.png"));
  window_->draw(full_model());  // still drawing to the window
}

TEST_F(PlayerWindowTest, OpensAgainAfterItIsGone) {
  for (int i = 0; i < 3; ++i) {
    window_.reset();
    window_ = open({.title = "again", .size = {0, 0}, .show_overlay = true, .fullscreen = i == 1});
    ASSERT_NE(window_, nullptr);
    window_->show(grey_frame({64, 48}), {64, 48});
    window_->wait(1ms);
    window_->draw(full_model());
    EXPECT_EQ(after(SDLK_q), Commands{KeyCommand::kQuit});
  }
}

// SDL alone would draw into memory that nobody sees.
TEST(PlayerWindowWithoutDisplay, IsNotOpened) {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"}) unsetenv(name);
  if (const auto opened = PlayerWindow::open({.title = "test", .size = {320, 240}})) {
    EXPECT_STRNE(SDL_GetCurrentVideoDriver(), "offscreen");  // a console may have a screen
  } else {
    EXPECT_NE(opened.error().message.find("--headless"), std::string::npos);
  }
  setenv("SDL_VIDEODRIVER", "dummy", 1);
}

TEST(PlayerWindowWithoutDisplay, SaysWhatToDoWhereTheDriverIsUnknown) {
  setenv("SDL_VIDEODRIVER", "no-such-driver", 1);
  const auto opened = PlayerWindow::open({.title = "test", .size = {320, 240}});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("--headless"), std::string::npos);
  setenv("SDL_VIDEODRIVER", "dummy", 1);
}

}  // namespace
}  // namespace qvid::ui
