// Where the processor draws, a new picture has its own tile drawn and nothing else; what is seen is the same
// as if all had been.
#include <SDL.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/ui/call/call_window_fixture.h"
#include "ui/call/call_window.h"

namespace qvid::ui {
namespace {

class CallWindowPartsTest : public CallWindowTest {
 protected:
  // One's own in the corner, over another; one without a picture; a name, a hand and a sign on each.
  static std::vector<TileModel> four_tiles() {
    std::vector<TileModel> tiles = some_tiles(4);
    tiles[0].own = true;
    tiles[3].video = false;
    for (int i = 0; i < 4; ++i) {
      tiles[static_cast<std::size_t>(i)].hand = i + 1;
      tiles[static_cast<std::size_t>(i)].link = {LinkQuality::kFair, "12 % lost"};
    }
    return tiles;
  }
  static std::vector<Uint32> all_pixels() {
    int width = 0;
    int height = 0;
    SDL_GetRendererOutputSize(renderer_of_window(), &width, &height);
    std::vector<Uint32> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    EXPECT_EQ(SDL_RenderReadPixels(renderer_of_window(), nullptr, SDL_PIXELFORMAT_RGB888,
                                   pixels.data(), width * 4),
              0);
    return pixels;
  }
  // Red, in the middle of a tile: what is drawn over it was drawn anew.
  static void mark(const Rectangle& place) {
    SDL_SetRenderDrawColor(renderer_of_window(), 255, 0, 0, 255);
    const SDL_Rect where = middle(place);
    ASSERT_EQ(SDL_RenderFillRect(renderer_of_window(), &where), 0);
  }
  static bool is_marked(const Rectangle& place) {
    const SDL_Rect where = middle(place);
    const Rgb at = pixel_at(where.x + 2, where.y + 2);
    return at.r == 255 && at.g == 0 && at.b == 0;
  }
  static int difference(Uint32 one, Uint32 other) {
    int worst = 0;
    for (const int shift : {0, 8, 16}) {
      const auto channel = [shift](Uint32 pixel) {
        return static_cast<int>(pixel >> shift & 255U);
      };
      worst = std::max(worst, std::abs(channel(one) - channel(other)));
    }
    return worst;
  }
  void show_all(int luma) {
    for (const char* key : {"0", "1", "2"}) show(key, {64, 36}, luma);
  }

 private:
  static SDL_Rect middle(const Rectangle& place) {
    return {place.x + place.width / 3, place.y + place.height / 3, 6, 6};
  }
};

TEST_F(CallWindowPartsTest, ANewPictureHasItsTileDrawnAlone) {
  window_->set_tiles(four_tiles());
  show_all(60);
  ASSERT_TRUE(window_->draw({}));
  ASSERT_TRUE((SDL_RENDERER_SOFTWARE & [] {
                SDL_RendererInfo info;
                SDL_GetRendererInfo(renderer_of_window(), &info);
                return info.flags;
              }()) != 0);
  mark(window_->place_of("1"));
  mark(window_->place_of("3"));
  show("2", {64, 36}, 200);
  ASSERT_TRUE(window_->draw({}));
  EXPECT_TRUE(is_marked(window_->place_of("1")));
  EXPECT_TRUE(is_marked(window_->place_of("3")));
  show("1", {64, 36}, 200);
  ASSERT_TRUE(window_->draw({}));
  EXPECT_FALSE(is_marked(window_->place_of("1")));
  std::vector<TileModel> tiles = four_tiles();
  tiles[3].speaking = true;
  window_->set_tiles(tiles);
  ASSERT_TRUE(window_->draw({}));
  EXPECT_FALSE(is_marked(window_->place_of("3"))) << "who speaks now";
}

TEST_F(CallWindowPartsTest, WhatMovesHasAllDrawn) {
  window_->set_tiles(four_tiles());
  show_all(60);
  ASSERT_TRUE(window_->draw({}));
  mark(window_->place_of("1"));
  show("2", {36, 64}, 200);  // of another shape, but in its box
  ASSERT_TRUE(window_->draw({}));
  EXPECT_FALSE(is_marked(window_->place_of("1")));
  mark(window_->place_of("1"));
  ASSERT_TRUE(window_->draw({.members = 9}));
  EXPECT_FALSE(is_marked(window_->place_of("1"))) << "the bar";
}

// The frame before is drawn again, so it must not point at a texture that is gone.
TEST_F(CallWindowPartsTest, APictureThatGoesAndComesBackIsSeen) {
  std::vector<TileModel> tiles = four_tiles();
  window_->set_tiles(tiles);
  show_all(60);
  ASSERT_TRUE(window_->draw({}));
  for (const bool whole : {true, false}) {
    tiles[1].video = false;
    window_->set_tiles(tiles);
    if (whole) {
      ASSERT_TRUE(window_->draw({}));
    }
    tiles[1].video = true;
    window_->set_tiles(tiles);
    for (const int luma : {120, 200}) {
      show("1", {64, 36}, luma);
      ASSERT_TRUE(window_->draw({}));
      const Rectangle place = window_->place_of("1");
      EXPECT_NEAR(pixel_at(place.x + place.width / 2, place.y + place.height / 2).g,
                  (luma - 16) * 255 / 219, 4);
    }
  }
}

// But for what rounding does to a glow that is laid on (pixel_layer.h), and for letters over the edge of a tile: SDL scales what is left of them after clipping, from the next
// whole pixel on.
TEST_F(CallWindowPartsTest, LooksAsIfAllWereDrawn) {
  constexpr int kRounding = 2;  // steps of a channel
  for (const char* scale : {"1", "1.5", "2"}) {
    SCOPED_TRACE(scale);
    window_.reset();
    window_ = open({.title = "test", .size = {640, 386}, .scale = std::stof(scale)});
    ASSERT_NE(window_, nullptr);
    settle();
    std::vector<TileModel> tiles = four_tiles();
    window_->set_tiles(tiles);
    show_all(60);
    CallModel model = full_model();
    window_->draw(model);
    for (int turn = 0; turn < 16; ++turn) {
      const auto one = static_cast<std::size_t>(turn / 2 % 4);
      if (turn % 2 == 0) {
        tiles[one].speaking = !tiles[one].speaking;
        tiles[one].loudness = -30 + turn;
        tiles[(one + 1) % 4].link.quality = LinkQuality::kPoor;
        window_->set_tiles(tiles);
      }
      show(std::to_string(turn % 3), {64, 36}, 80 + 10 * turn);
      ASSERT_TRUE(window_->draw(model));
      // Nothing but pictures is new, and no frame of ImGui is made: from the second time on what lies over
      // them is laid on as it was.
      for (int again = 0; again < turn % 4; ++again) {
        show_all(200 - 10 * turn - 20 * again);
        ASSERT_TRUE(window_->draw(model));
      }
      const std::vector<Uint32> in_parts = all_pixels();
      after_window_event(SDL_WINDOWEVENT_EXPOSED);
      ASSERT_TRUE(window_->draw(model));
      const std::vector<Uint32> whole = all_pixels();
      ASSERT_EQ(in_parts.size(), whole.size());
      std::size_t others = 0;
      int worst = 0;
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const int off = difference(in_parts[i], whole[i]);
        if (off > kRounding) ++others;
        worst = std::max(worst, off);
      }
      EXPECT_LT(others, whole.size() / 200) << "turn " << turn;
      EXPECT_LT(worst, 32) << "turn " << turn;
      settle();  // or all is drawn in the next turn
    }
  }
}

}  // namespace
}  // namespace qvid::ui
