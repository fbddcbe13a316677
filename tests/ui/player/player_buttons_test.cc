#include "ui/player/player_buttons.h"

#include <gtest/gtest.h>

#include "ui/window/toolbar.h"

namespace qvid::ui {
namespace {

TEST(PlayerButtons, AllFitIntoASmallWindow) {
  EXPECT_EQ(lay_out_toolbar(player_actions(true, true), {320, 180}, 34).size(), 12u);
  EXPECT_EQ(player_actions(true, false).size(), 11u);
}

TEST(PlayerButtons, EachSaysWhatItDoesAndItsKey) {
  EXPECT_EQ(tooltip_of(KeyAction::kPause, PlayerButtons{}), "Pause (Space)");
  EXPECT_EQ(tooltip_of(KeyAction::kPause, PlayerButtons{.paused = true}), "Play on (Space)");
  EXPECT_EQ(tooltip_of(KeyAction::kSilence, PlayerButtons{.silenced = true}), "Sound on (m)");
  EXPECT_EQ(tooltip_of(KeyAction::kLouder, PlayerButtons{}), "Louder (+)");
  EXPECT_EQ(tooltip_of(KeyAction::kNextSpeed, PlayerButtons{}), "Speed ([ ])");
  EXPECT_EQ(tooltip_of(KeyAction::kLayers, PlayerButtons{}), "Base layer alone: less data (l)");
  EXPECT_EQ(tooltip_of(KeyAction::kLayers, PlayerButtons{.base_alone = true}),
            "All layers: sharper (l)");
  EXPECT_EQ(speed_text(1), "1");
  EXPECT_EQ(speed_text(1.25), "1.25");
  for (const KeyAction action : player_actions(true, true)) {
    EXPECT_NE(tooltip_of(action, PlayerButtons{}).find(" ("), std::string::npos);
  }
}

}  // namespace
}  // namespace qvid::ui
