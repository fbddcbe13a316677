// When one is large: who is pinned, or shares, changes it until the caller chooses.
#include "ui/call/layout_choice.h"

#include <gtest/gtest.h>

namespace qvid::ui {
namespace {

constexpr auto kGrid = LayoutMode::kGrid;
constexpr auto kSpeaker = LayoutMode::kSpeaker;

TEST(LayoutChoice, APinOrAShareMakesOneLargeForAsLong) {
  LayoutChoice choice;
  choice.follow(false, true);
  EXPECT_EQ(choice.mode(), kSpeaker);
  EXPECT_EQ(choice.chosen(), kGrid) << "what is remembered is the caller's";
  choice.follow(true, true);
  choice.follow(true, false);
  EXPECT_EQ(choice.mode(), kSpeaker);
  choice.follow(false, false);
  EXPECT_EQ(choice.mode(), kGrid);
}

TEST(LayoutChoice, TheCallersWordHoldsUntilTheNextPin) {
  LayoutChoice choice;
  choice.follow(false, true);
  choice.toggle();
  choice.follow(false, true);
  EXPECT_EQ(choice.mode(), kGrid);
  choice.follow(true, true);
  EXPECT_EQ(choice.mode(), kSpeaker) << "somebody was pinned while another shares";
  choice.follow(false, true);
  EXPECT_EQ(choice.mode(), kGrid) << "of the share the caller has had the word";
  choice.follow(false, false);
  EXPECT_EQ(choice.mode(), kGrid);
}

TEST(LayoutChoice, TheFirstOfTwoCausesMayEndFirst) {
  LayoutChoice choice;
  choice.follow(true, false);
  choice.follow(true, true);
  choice.follow(false, true);
  EXPECT_EQ(choice.mode(), kSpeaker);
  EXPECT_EQ(choice.chosen(), kGrid);
  choice.follow(false, false);
  EXPECT_EQ(choice.mode(), kGrid);
}

TEST(LayoutChoice, WhoHadOneLargeHasItAfterwards) {
  LayoutChoice choice;
  choice.set(kSpeaker);
  choice.follow(true, false);
  choice.follow(false, false);
  EXPECT_EQ(choice.mode(), kSpeaker);
  EXPECT_EQ(choice.chosen(), kSpeaker);
}

}  // namespace
}  // namespace qvid::ui
