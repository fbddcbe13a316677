// What the window of a call does with keys, the mouse, other threads and a lost device.
#include <SDL.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "tests/temporary_folder.h"
#include "tests/ui/call/call_window_fixture.h"
#include "ui/call/call_buttons.h"
#include "ui/call/call_window.h"

namespace qvid::ui {
namespace {

TEST_F(CallWindowTest, KeysThatTheAppActsOn) {
  EXPECT_EQ(after(SDLK_q), Commands{CallCommand::kQuit});
  EXPECT_EQ(after(SDLK_ESCAPE), Commands{CallCommand::kQuit});
  EXPECT_EQ(after(SDLK_s), Commands{CallCommand::kScreenshot});
  EXPECT_EQ(after(SDLK_c), Commands{CallCommand::kCamera});
  EXPECT_EQ(after(SDLK_d), Commands{CallCommand::kShare});
  EXPECT_EQ(after(SDLK_c, KMOD_LCTRL), Commands{});
  EXPECT_EQ(after(SDLK_HOME), Commands{}) << "a player's";
  EXPECT_EQ(after(SDLK_m), Commands{CallCommand::kMute});
  EXPECT_EQ(after_repeat(SDLK_m), Commands{});
  for (const SDL_Keycode key : {SDLK_i, SDLK_h, SDLK_F1, SDLK_f}) {
    EXPECT_EQ(after(key), Commands{});
    window_->draw(full_model());
  }
}

TEST_F(CallWindowTest, TheDesktopsKeyToTalkIsAmongTheKeys) {
  const TemporaryFolder folder;
  CallModel model{.room = "team", .members = 2};
  const auto seen = [&] {
    for (int i = 0; i < 4; ++i) window_->draw(model);
    const auto file = window_->screenshot((folder / "seen.png").string());
    EXPECT_TRUE(file);
    std::ifstream in(*file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string before = seen();
  model.talk_trigger = "Meta+T %s";
  EXPECT_FALSE(window_->draw(model)) << "nobody looks at the keys";
  EXPECT_EQ(seen(), before);
  after(SDLK_h);
  const std::string with = seen();
  EXPECT_EQ(seen(), with);
  model.talk_trigger.clear();
  EXPECT_TRUE(window_->draw(model));
  EXPECT_NE(seen(), with);
}

TEST_F(CallWindowTest, TalksWhileTheKeyIsHeld) {
  EXPECT_EQ(after_release(SDLK_SPACE), Commands{}) << "it was pressed elsewhere";
  EXPECT_EQ(after(SDLK_SPACE), Commands{CallCommand::kTalk});
  EXPECT_EQ(after_repeat(SDLK_SPACE), Commands{});
  EXPECT_EQ(after_release(SDLK_c), Commands{}) << "another key";
  EXPECT_EQ(after(SDLK_SPACE, KMOD_LCTRL, Stroke::kRelease), Commands{CallCommand::kTalkEnd})
      << "whatever else is held by then";
  EXPECT_EQ(after_release(SDLK_SPACE), Commands{});
}

TEST_F(CallWindowTest, TalkingEndsWithTheFocus) {
  EXPECT_EQ(after_window_event(SDL_WINDOWEVENT_FOCUS_LOST), Commands{});
  after(SDLK_SPACE);
  EXPECT_EQ(after_window_event(SDL_WINDOWEVENT_FOCUS_LOST), Commands{CallCommand::kTalkEnd});
  EXPECT_EQ(after_repeat(SDLK_SPACE), Commands{}) << "it needs another press";
  EXPECT_EQ(after_release(SDLK_SPACE), Commands{});
  EXPECT_EQ(after(SDLK_SPACE), Commands{CallCommand::kTalk});
  EXPECT_EQ(after(SDLK_SPACE), Commands{}) << "the release was not told";
  EXPECT_EQ(after_release(SDLK_SPACE), Commands{CallCommand::kTalkEnd});
}

TEST_F(CallWindowTest, TheVolumeIsOfWhoIsPointedAtOrOfAll) {
  EXPECT_EQ(after(SDLK_PLUS), Commands{CallCommand::kLouder}) << "of nobody, who is all";
  EXPECT_EQ(after(SDLK_x), Commands{}) << "all at once are not silenced";
  std::vector<TileModel> tiles = some_tiles(4);
  tiles[3].own = true;
  window_->set_tiles(tiles);
  window_->draw({});
  after(SDLK_TAB);
  for (const SDL_Keycode key : {SDLK_PLUS, SDLK_KP_PLUS, SDLK_EQUALS}) {
    EXPECT_EQ(after(key), Commands{CallCommand::kLouder});
  }
  EXPECT_EQ(window_->target(), "0");
  EXPECT_EQ(after_repeat(SDLK_PLUS), Commands{CallCommand::kLouder}) << "while it is held";
  move_mouse_to("2");
  EXPECT_EQ(after(SDLK_MINUS), Commands{CallCommand::kSofter});
  EXPECT_EQ(after(SDLK_KP_MINUS), Commands{CallCommand::kSofter});
  EXPECT_EQ(window_->target(), "2");
  EXPECT_EQ(after(SDLK_x), Commands{CallCommand::kSilence});
  EXPECT_EQ(after_repeat(SDLK_x), Commands{});
  EXPECT_EQ(window_->target(), "2");
  EXPECT_EQ(window_->pin_target(), "") << "nothing was pinned";
  move_mouse_to("3");
  EXPECT_EQ(after(SDLK_PLUS), Commands{CallCommand::kLouder});
  EXPECT_EQ(window_->target(), "") << "nobody hears oneself";
  EXPECT_EQ(after(SDLK_x), Commands{});
}

TEST_F(CallWindowTest, AClickBesideAllTilesSelectsNone) {
  window_->set_tiles(some_tiles(2));
  window_->draw({});
  after(SDLK_TAB);
  SDL_Event event{};
  event.type = SDL_MOUSEBUTTONDOWN;
  event.button.button = SDL_BUTTON_LEFT;
  event.button.x = 5;
  event.button.y = 5;  // the bar
  ASSERT_EQ(SDL_PushEvent(&event), 1);
  EXPECT_EQ(window_->wait(1s), Commands{CallCommand::kSelect});
  EXPECT_EQ(window_->selected(), "");
  ASSERT_EQ(SDL_PushEvent(&event), 1);
  EXPECT_EQ(window_->wait(1s), Commands{}) << "none was";
}

TEST_F(CallWindowTest, EscapeLeavesFullScreenBeforeTheCall) {
  EXPECT_EQ(after(SDLK_f), Commands{});
  settle();
  EXPECT_EQ(after(SDLK_ESCAPE), Commands{});
  settle();
  EXPECT_EQ(after(SDLK_ESCAPE), Commands{CallCommand::kQuit});
}

TEST_F(CallWindowTest, TheLayoutChangesByKey) {
  window_->set_tiles(some_tiles(3));
  window_->draw({});
  EXPECT_EQ(window_->layout(), LayoutMode::kGrid);
  EXPECT_EQ(window_->place_of("0").width, window_->place_of("2").width);
  EXPECT_EQ(after(SDLK_l), Commands{CallCommand::kLayout});
  window_->draw({});
  EXPECT_EQ(window_->layout(), LayoutMode::kSpeaker);
  EXPECT_GT(window_->place_of("0").width, 2 * window_->place_of("2").width);
  std::vector<TileModel> tiles = some_tiles(3);
  tiles[2].speaking = true;
  window_->set_tiles(tiles);
  window_->draw({});
  EXPECT_GT(window_->place_of("2").width, 2 * window_->place_of("0").width);
  EXPECT_EQ(after(SDLK_l), Commands{CallCommand::kLayout});
  EXPECT_EQ(window_->layout(), LayoutMode::kGrid);
}

TEST_F(CallWindowTest, ItBeginsInTheLayoutAndSizeThatWereRemembered) {
  window_->set_layout(LayoutMode::kSpeaker);
  window_->set_tiles(some_tiles(3));
  window_->draw({});
  EXPECT_EQ(window_->layout(), LayoutMode::kSpeaker);
  EXPECT_GT(window_->place_of("0").width, 2 * window_->place_of("2").width);
  const media::PictureSize size = window_->size();
  EXPECT_GT(size.width, 0);
  after(SDLK_f);
  EXPECT_EQ(window_->size(), media::PictureSize());  // a screen's is not worth remembering
}

TEST_F(CallWindowTest, APinMakesItsTileLargeUntilItIsTakenOff) {
  std::vector<TileModel> tiles = some_tiles(4);
  tiles[1].pinned = true;
  tiles[2].speaking = true;
  window_->set_tiles(tiles);
  window_->draw({});
  EXPECT_EQ(window_->layout(), LayoutMode::kSpeaker);
  EXPECT_GT(window_->place_of("1").width, 2 * window_->place_of("2").width);
  window_->set_tiles(some_tiles(4));
  EXPECT_EQ(window_->layout(), LayoutMode::kGrid);

  window_->set_tiles(tiles);
  EXPECT_EQ(after(SDLK_l), Commands{CallCommand::kLayout});
  EXPECT_EQ(after(SDLK_l), Commands{CallCommand::kLayout});
  window_->set_tiles(some_tiles(4));
  EXPECT_EQ(window_->layout(), LayoutMode::kSpeaker) << "the caller has chosen it";
}

TEST_F(CallWindowTest, TabAndClicksSelect) {
  EXPECT_EQ(after(SDLK_TAB), Commands{}) << "nobody is there";
  window_->set_tiles(some_tiles(3));
  window_->draw({});
  EXPECT_EQ(window_->selected(), "");
  for (const char* key : {"0", "1", "2", "0"}) {
    EXPECT_EQ(after(SDLK_TAB), Commands{CallCommand::kSelect});
    EXPECT_EQ(window_->selected(), key);
    window_->draw({});
  }
  EXPECT_EQ(after_click("2"), Commands{CallCommand::kSelect});
  EXPECT_EQ(window_->selected(), "2");
  EXPECT_EQ(after_click("2"), Commands{}) << "it is selected already";
  window_->set_tiles(some_tiles(2));
  EXPECT_EQ(window_->selected(), "") << "who has gone is not selected";
}

TEST_F(CallWindowTest, PinsWhatWasPointedAtLast) {
  EXPECT_EQ(after(SDLK_p), Commands{}) << "nothing is pointed at";
  window_->set_tiles(some_tiles(4));
  window_->draw({});
  EXPECT_EQ(after(SDLK_p), Commands{});
  after(SDLK_TAB);
  EXPECT_EQ(after(SDLK_p), Commands{CallCommand::kPin});
  EXPECT_EQ(window_->pin_target(), "0");
  move_mouse_to("3");
  EXPECT_EQ(after(SDLK_p), Commands{CallCommand::kPin});
  EXPECT_EQ(window_->pin_target(), "3");
  after(SDLK_TAB);
  EXPECT_EQ(after(SDLK_p), Commands{CallCommand::kPin});
  EXPECT_EQ(window_->pin_target(), "1");
  EXPECT_EQ(after_click("2", 2), (Commands{CallCommand::kSelect, CallCommand::kPin}));
  EXPECT_EQ(window_->pin_target(), "2");
}

TEST_F(CallWindowTest, MouseMotionAloneIsNoTurn) {
  window_->set_tiles(some_tiles(2));
  window_->draw({});
  const auto waited = [&] {
    SDL_Event event{};
    event.type = SDL_MOUSEMOTION;
    EXPECT_EQ(SDL_PushEvent(&event), 1);
    const Timestamp before = steady_now();
    window_->wait(20ms);
    return steady_now() - before;
  };
  waited();  // it brings the buttons
  EXPECT_TRUE(window_->draw({}));
  EXPECT_GE(waited(), 20ms);
  EXPECT_FALSE(window_->draw({}));
}

TEST_F(CallWindowTest, TheButtonsGoByThemselves) {
  window_->draw({});
  move_mouse_to("nobody");
  EXPECT_TRUE(window_->draw({}));
  const Timestamp before = steady_now();
  window_->wait(20s);
  EXPECT_LT(steady_now() - before, 19s);
  EXPECT_TRUE(window_->draw({}));
  EXPECT_FALSE(window_->draw({}));
}

TEST_F(CallWindowTest, ANoticeThatEndsEndsTheWait) {
  window_->draw({});  // the first takes long
  CallModel model;
  model.notices.add("Ann joined", steady_now() - NoticeBoard::kShown + 200ms);
  window_->draw(model);
  const Timestamp before = steady_now();
  window_->wait(20s);
  EXPECT_LT(steady_now() - before, 5s);
  // It has ended, and nobody draws: the next wait is as long as any.
  const Timestamp again = steady_now();
  window_->wait(30ms);
  window_->wait(30ms);
  EXPECT_GE(steady_now() - again, 30ms);
}

TEST_F(CallWindowTest, WakeFromAnotherThreadEndsTheWait) {
  for (int i = 0; i < 20; ++i) {
    std::jthread waker([&] { window_->wake(); });
    const Timestamp before = steady_now();
    window_->wait(20s);
    EXPECT_LT(steady_now() - before, 5s) << "turn " << i;
  }
}

TEST_F(CallWindowTest, SurvivesTheLossOfTheDevice) {
  window_->set_tiles(some_tiles(2));
  show("0", {64, 36}, 235);
  window_->draw({});
  for (const SDL_EventType type : {SDL_RENDER_TARGETS_RESET, SDL_RENDER_DEVICE_RESET}) {
    SDL_Event event{};
    event.type = type;
    ASSERT_EQ(SDL_PushEvent(&event), 1);
    window_->wait(1s);
    const TemporaryFolder folder;
    EXPECT_TRUE(window_->screenshot((folder / "x.png").string())) << "without any texture";
    window_->draw({});
    const Rectangle place = window_->place_of("0");
    EXPECT_GT(pixel_at(place.x + 20, place.y + 20).g, 250);
  }
}

TEST_F(CallWindowTest, ScreenshotIsAPng) {
  const TemporaryFolder folder;
  const std::string path = (folder / "call.png").string();
  window_->set_tiles(some_tiles(2));
  show("0");
  window_->draw(full_model());
  const auto written = window_->screenshot(path);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(*written, path);
  std::array<char, 4> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  EXPECT_EQ(start, (std::array<char, 4>{'\x89', 'P', 'N', 'G'}));
  EXPECT_FALSE(window_->screenshot("/nonexistent/folder/x.png"));
  window_->draw(full_model());  // still drawing to the window
}

TEST(CallWindowWithoutDisplay, SaysWhatToDo) {
  setenv("SDL_VIDEODRIVER", "no-such-driver", 1);
  const auto opened = CallWindow::open({.title = "test", .size = {320, 240}});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("--headless"), std::string::npos);
  setenv("SDL_VIDEODRIVER", "dummy", 1);
}

TEST_F(CallWindowTest, AButtonDoesWhatItsKeyDoes) {
  CallModel model;
  window_->set_tiles(some_tiles(2));
  window_->draw(model);
  const auto press = [&](KeyAction action) {
    push_press(lay_out_toolbar(call_actions(model.sharing), {640, 386}, 0), action);
    Commands commands = window_->wait(1s);
    window_->draw(model);
    return commands;
  };
  press(KeyAction::kQuit);  // they were not seen yet: it has brought them
  EXPECT_EQ(press(KeyAction::kMute), (Commands{CallCommand::kMute}));
  EXPECT_EQ(press(KeyAction::kCamera), (Commands{CallCommand::kCamera}));
  EXPECT_EQ(press(KeyAction::kShare), (Commands{CallCommand::kShare}));
  EXPECT_EQ(press(KeyAction::kLayout), (Commands{CallCommand::kLayout}));
  EXPECT_EQ(window_->layout(), LayoutMode::kSpeaker);
  EXPECT_EQ(press(KeyAction::kQuit), (Commands{CallCommand::kQuit}));
  model.sharing = true;
  window_->draw(model);
  EXPECT_EQ(press(KeyAction::kFreeze), (Commands{CallCommand::kFreeze}));
}

TEST_F(CallWindowTest, WhatAnotherSharesIsLargeAndNobodyMore) {
  CallModel model;
  auto tiles = some_tiles(2);
  tiles.push_back({.key = "share 0", .name = "Ann", .share = true});
  window_->set_tiles(tiles);
  window_->draw(model);
  EXPECT_EQ(window_->layout(), LayoutMode::kSpeaker);
  tiles.back().own = true;
  window_->set_tiles(tiles);
  EXPECT_EQ(window_->layout(), LayoutMode::kGrid) << "one's own is not what one looks at";
}

}  // namespace
}  // namespace qvid::ui
