// The panel of devices in a call's window: opened by its key, and chosen by keys.
#include <SDL.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/ui/call/call_window_fixture.h"

namespace qvid::ui {
namespace {

class CallWindowDevicesTest : public CallPanelTest {
 protected:
  void open_panel() {
    window_->set_tiles(some_tiles(2));
    model_.devices.groups = {
        {.kind = DeviceKind::kCamera,
         .entries = {{"a", "Integrated"}, {"b", "USB"}, {"", "None"}},
         .used = "b"},
        {.kind = DeviceKind::kMicrophone,
         .entries = {{"", "The system's"}, {"mike", "Mike"}, {"none", "None"}},
         .trouble = "microphone 'Mike' cannot be opened: nothing is changed"},
        {.kind = DeviceKind::kLoudspeaker, .entries = {{"", std::string(2000, 'x')}}}};
    window_->draw(model_);
    EXPECT_FALSE(window_->shows_devices());
    EXPECT_EQ(after(SDLK_o), Commands{});
    draw();
    EXPECT_TRUE(window_->shows_devices());
  }
  // What is chosen so many lines below, or above, the one in use.
  std::string chosen_at(SDL_Keycode key, int times) {
    for (int i = 0; i < times; ++i) EXPECT_EQ(press(key), Commands{});
    EXPECT_EQ(press(SDLK_RETURN), Commands{CallCommand::kDevice});
    return std::to_string(static_cast<int>(window_->device().kind)) + window_->device().device;
  }
};

TEST_F(CallWindowDevicesTest, BeginsAtTheOneInUseAndStays) {
  open_panel();
  EXPECT_EQ(chosen_at(SDLK_DOWN, 0), "0b");
  EXPECT_TRUE(window_->shows_devices());
  EXPECT_EQ(press(SDLK_ESCAPE), Commands{});
  EXPECT_FALSE(window_->shows_devices());
  EXPECT_EQ(press(SDLK_RETURN), Commands{});
}

TEST_F(CallWindowDevicesTest, ArrowsGoThroughAllLists) {
  open_panel();
  EXPECT_EQ(chosen_at(SDLK_UP, 1), "0a");
  EXPECT_EQ(chosen_at(SDLK_DOWN, 2), "0");
  EXPECT_EQ(chosen_at(SDLK_DOWN, 2), "1mike");
  EXPECT_EQ(chosen_at(SDLK_DOWN, 1), "1none");
  EXPECT_EQ(chosen_at(SDLK_DOWN, 1), "2");
}

TEST_F(CallWindowDevicesTest, KeysOfTheCallGoOn) {
  open_panel();
  EXPECT_EQ(press(SDLK_m), Commands{CallCommand::kMute});
  EXPECT_EQ(press(SDLK_o), Commands{}) << "the key that opened it";
  EXPECT_FALSE(window_->shows_devices());
}

TEST_F(CallWindowDevicesTest, ADeviceThatComesOrGoesLeavesTheFocusWhereItIs) {
  open_panel();
  press(SDLK_UP);  // "a"
  auto& cameras = model_.devices.groups[0].entries;
  cameras.insert(cameras.begin(), {.device = "new", .name = "New"});
  draw();
  EXPECT_EQ(chosen_at(SDLK_DOWN, 0), "0a");
  model_.devices.groups[0].entries = {{"b", "USB"}, {"", "None"}};
  draw();
  EXPECT_EQ(window_->wait(1ms), Commands{});
  model_.devices.groups.clear();
  draw();
  EXPECT_EQ(press(SDLK_RETURN), Commands{});
}

}  // namespace
}  // namespace qvid::ui
