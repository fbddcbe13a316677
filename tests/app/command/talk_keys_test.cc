// Shows when one is heard, by whichever keys are held.
#include "app/command/talk_keys.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

TEST(TalkKeys, WhoIsMutedIsHeardWhileAKeyIsHeld) {
  for (const TalkKey key : {TalkKey::kWindow, TalkKey::kDesktop}) {
    TalkKeys keys(true);
    EXPECT_FALSE(keys.heard());
    keys.set_held(key, true);
    EXPECT_TRUE(keys.heard());
    EXPECT_TRUE(keys.muted()) << "but for the key";
    keys.set_held(key, true);  // told twice
    keys.set_held(key, false);
    EXPECT_FALSE(keys.heard());
    keys.set_held(key, false);
    EXPECT_FALSE(keys.heard());
  }
}

TEST(TalkKeys, OfTwoThatAreHeldOneIsEnough) {
  TalkKeys keys(true);
  keys.set_held(TalkKey::kWindow, true);
  keys.set_held(TalkKey::kDesktop, true);
  keys.set_held(TalkKey::kWindow, false);
  EXPECT_TRUE(keys.heard());
  keys.set_held(TalkKey::kDesktop, false);
  EXPECT_FALSE(keys.heard());
}

TEST(TalkKeys, WhoIsNotMutedIsHeardWhateverTheKeysDo) {
  TalkKeys keys(false);
  EXPECT_TRUE(keys.heard());
  keys.set_held(TalkKey::kDesktop, true);
  keys.set_held(TalkKey::kDesktop, false);
  EXPECT_TRUE(keys.heard());
}

TEST(TalkKeys, WhoMutesIsHeardNoMoreEvenWithAKeyHeld) {
  TalkKeys keys(false);
  keys.set_held(TalkKey::kWindow, true);
  keys.set_held(TalkKey::kDesktop, true);
  keys.toggle_mute();
  EXPECT_FALSE(keys.heard());
  EXPECT_FALSE(keys.talking());
  keys.set_held(TalkKey::kDesktop, true);  // pressed anew
  EXPECT_TRUE(keys.heard());
  keys.toggle_mute();
  EXPECT_TRUE(keys.heard());
  EXPECT_FALSE(keys.muted());
}

}  // namespace
}  // namespace qvid::app
