// The buttons of a call: what they do, and how they say it.
#include "ui/call/call_buttons.h"

#include <gtest/gtest.h>

namespace qvid::ui {
namespace {

TEST(CallButtons, AllFitIntoASmallWindow) {
  EXPECT_EQ(lay_out_toolbar(call_actions(false), {320, 180}, 0).size(), 11u);
  EXPECT_EQ(lay_out_toolbar(call_actions(true), {320, 180}, 0).size(), 12u);
}

TEST(CallButtons, EachSaysWhatItDoesAndItsKey) {
  EXPECT_EQ(tooltip_of(KeyAction::kMute, CallButtons{.microphone = Microphone::kOn}), "Mute (m)");
  EXPECT_EQ(tooltip_of(KeyAction::kMute, CallButtons{.microphone = Microphone::kUnheard}),
            "Unmute (m)");
  EXPECT_EQ(tooltip_of(KeyAction::kMute, CallButtons{}), "No microphone (m)");
  EXPECT_EQ(tooltip_of(KeyAction::kCamera, CallButtons{.camera_on = true}), "Camera off (c)");
  EXPECT_EQ(tooltip_of(KeyAction::kShare, CallButtons{.sharing = true}), "Stop sharing (d)");
  EXPECT_EQ(tooltip_of(KeyAction::kFreeze, CallButtons{.sharing = true, .frozen = true}),
            "Show it as it is again (z)");
  EXPECT_EQ(tooltip_of(KeyAction::kRecord, CallButtons{.recording = true}), "Stop recording (e)");
  for (const auto& actions : {call_actions(true), more_actions()}) {
    for (const KeyAction action : actions) {
      EXPECT_NE(tooltip_of(action, CallButtons{}).find(" ("), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace qvid::ui
