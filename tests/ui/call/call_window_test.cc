// What the window of a call draws and keeps.
#include "ui/call/call_window.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "tests/temporary_folder.h"
#include "tests/ui/call/call_window_fixture.h"
#include "ui/call/call_view.h"
#include "ui/call/tile_board.h"

namespace qvid::ui {
namespace {

TEST_F(CallWindowTest, DrawsWithoutAnybody) {
  window_->draw({});
  window_->draw(full_model());
}

TEST_F(CallWindowTest, SaysWhenItWasDrawn) {
  const Timestamp before = steady_now();
  const auto presented = window_->draw({.members = 3});
  ASSERT_TRUE(presented);
  EXPECT_GE(*presented, before);
  EXPECT_LE(*presented, steady_now());
}

TEST_F(CallWindowTest, WhatHasNotChangedIsNotDrawnAgain) {
  window_->set_tiles(some_tiles(2));
  CallModel model{.room = "team", .members = 2};
  EXPECT_TRUE(window_->draw(model));
  window_->set_tiles(some_tiles(2));
  EXPECT_FALSE(window_->draw(model));
  show("1");
  EXPECT_TRUE(window_->draw(model)) << "a picture";
  EXPECT_FALSE(window_->draw(model));
  model.members = 3;
  EXPECT_TRUE(window_->draw(model)) << "the bar";
  std::vector<TileModel> tiles = some_tiles(2);
  tiles[0].speaking = true;
  window_->set_tiles(tiles);
  EXPECT_TRUE(window_->draw(model)) << "a tile";
  EXPECT_FALSE(window_->draw(model));
  model.overlay.rows = {{"delay", "43 ms"}};
  EXPECT_FALSE(window_->draw(model)) << "statistics that are not shown";
  after(SDLK_TAB);
  EXPECT_TRUE(window_->draw(model)) << "a key";
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

TEST_F(CallWindowTest, ASignOfTheConnectionHasAsManyBarsAsItIsGood) {
  std::vector<TileModel> tiles = some_tiles(4);
  const auto quality = [&](std::size_t i, LinkQuality q) { tiles[i].link = {q, "12 % lost"}; };
  quality(1, LinkQuality::kPoor);
  quality(2, LinkQuality::kFair);
  quality(3, LinkQuality::kGood);
  window_->set_tiles(tiles);
  window_->draw({});
  // At the lower right of the tile, the third bar, as the colour of its foot tells.
  const auto bar = [&](const std::string& key, int number) {
    const Rectangle place = window_->place_of(key);
    return pixel_at(place.x + place.width - 6 - 22 + 5 + 6 * number, place.y + place.height - 11);
  };
  EXPECT_LT(bar("0", 0).r, 60) << "not known: none";
  EXPECT_GT(bar("1", 0).r, 200);
  EXPECT_LT(bar("1", 1).r, 130);
  EXPECT_GT(bar("2", 1).r, 200);
  EXPECT_LT(bar("2", 2).r, 130);
  EXPECT_GT(bar("3", 2).g, 180);
  EXPECT_LT(bar("3", 2).r, 120);
}

TEST_F(CallWindowTest, WhatASignMeansIsSaidOfTheTileThatIsPointedAt) {
  std::vector<TileModel> tiles = some_tiles(2);
  tiles[1].link = {LinkQuality::kFair, "12 % lost"};
  window_->set_tiles(tiles);
  window_->draw({});
  const auto words = [&] {
    const Rectangle place = window_->place_of("1");
    int bright = 0;
    for (int y = place.y + place.height - 48; y < place.y + place.height - 30; ++y) {
      for (int x = place.x + place.width - 60; x < place.x + place.width - 8; ++x) {
        bright = std::max(bright, pixel_at(x, y).g);
      }
    }
    return bright > 150;
  };
  EXPECT_FALSE(words());
  move_mouse_to("1");
  EXPECT_TRUE(window_->draw({})) << "the mouse has come over it";
  EXPECT_TRUE(words());
  move_mouse_to("0");
  window_->draw({});
  EXPECT_FALSE(words());
  after(SDLK_i);
  window_->draw({});
  EXPECT_TRUE(words()) << "with the statistics, of everybody";
}

// Red at the left of the bar, however narrow it is and whatever else it says.
TEST_F(CallWindowTest, WhoRecordsIsToldBeforeAllElse) {
  const auto is_red = [&] {
    const auto pixel = pixel_at(10, kCallBarHeight / 2);
    return pixel.r > 150 && pixel.g < 80;
  };
  CallModel model{.room = std::string(200, 'r'), .members = 3, .sharing = true, .frozen = true};
  window_->draw(model);
  EXPECT_FALSE(is_red());
  for (const std::string& names : {std::string("Rec"), std::string(300, 'x')}) {
    model.recorders = names;
    ASSERT_TRUE(window_->draw(model));
    EXPECT_TRUE(is_red()) << names;
  }
}

TEST_F(CallWindowTest, ACameraThatGivesNothingIsToldInWords) {
  std::vector<TileModel> tiles = some_tiles(1);
  tiles[0].own = true;
  tiles[0].video = false;
  tiles[0].status = "camera /dev/video0 is busy; close the program that is using it; trying again";
  window_->set_tiles(tiles);
  CallModel model{.room = "team", .camera_on = true};
  model.notices.add(tiles[0].status + std::string(2000, 'x'), steady_now());
  EXPECT_TRUE(window_->draw(model));
  model.camera_fault = true;
  EXPECT_TRUE(window_->draw(model)) << "the bar says so";
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

// The middle of a tile, where the initials are.
std::vector<int> initials_seen(const Rectangle& tile) {
  std::vector<int> seen;
  for (int y = tile.y + tile.height / 2 - 25; y < tile.y + tile.height / 2 + 25; ++y) {
    for (int x = tile.x + tile.width / 2 - 25; x < tile.x + tile.width / 2 + 25; ++x) {
      seen.push_back(pixel_at(x, y).g > 190 ? 1 : 0);
    }
  }
  return seen;
}

TEST_F(CallWindowTest, EveryScriptIsDrawnAtOnce) {
  std::vector<TileModel> tiles = some_tiles(3);
  tiles[0].name = "Щука";
  tiles[1].name = "Жанна";
  tiles[2].name = "\uFDD0";  // in no font
  window_->set_tiles(tiles);
  window_->draw({});
  const auto first = initials_seen(window_->place_of("0"));
  const auto second = initials_seen(window_->place_of("1"));
  const auto none = initials_seen(window_->place_of("2"));
  if (first == second && second == none) GTEST_SKIP() << "no font here has Cyrillic";
  EXPECT_NE(first, second);
  EXPECT_NE(first, none);
  EXPECT_NE(second, none);
  window_->draw({});
  EXPECT_EQ(initials_seen(window_->place_of("0")), first);
}

TEST_F(CallWindowTest, AScaleMakesEverythingLarger) {
  window_.reset();
  window_ = open({.title = "test", .size = {400, 240}, .scale = 2});
  ASSERT_NE(window_, nullptr);
  settle();
  window_->set_tiles(some_tiles(2));
  show("1", {64, 36}, 235);
  window_->draw({});
  const Rectangle place = window_->place_of("1");
  EXPECT_GT(place.width, 150);
  EXPECT_LE(place.x + place.width, 400);
  EXPECT_EQ(window_->pixels_of("1"), (media::PictureSize{2 * place.width, 2 * place.height}));
  EXPECT_GT(pixel_at(2 * place.x + place.width, 2 * place.y + place.height / 2).g, 250);
  // The mouse is told of in units of SDL's window.
  SDL_Event event{};
  event.type = SDL_MOUSEBUTTONDOWN;
  event.button.button = SDL_BUTTON_LEFT;
  event.button.clicks = 1;
  event.button.x = 2 * place.x + place.width;
  event.button.y = 2 * place.y + place.height;
  ASSERT_EQ(SDL_PushEvent(&event), 1);
  window_->wait(1s);
  EXPECT_EQ(window_->selected(), "1");
}

TEST_F(CallWindowTest, TilesAreBounded) {
  std::vector<TileModel> tiles = some_tiles(100);
  tiles.insert(tiles.begin() + 1, tiles.front());  // the same key again
  tiles.insert(tiles.begin(), TileModel{.name = "without a key"});
  window_->set_tiles(tiles);
  std::size_t kept = 0;
  for (int i = 0; i < 100; ++i) kept += show(std::to_string(i)).expired() ? 0 : 1;
  EXPECT_EQ(kept, TileBoard::kMost);
  bool last = false;
  bool beyond = false;
  for (int page = 0; page < 10; ++page) {
    window_->draw({});
    last = last || !window_->place_of("63").empty();
    beyond = beyond || !window_->place_of("64").empty();
    after(SDLK_PAGEDOWN);
  }
  EXPECT_TRUE(last);
  EXPECT_FALSE(beyond);
}

}  // namespace
}  // namespace qvid::ui
