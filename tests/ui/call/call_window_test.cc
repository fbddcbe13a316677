// The window of a call on SDL's dummy video driver (window_test.h).
#include "ui/call/call_window.h"

#include <SDL.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "tests/temporary_folder.h"
#include "tests/ui/window_test.h"

namespace qvid::ui {
namespace {

// Grey, of this luma.
media::VideoFrame grey_frame(media::PictureSize size, int luma) {
  media::NewFrame made = media::allocate_frame(size);
  for (std::size_t i = 0; i < 3; ++i) {
    const int rows = i == 0 ? size.height : made.frame.chroma_height();
    const int stride = made.frame.planes[i].stride;
    std::memset(made.writable[i], i == 0 ? luma : 128, static_cast<std::size_t>(rows * stride));
  }
  return made.frame;
}

std::vector<TileModel> some_tiles(int count) {
  std::vector<TileModel> tiles;
  for (int i = 0; i < count; ++i) {
    tiles.push_back({.key = std::to_string(i), .name = "Party " + std::to_string(i)});
  }
  return tiles;
}

CallModel full_model() {
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

TEST_F(CallWindowTest, DrawsWithoutAnybody) {
  window_->draw({});
  window_->draw(full_model());
}

TEST_F(CallWindowTest, DrawsTilesOfEveryKind) {
  for (const int count : {1, 2, 4, 7, 25}) {
    std::vector<TileModel> tiles = some_tiles(count);
    tiles[0].own = true;
    tiles.back().name =
        "Zo\xC3\xAB\nwith a name that no plate has room for " + std::string(500, 'x');
    tiles.back().status = std::string(500, 'y');
    tiles.back().speaking = tiles.back().muted = tiles.back().pinned = true;
    window_->set_tiles(tiles);
    for (int i = 0; i < count; i += 2) show(std::to_string(i), {64 + i, 48});
    window_->draw(full_model());
    for (const SDL_Keycode key : {SDLK_l, SDLK_TAB, SDLK_i, SDLK_h}) {
      after(key);
      window_->draw(full_model());
    }
  }
}

TEST_F(CallWindowTest, APictureIsWhereTheTileIs) {
  window_->set_tiles(some_tiles(2));
  show("0", {64, 36}, 235);
  window_->draw({});
  const Rectangle with = window_->place_of("0");
  const Rectangle without = window_->place_of("1");
  // Above the middle: there the initials are.
  EXPECT_GT(pixel_at(with.x + with.width / 4, with.y + with.height / 4).g, 250);
  EXPECT_LT(pixel_at(without.x + without.width / 4, without.y + without.height / 4).g, 60);
  EXPECT_EQ(window_->pixels_of("0"), (media::PictureSize{with.width, with.height}));
  EXPECT_TRUE(window_->place_of("nobody").empty());
  EXPECT_EQ(window_->pixels_of("nobody"), media::PictureSize{});
}

TEST_F(CallWindowTest, TheOwnPictureLiesOverAnother) {
  std::vector<TileModel> tiles = some_tiles(2);
  tiles[0].own = true;
  window_->set_tiles(tiles);
  show("0", {64, 36}, 235);
  show("1", {64, 36}, 40);
  window_->draw({});
  const Rectangle own = window_->place_of("0");
  const Rectangle other = window_->place_of("1");
  EXPECT_LT(own.width * 3, other.width);
  EXPECT_GT(pixel_at(own.x + own.width / 2, own.y + own.height / 4).g, 250);
  EXPECT_LT(pixel_at(other.x + other.width / 2, other.y + other.height / 4).g, 60);
}

TEST_F(CallWindowTest, WhoSpeaksHasAFrame) {
  std::vector<TileModel> tiles = some_tiles(2);
  tiles[1].speaking = true;
  window_->set_tiles(tiles);
  window_->draw({});
  const auto edge = [&](const std::string& key) {
    const Rectangle place = window_->place_of(key);
    return pixel_at(place.x + 1, place.y + place.height / 2);
  };
  EXPECT_LT(edge("0").g, 60);
  EXPECT_GT(edge("1").g, 150);
  EXPECT_LT(edge("1").b, 150);
}

TEST_F(CallWindowTest, TheFrameGlowsAsLoudAsItIs) {
  std::vector<TileModel> tiles = some_tiles(4);
  for (const int speaker : {0, 1, 2}) tiles[static_cast<std::size_t>(speaker)].speaking = true;
  tiles[0].loudness = -127;
  tiles[1].loudness = -40;
  tiles[2].loudness = tiles[3].loudness = -15;
  window_->set_tiles(tiles);
  window_->draw({});
  const auto glow = [&](const std::string& key) {
    const Rectangle place = window_->place_of(key);
    return pixel_at(place.x + 5, place.y + place.height / 2).g;
  };
  EXPECT_GT(glow("1"), glow("0") + 10);
  EXPECT_GT(glow("2"), glow("1") + 10);
  EXPECT_EQ(glow("3"), glow("0")) << "noise is no speech";
}

// How many pixels of what was drawn last are as red as the ground of "muted".
int red_pixels(const Rectangle& where) {
  int red = 0;
  for (int y = where.y; y < where.y + where.height; ++y) {
    for (int x = where.x; x < where.x + where.width; ++x) {
      const Rgb at = pixel_at(x, y);
      if (at.r > 150 && at.g < 60 && at.b < 60) ++red;
    }
  }
  return red;
}

TEST_F(CallWindowTest, TheOwnMicrophoneIsSeenInBarAndTile) {
  std::vector<TileModel> tiles = some_tiles(2);
  tiles[0].own = true;
  window_->set_tiles(tiles);
  const Rectangle bar{0, 0, 640, 26};
  const Rectangle hint{120, 28, 400, 30};
  for (const auto microphone : {Microphone::kNone, Microphone::kOn, Microphone::kTalking}) {
    window_->draw({.microphone = microphone});
    EXPECT_LT(red_pixels(bar), 60) << "no more than a stroke";
    EXPECT_LT(red_pixels(window_->place_of("0")), 60);
    EXPECT_EQ(red_pixels(hint), 0);
  }
  window_->draw({.microphone = Microphone::kMuted});
  EXPECT_GT(red_pixels(bar), 500);
  EXPECT_GT(red_pixels(window_->place_of("0")), 500);
  EXPECT_EQ(red_pixels(hint), 0);
  const Rectangle other = window_->place_of("1");  // the own one lies over its lower right
  EXPECT_EQ(red_pixels({other.x, other.y, other.width / 2, other.height / 2}), 0);
  window_->draw({.microphone = Microphone::kUnheard});
  EXPECT_GT(red_pixels(bar), 500);
  EXPECT_GT(red_pixels(window_->place_of("0")), 500);
  EXPECT_GT(red_pixels(hint), 1500);
}

TEST_F(CallWindowTest, DrawsSoundOfEveryKindInEverySize) {
  for (const int count : {1, 3, 12, 30, 64}) {
    std::vector<TileModel> tiles = some_tiles(count);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      tiles[i].muted = i % 2 == 0;
      tiles[i].silenced = i % 3 == 0;
      tiles[i].speaking = i % 4 == 0;
      tiles[i].loudness = i % 5 == 0 ? std::nan("") : static_cast<double>(i) * 1e3 - 2e4;
      tiles[i].volume = i % 7 == 0 ? std::nanf("") : static_cast<float>(i) * 0.3f;
    }
    tiles.back().own = true;
    window_->set_tiles(tiles);
    for (const auto microphone : {Microphone::kNone, Microphone::kOn, Microphone::kMuted,
                                  Microphone::kUnheard, Microphone::kTalking}) {
      CallModel model = full_model();
      model.microphone = microphone;
      model.volume = -1;
      window_->draw(model);
    }
  }
}

TEST_F(CallWindowTest, OnlyTheLastPictureOfATileIsKept) {
  window_->set_tiles(some_tiles(2));
  const auto first = show("0");
  const auto second = show("0", {17, 33});
  window_->draw({});
  EXPECT_TRUE(first.expired());
  EXPECT_FALSE(second.expired());
}

TEST_F(CallWindowTest, AGoneTileIsForgotten) {
  window_->set_tiles(some_tiles(3));
  const auto stays = show("0");
  const auto goes = show("1");
  window_->draw({});
  std::vector<TileModel> tiles = some_tiles(3);
  tiles.erase(tiles.begin() + 1);
  window_->set_tiles(tiles);
  EXPECT_TRUE(goes.expired());
  EXPECT_FALSE(stays.expired());
  // What was drawn last can still be seen, and clicked on.
  const TemporaryFolder folder;
  EXPECT_TRUE(window_->screenshot((folder / "x.png").string()));
  EXPECT_EQ(after_click("1", 2), Commands{});
  window_->draw({});
  EXPECT_TRUE(window_->place_of("1").empty());
}

TEST_F(CallWindowTest, WithoutVideoThePictureIsForgotten) {
  std::vector<TileModel> tiles = some_tiles(1);
  window_->set_tiles(tiles);
  const auto picture = show("0", {64, 36}, 235);
  window_->draw({});
  const Rectangle place = window_->place_of("0");
  EXPECT_GT(pixel_at(place.x + 20, place.y + 20).g, 250);
  tiles[0].video = false;
  tiles[0].status = "camera off";
  window_->set_tiles(tiles);
  EXPECT_TRUE(picture.expired());
  EXPECT_TRUE(show("0").expired()) << "a late picture";
  window_->draw({});
  EXPECT_LT(pixel_at(place.x + 20, place.y + 20).g, 60);
}

TEST_F(CallWindowTest, PicturesOfNobodyAreNotKept) {
  EXPECT_TRUE(show("nobody").expired());
  window_->draw({});
}

TEST_F(CallWindowTest, TilesAreBounded) {
  std::vector<TileModel> tiles = some_tiles(100);
  tiles.insert(tiles.begin() + 1, tiles.front());  // the same key again
  tiles.insert(tiles.begin(), TileModel{.name = "without a key"});
  window_->set_tiles(tiles);
  std::size_t kept = 0;
  for (int i = 0; i < 100; ++i) kept += show(std::to_string(i)).expired() ? 0 : 1;
  EXPECT_EQ(kept, CallWindow::kMostTiles);
  window_->draw({});
  EXPECT_FALSE(window_->place_of("63").empty());
  EXPECT_TRUE(window_->place_of("64").empty());
}

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
  SDL_Event event{};
  event.type = SDL_MOUSEMOTION;
  ASSERT_EQ(SDL_PushEvent(&event), 1);
  const Timestamp before = steady_now();
  window_->wait(20ms);
  EXPECT_GE(steady_now() - before, 20ms);
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

}  // namespace
}  // namespace qvid::ui
