// The people of a call in its window, and what can be done about them by keys.
#include <SDL.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/ui/call/call_window_fixture.h"
#include "ui/call/people_model.h"

namespace qvid::ui {
namespace {

class CallWindowPeopleTest : public CallPanelTest {
 protected:
  CallWindowPeopleTest() {
    model_.people = {.people = {{.name = "Bob", .hand = 1, .tile = true, .audible = true},
                                {.name = "Me", .own = true},
                                {.name = "Cid"}},
                     .hands = true,
                     .moderates = true,
                     .chat = true};
    model_.chat.available = true;
  }
  void open() {
    window_->set_tiles(some_tiles(2));
    window_->draw(model_);
    EXPECT_EQ(after(SDLK_u), Commands{});
    draw();
  }
  // Goes down until space does that about somebody, or gives up.
  bool reaches(PersonAction action) {
    for (int i = 0; i < 20; ++i) {
      press(SDLK_DOWN);
      const Commands commands = press(SDLK_SPACE);
      for (const CallCommand command : commands) {
        if (command == CallCommand::kPerson && window_->person().action == action) return true;
      }
    }
    return false;
  }
};

TEST_F(CallWindowPeopleTest, AHandIsRaisedByKey) {
  EXPECT_EQ(after(SDLK_r), Commands{CallCommand::kHand});
  open();
  EXPECT_EQ(press(SDLK_r), Commands{CallCommand::kHand}) << "nothing is typed in the panel";
  EXPECT_EQ(press(SDLK_m), Commands{CallCommand::kMute});
  EXPECT_EQ(press(SDLK_ESCAPE), Commands{}) << "leaves the panel";
  EXPECT_EQ(press(SDLK_ESCAPE), Commands{CallCommand::kQuit});
}

TEST_F(CallWindowPeopleTest, SpaceIsThePanelsWhileItHasTheFocus) {
  open();
  const Commands commands = press(SDLK_SPACE);
  for (const CallCommand command : commands) EXPECT_NE(command, CallCommand::kTalk);
}

TEST_F(CallWindowPeopleTest, AModeratorFindsWhatMayBeDoneByKeys) {
  open();
  EXPECT_TRUE(reaches(PersonAction::kLock));
}

TEST_F(CallWindowPeopleTest, DrawsPeopleOfEveryKind) {
  model_.people.locked = true;
  model_.people.own_hand = true;
  for (int i = 0; i < 300; ++i) {
    model_.people.people.push_back(
        {.name = std::string(static_cast<std::size_t>(i % 64 + 1), 'x') + std::to_string(i),
         .muted = i % 2 == 0,
         .held = i % 3 == 0,
         .volume = 1.5f,
         .silenced = i % 5 == 0,
         .pinned = i == 7});
  }
  open();
  for (int i = 0; i < 5; ++i) press(SDLK_DOWN);
  press(SDLK_SPACE);
  std::vector<TileModel> tiles = some_tiles(4);
  for (int i = 0; i < 4; ++i) {
    tiles[static_cast<std::size_t>(i)].hand = i;
    tiles[static_cast<std::size_t>(i)].pinned = i == 3;
  }
  window_->set_tiles(tiles);
  draw();
}

}  // namespace
}  // namespace qvid::ui
