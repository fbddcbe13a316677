// What is offered to be shared in a call's window, and how it is chosen by keys.
#include <SDL.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/ui/call/call_window_fixture.h"

namespace qvid::ui {
namespace {

class CallWindowShareTest : public CallPanelTest {
 protected:
  void offer(std::vector<ShareChoice> choices, std::optional<bool> with_sound = {}) {
    window_->set_tiles(some_tiles(2));
    window_->draw(model_);
    EXPECT_EQ(after(SDLK_d), Commands{CallCommand::kShare}) << "the app says what there is";
    window_->offer_shares(std::move(choices), with_sound);
    draw();
  }
  const std::vector<ShareChoice> some_{
      {.source = "screen", .title = "The whole desktop", .detail = "1280x800"},
      {.source = "screen@window=0x1", .title = "A letter"},
      {.source = "screen@window=0x2", .title = std::string(2000, 'x')}};
};

TEST_F(CallWindowShareTest, EnterTakesTheFirst) {
  offer(some_);
  EXPECT_EQ(press(SDLK_RETURN), Commands{CallCommand::kShareThis});
  EXPECT_EQ(window_->share(), "screen");
  EXPECT_EQ(press(SDLK_RETURN), Commands{}) << "the panel has gone";
  EXPECT_EQ(press(SDLK_d), Commands{CallCommand::kShare});
}

TEST_F(CallWindowShareTest, ArrowsGoToTheOthers) {
  offer(some_);
  for (int i = 0; i < 4 && window_->share() != "screen@window=0x2"; ++i) {
    for (int down = 0; down <= i; ++down) press(SDLK_DOWN);
    press(SDLK_RETURN);
    window_->offer_shares(some_);
    draw();
  }
  EXPECT_EQ(window_->share(), "screen@window=0x2");
}

TEST_F(CallWindowShareTest, SoundGoesAlongWhereThatIsTicked) {
  offer(some_, false);
  EXPECT_EQ(press(SDLK_RETURN), Commands{CallCommand::kShareThis});
  EXPECT_EQ(window_->share(), "screen") << "Enter takes the first all the same";
  EXPECT_FALSE(window_->share_with_sound());
  for (const SDL_Keycode tick : {SDLK_SPACE, SDLK_RETURN}) {
    offer(some_, false);
    press(SDLK_UP);
    EXPECT_EQ(press(tick), Commands{}) << "it is ticked, and nothing is shared yet";
    press(SDLK_DOWN);
    EXPECT_EQ(press(SDLK_RETURN), Commands{CallCommand::kShareThis});
    EXPECT_EQ(window_->share(), "screen");
    EXPECT_TRUE(window_->share_with_sound());
  }
}

TEST_F(CallWindowShareTest, SoundIsOfferedAsItWasAndWhereThereIsAny) {
  offer(some_, true);
  press(SDLK_RETURN);
  EXPECT_TRUE(window_->share_with_sound());
  offer(some_);
  press(SDLK_UP);
  press(SDLK_RETURN);
  EXPECT_FALSE(window_->share_with_sound());
}

TEST_F(CallWindowShareTest, NothingIsSharedByLeaving) {
  offer(some_);
  EXPECT_EQ(press(SDLK_m), Commands{CallCommand::kMute}) << "nothing is typed in the panel";
  EXPECT_EQ(press(SDLK_ESCAPE), Commands{});
  EXPECT_EQ(window_->share(), "");
  offer(some_);
  EXPECT_EQ(press(SDLK_d), Commands{}) << "the key that opened it";
  EXPECT_EQ(press(SDLK_RETURN), Commands{});
  EXPECT_EQ(window_->share(), "");
}

TEST_F(CallWindowShareTest, SaysWhereThereIsNothing) {
  offer({});
  EXPECT_EQ(press(SDLK_RETURN), Commands{});
  EXPECT_EQ(press(SDLK_ESCAPE), Commands{}) << "leaves the panel";
  EXPECT_EQ(press(SDLK_ESCAPE), Commands{CallCommand::kQuit});
}

TEST_F(CallWindowShareTest, AnyNumberOfWindows) {
  std::vector<ShareChoice> many;
  for (int i = 0; i < 300; ++i) {
    many.push_back({.source = std::to_string(i), .title = "Window " + std::to_string(i)});
  }
  offer(many);
  for (int i = 0; i < 40; ++i) press(SDLK_DOWN);
  EXPECT_EQ(press(SDLK_RETURN), Commands{CallCommand::kShareThis});
  EXPECT_NE(window_->share(), "0");
}

}  // namespace
}  // namespace qvid::ui
