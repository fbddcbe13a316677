// Buttons: where they are, when they are seen, what they do.
#include "ui/window/toolbar.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace qvid::ui {
namespace {

constexpr std::array kActions{KeyAction::kMute,   KeyAction::kCamera, KeyAction::kShare,
                              KeyAction::kHand,   KeyAction::kChat,   KeyAction::kPeople,
                              KeyAction::kLayout, KeyAction::kQuit};
constexpr media::PictureSize kWindow{800, 480};
const Timestamp kStart{};

ToolbarButton button_of(KeyAction action, media::PictureSize window = kWindow, int above = 0) {
  for (const ToolbarButton& button : lay_out_toolbar(kActions, window, above)) {
    if (button.action == action) return button;
  }
  ADD_FAILURE() << "no such button";
  return {};
}

TEST(Toolbar, ButtonsAreWithinTheWindowAndApart) {
  for (const media::PictureSize window :
       {media::PictureSize{320, 180}, kWindow, media::PictureSize{1280, 800}}) {
    const auto buttons = lay_out_toolbar(kActions, window, 40);
    ASSERT_FALSE(buttons.empty());
    std::set<KeyAction> actions;
    int right = 0;
    for (const ToolbarButton& button : buttons) {
      actions.insert(button.action);
      EXPECT_GE(button.place.x, right);
      right = button.place.x + button.place.width;
      EXPECT_LE(button.place.y + button.place.height, window.height - 40);
      EXPECT_GE(button.place.y, 0);
    }
    EXPECT_LE(right, window.width);
    EXPECT_EQ(actions.size(), buttons.size());
  }
  EXPECT_EQ(button_of(KeyAction::kMute).place.width, 44) << "a finger's";
  EXPECT_TRUE(lay_out_toolbar(kActions, {}, 0).empty());
  EXPECT_TRUE(lay_out_toolbar(kActions, {100, 400}, 0).empty());
  EXPECT_TRUE(lay_out_toolbar(kActions, {400, 60}, 30).empty());
}

TEST(Toolbar, ItIsSeenForAWhileAfterTheMouse) {
  Toolbar toolbar;
  EXPECT_FALSE(toolbar.seen(kStart));
  EXPECT_TRUE(toolbar.point(5, 5, kStart)) << "it appears";
  EXPECT_FALSE(toolbar.point(6, 5, kStart + 1s)) << "nothing looks another way";
  EXPECT_EQ(toolbar.end(kStart + 2s), kStart + 1s + Toolbar::kStays);
  EXPECT_TRUE(toolbar.seen(kStart + 3s));
  EXPECT_FALSE(toolbar.seen(kStart + 4s));
  EXPECT_EQ(toolbar.end(kStart + 4s), std::nullopt);
}

TEST(Toolbar, ItStaysWhileTheMouseIsOverAButton) {
  Toolbar toolbar;
  toolbar.place(kActions, kWindow, 0);
  const Rectangle mute = button_of(KeyAction::kMute).place;
  EXPECT_TRUE(toolbar.point(mute.x, mute.y, kStart));
  EXPECT_EQ(toolbar.hovered(), KeyAction::kMute);
  EXPECT_FALSE(toolbar.point(mute.x + 1, mute.y, kStart));
  EXPECT_TRUE(toolbar.seen(kStart + 1h));
  EXPECT_EQ(toolbar.end(kStart + 1h), std::nullopt);
  toolbar.leave();
  EXPECT_FALSE(toolbar.seen(kStart + 1h));
}

TEST(Toolbar, WhatGoesFromUnderTheMouseIsNotHovered) {
  Toolbar toolbar;
  toolbar.place(kActions, kWindow, 0);
  const Rectangle mute = button_of(KeyAction::kMute).place;
  toolbar.point(mute.x, mute.y, kStart);
  toolbar.place(kActions, kWindow, 60);
  EXPECT_EQ(toolbar.hovered(), KeyAction::kNone);
  EXPECT_TRUE(toolbar.seen(kStart + 1s));
  EXPECT_FALSE(toolbar.seen(kStart + 4s));
}

TEST(Toolbar, OnlyWhatWasDrawnCanBePressed) {
  Toolbar toolbar;
  const Rectangle quit = button_of(KeyAction::kQuit).place;
  toolbar.place(kActions, {}, 0);  // not seen
  toolbar.point(quit.x + 5, quit.y + 5, kStart);
  EXPECT_EQ(toolbar.press(quit.x + 5, quit.y + 5, kStart), std::nullopt);
  EXPECT_TRUE(toolbar.seen(kStart)) << "a finger brings it";
  toolbar.place(kActions, kWindow, 0);
  EXPECT_EQ(toolbar.press(quit.x + 5, quit.y + 5, kStart), KeyAction::kQuit);
  EXPECT_EQ(toolbar.press(5, 5, kStart), std::nullopt);
}

}  // namespace
}  // namespace qvid::ui
