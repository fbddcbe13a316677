// The window before a call on SDL's dummy video driver: what keys do, what is drawn when.
#include "ui/start/start_window.h"

#include <SDL.h>
#include <gtest/gtest.h>

#include "tests/ui/window_test.h"

namespace qvid::ui {
namespace {

class StartWindowTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("SDL_VIDEODRIVER", "dummy", 1); }
  void open(media::PictureSize size = {880, 520}) {
    auto opened = StartWindow::open({.title = "test", .size = size});
    if (!opened) GTEST_SKIP() << opened.error().message;
    window_ = *std::move(opened);
    turns(6);
  }
  // So many turns; what was pressed in them.
  std::optional<StartAction> turns(int count) {
    std::optional<StartAction> pressed;
    for (int i = 0; i < count; ++i) {
      window_->wait(1ms);
      const auto action = window_->draw(model_, entries_);
      if (action) pressed = action;
    }
    return pressed;
  }
  std::optional<StartAction> after(SDL_Keycode key, SDL_Keymod held = KMOD_NONE) {
    for (const Uint32 type : {SDL_KEYDOWN, SDL_KEYUP}) {
      SDL_Event event{};
      event.type = type;
      event.key.state = type == SDL_KEYUP ? SDL_RELEASED : SDL_PRESSED;
      event.key.keysym.sym = key;
      event.key.keysym.mod = held;
      event.key.keysym.scancode = SDL_GetScancodeFromKey(key);
      SDL_PushEvent(&event);
      if (const auto action = turns(2)) return action;
    }
    return turns(3);
  }
  void type(const std::string& text) {
    SDL_Event event{};
    event.type = SDL_TEXTINPUT;
    std::copy(text.begin(), text.end(), event.text.text);
    SDL_PushEvent(&event);
    turns(3);
  }

  StartModel model_{.scales = {"one", "two"}, .layouts = {"a", "b"}};
  StartEntries entries_;
  std::unique_ptr<StartWindow> window_;
};

TEST_F(StartWindowTest, ALinkIsTypedAndEntered) {
  open();
  type("qvid://h/Łódź");
  EXPECT_EQ(entries_.link, "qvid://h/Łódź");
  EXPECT_EQ(after(SDLK_RETURN), StartAction{StartAct::kJoin});
}

TEST_F(StartWindowTest, EveryButtonIsReachedByTheKeyboard) {
  model_.recent = {"qvid://a/b", "qvid://c/d"};
  open();
  std::vector<StartAct> pressed;
  for (int i = 0; i < 12; ++i) {
    after(SDLK_TAB);
    if (const auto action = after(SDLK_RETURN)) pressed.push_back(action->act);
  }
  for (const StartAct act : {StartAct::kJoin, StartAct::kWatch, StartAct::kHost,
                             StartAct::kSettings, StartAct::kRecent}) {
    EXPECT_NE(std::ranges::find(pressed, act), pressed.end()) << static_cast<int>(act);
  }
}

TEST_F(StartWindowTest, TheJoinPageHasTheButtonUnderEnterAndEscapeGoesBack) {
  open();
  model_.page = StartPage::kJoin;
  model_.title = "Join den";
  model_.go = "Join";
  model_.cameras = {"Cam"};
  model_.microphones = model_.loudspeakers = {"The system's", "None"};
  turns(6);
  EXPECT_EQ(after(SDLK_RETURN), StartAction{StartAct::kGo});
  EXPECT_EQ(after(SDLK_ESCAPE), StartAction{StartAct::kBack});
}

TEST_F(StartWindowTest, TheJoinPageIsFilledInByKeysAlone) {
  open();
  model_.page = StartPage::kJoin;
  model_.title = "Join den";
  model_.go = "Join";
  model_.publishes = true;
  model_.cameras = {"Cam"};
  model_.microphones = model_.loudspeakers = {"The system's", "None"};
  entries_.name = "guest";
  turns(6);
  after(SDLK_TAB);
  after(SDLK_TAB);  // from the button over "Back" to the first field, its text selected
  type("Robot");
  EXPECT_EQ(entries_.name, "Robot");
  for (int i = 0; i < 4; ++i) after(SDLK_TAB, KMOD_LSHIFT);
  after(SDLK_SPACE);
  EXPECT_TRUE(entries_.join_muted);
  after(SDLK_TAB);
  after(SDLK_TAB);
  EXPECT_EQ(after(SDLK_RETURN), StartAction{StartAct::kGo});
}

TEST_F(StartWindowTest, WhatNobodyChangesIsNotDrawn) {
  open();
  turns(10);
  const int before = window_->drawings();
  turns(20);
  EXPECT_EQ(window_->drawings(), before);
  model_.notice = "something";
  turns(1);
  EXPECT_GT(window_->drawings(), before);
}

TEST_F(StartWindowTest, AnySizeAndTextIsDrawn) {
  model_ = {.notice = std::string(2000, 'n'),
            .link_trouble = std::string(500, 't'),
            .recent = std::vector<std::string>(10, "qvid://" + std::string(1000, 'h') + "/x"),
            .title = std::string(300, 'T'),
            .cameras = {std::string(300, 'c')},
            .camera_trouble = std::string(600, 'c'),
            .invitation = std::string(300, 'i'),
            .qr = qr_code(std::string(300, 'i'))};
  entries_ = {
      .link = std::string(3000, 'l'), .name = "שלום \xff\xfe", .camera = 9, .microphone = 9};
  for (const media::PictureSize size : {media::PictureSize{320, 180}, {800, 480}, {2000, 1200}}) {
    open(size);
    for (const StartPage page : {StartPage::kFront, StartPage::kJoin, StartPage::kSettings}) {
      model_.page = page;
      turns(4);
    }
    window_.reset();
  }
  EXPECT_LE(entries_.link.size(), StartEntries::kMostBytes);
}

TEST_F(StartWindowTest, ClosingItIsToQuit) {
  open();
  SDL_Event event{};
  event.type = SDL_QUIT;
  SDL_PushEvent(&event);
  EXPECT_EQ(turns(1), StartAction{StartAct::kQuit});
}

}  // namespace
}  // namespace qvid::ui
