// What a track of sound says of itself, and what else may be said there.
#include "app/protocol/sound_about.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

TEST(SoundAbout, ComesBack) {
  const auto about = parse_sound_about(serialise(SoundAbout{}));
  ASSERT_TRUE(about);
  EXPECT_EQ(about->codec, "opus");
}

TEST(SoundAbout, WhatIsNoSoundIsAnError) {
  for (const char* text :
       {"", "[]", "{}", R"({"kind":"video","codec":"opus"})", R"({"kind":"sound"})",
        R"({"kind":"sound","codec":"mp3"})", R"({"kind":"sound","codec":7})"}) {
    EXPECT_FALSE(parse_sound_about(text)) << text;
  }
}

}  // namespace
}  // namespace qvid::app
