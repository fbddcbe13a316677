// Which tiles of a call are drawn where there are more than fit.
#include "tests/ui/call/call_window_fixture.h"

namespace qvid::ui {
namespace {

TEST_F(CallWindowTest, TilesThatDoNotFitAreOnOtherPages) {
  // 640x386: four columns, three rows.
  window_->set_tiles(some_tiles(30));
  window_->draw({});
  const auto seen = [&](const std::string& key) { return !window_->place_of(key).empty(); };
  EXPECT_TRUE(seen("0") && seen("11"));
  EXPECT_FALSE(seen("12"));
  EXPECT_GE(window_->place_of("0").width, 100);
  EXPECT_EQ(after(SDLK_PAGEUP), Commands{}) << "there is none before";
  EXPECT_EQ(after(SDLK_PAGEDOWN), Commands{});
  window_->draw({});
  EXPECT_TRUE(seen("12") && seen("23"));
  EXPECT_FALSE(seen("0") || seen("24"));
  after(SDLK_PAGEDOWN);
  after(SDLK_PAGEDOWN);
  window_->draw({});
  EXPECT_TRUE(seen("24") && seen("29")) << "the last";
  // Who is selected is shown.
  after(SDLK_TAB);
  window_->draw({});
  EXPECT_TRUE(seen("0"));
  // Where they all fit again there is one page.
  after(SDLK_PAGEDOWN);
  window_->set_tiles(some_tiles(12));
  window_->draw({});
  EXPECT_TRUE(seen("0") && seen("11"));
}

TEST_F(CallWindowTest, BesideALargeOneThereArePagesToo) {
  window_->set_tiles(some_tiles(30));
  window_->draw({});
  const auto seen = [&](const std::string& key) { return !window_->place_of(key).empty(); };
  after(SDLK_l);
  window_->draw({});
  // 640x360 below the bar: the strip at the right has twelve places, the one below six.
  EXPECT_TRUE(seen("0") && seen("1") && seen("6"));
  EXPECT_FALSE(seen("7"));
  EXPECT_GE(window_->place_of("6").width, 80);
  after(SDLK_PAGEDOWN);
  window_->draw({});
  EXPECT_TRUE(seen("0")) << "who is large is on each";
  EXPECT_TRUE(seen("7") && seen("12"));
  EXPECT_FALSE(seen("6") || seen("13"));
  EXPECT_EQ(window_->shown().front(), "0");
  EXPECT_EQ(window_->shown().size(), 7u);
}

TEST_F(CallWindowTest, TheOwnPictureIsOnEachPage) {
  std::vector<TileModel> tiles = some_tiles(30);
  tiles[3].own = true;
  window_->set_tiles(tiles);
  window_->draw({});
  const auto seen = [&](const std::string& key) { return !window_->place_of(key).empty(); };
  EXPECT_TRUE(seen("3") && seen("12")) << "it takes no place";
  after(SDLK_PAGEDOWN);
  window_->draw({});
  EXPECT_TRUE(seen("3") && seen("13"));
  EXPECT_FALSE(seen("0"));
}

}  // namespace
}  // namespace qvid::ui
