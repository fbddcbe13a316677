// What is offered to be shared in a call's window, and how it is chosen by keys.
#include <SDL.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
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

// A desktop, of which a part can be chosen: the rectangle begins in the middle, half as large.
class CallWindowPartTest : public CallWindowShareTest {
 protected:
  void open_part() {
    offer({{.source = "screen::0", .title = "A part...", .part_of = {1280, 800}}});
    window_->show_still("screen::0", media::grey_frame({640, 400}, 128));
    EXPECT_EQ(press(SDLK_RETURN), Commands{}) << "nothing is shared yet";
    EXPECT_EQ(window_->share(), "");
  }
  Commands press_with(SDL_Keycode key, SDL_Keymod modifiers) {
    push_key(key, modifiers);
    push_key(key, modifiers, Stroke::kRelease);
    return window_->wait(1s);
  }
  Commands mouse(Uint32 type, int x, int y) {
    SDL_Event event{};
    event.type = type;
    if (type == SDL_MOUSEMOTION) {
      event.motion.x = x;
      event.motion.y = y;
    } else {
      event.button.button = SDL_BUTTON_LEFT;
      event.button.clicks = 1;
      event.button.x = x;
      event.button.y = y;
    }
    EXPECT_EQ(SDL_PushEvent(&event), 1);
    Commands commands = window_->wait(1s);
    window_->draw(model_);
    return commands;
  }
};

TEST_F(CallWindowPartTest, EnterSharesTheMiddle) {
  open_part();
  EXPECT_EQ(press(SDLK_RETURN), Commands{CallCommand::kShareThis});
  EXPECT_EQ(window_->share(), "screen::0@640x400+320+200");
  EXPECT_EQ(press(SDLK_RETURN), Commands{}) << "the panel has gone";
}

TEST_F(CallWindowPartTest, ArrowsMoveItAndSizeItWithShift) {
  open_part();
  press(SDLK_LEFT);
  press(SDLK_DOWN);
  press_with(SDLK_RIGHT, KMOD_CTRL);
  press_with(SDLK_RIGHT, KMOD_LSHIFT);
  press_with(SDLK_UP, static_cast<SDL_Keymod>(KMOD_LSHIFT | KMOD_LCTRL));
  EXPECT_EQ(press(SDLK_m), Commands{CallCommand::kMute}) << "other keys are the call's";
  press(SDLK_RETURN);
  EXPECT_EQ(window_->share(), "screen::0@656x398+306+216");
}

TEST_F(CallWindowPartTest, TheMouseDragsIt) {
  open_part();
  draw();
  // The picture's place is not told: that of a part is looked for by dragging in it.
  mouse(SDL_MOUSEMOTION, 200, 200);
  mouse(SDL_MOUSEBUTTONDOWN, 200, 200);
  mouse(SDL_MOUSEMOTION, 250, 240);
  mouse(SDL_MOUSEMOTION, 300, 250);
  mouse(SDL_MOUSEBUTTONUP, 300, 250);
  mouse(SDL_MOUSEMOTION, 500, 300);  // after it nothing changes
  press(SDLK_RETURN);
  int width = 0;
  int height = 0;
  int x = 0;
  int y = 0;
  ASSERT_EQ(std::sscanf(window_->share().c_str(), "screen::0@%dx%d+%d+%d", &width, &height, &x, &y),
            4)
      << window_->share();
  EXPECT_NE(window_->share(), "screen::0@640x400+320+200");
  EXPECT_NEAR(width, 2 * height, 8) << "as it was dragged: 100 by 50";
  EXPECT_GT(width, 100) << "in pixels of the desktop, which is larger than the window";
  EXPECT_LT(x + width / 2, 640) << "left of the middle";
}

TEST_F(CallWindowPartTest, AClickChangesNothing) {
  open_part();
  mouse(SDL_MOUSEMOTION, 200, 200);
  mouse(SDL_MOUSEBUTTONDOWN, 200, 200);
  mouse(SDL_MOUSEBUTTONUP, 200, 200);
  press(SDLK_RETURN);
  EXPECT_EQ(window_->share(), "screen::0@640x400+320+200");
}

TEST_F(CallWindowPartTest, EscapeGoesBackToWhatThereIs) {
  open_part();
  EXPECT_EQ(press(SDLK_ESCAPE), Commands{});
  EXPECT_EQ(press(SDLK_RETURN), Commands{}) << "the first is chosen again";
  EXPECT_EQ(press(SDLK_RETURN), Commands{CallCommand::kShareThis});
  EXPECT_EQ(window_->share(), "screen::0@640x400+320+200");
}

TEST_F(CallWindowPartTest, ItTakesTheWholeWindowAndGivesItBack) {
  window_->set_tiles(some_tiles(2));
  draw();
  const Rectangle before = window_->place_of("0");
  open_part();
  EXPECT_TRUE(window_->place_of("0").empty());
  press(SDLK_ESCAPE);
  press(SDLK_ESCAPE);
  EXPECT_EQ(window_->place_of("0"), before);
}

TEST_F(CallWindowShareTest, ALineHasItsPictureWhileItIsOffered) {
  const auto shown = [&](int luma) {
    auto frame = media::grey_frame({64, 40}, luma);
    const std::weak_ptr<const void> owner = frame.owner;
    window_->show_still("screen", frame);
    frame = {};
    draw();
    return !owner.expired();
  };
  EXPECT_FALSE(shown(40)) << "nothing is offered";
  offer(some_);
  const Rgb ground = pixel_at(445, 118);
  EXPECT_TRUE(shown(235));
  EXPECT_GT(pixel_at(445, 118).r, ground.r + 100) << "white, in the first line";
  press(SDLK_ESCAPE);
  EXPECT_FALSE(shown(235));
}

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
  EXPECT_EQ(window_->share_with_sound(), false);
  for (const SDL_Keycode tick : {SDLK_SPACE, SDLK_RETURN}) {
    offer(some_, false);
    press(SDLK_UP);
    EXPECT_EQ(press(tick), Commands{}) << "it is ticked, and nothing is shared yet";
    press(SDLK_DOWN);
    EXPECT_EQ(press(SDLK_RETURN), Commands{CallCommand::kShareThis});
    EXPECT_EQ(window_->share(), "screen");
    EXPECT_EQ(window_->share_with_sound(), true);
  }
}

TEST_F(CallWindowShareTest, SoundIsOfferedAsItWasAndWhereThereIsAny) {
  offer(some_, true);
  press(SDLK_RETURN);
  EXPECT_EQ(window_->share_with_sound(), true);
  offer(some_);
  press(SDLK_UP);
  press(SDLK_RETURN);
  EXPECT_EQ(window_->share_with_sound(), std::nullopt) << "not offered";
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
