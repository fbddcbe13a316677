#include "app/command/sound_notices.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace qvid::app {
namespace {

TEST(SoundNotices, TroubleIsToldToTheWindowAndWaitsForIt) {
  SoundNotices notices;
  std::vector<std::string> told;
  for (std::size_t i = 0; i <= SoundNotices::kMostWaiting; ++i) {
    notices.tell({.ok = false, .text = std::to_string(i)});
  }
  notices.tell({.ok = true, .text = "well"});
  notices.set_sink([&](const std::string& text) { told.push_back(text); });
  EXPECT_EQ(told, (std::vector<std::string>{"1", "2", "3", "4"})) << "the newest";
  notices.tell({.ok = false, .text = "lost\n"});
  ASSERT_EQ(told.size(), 5u);
  EXPECT_EQ(told.back().find('\n'), std::string::npos);
  notices.tell({.ok = true, .text = "used again"});
  notices.set_sink({});
  notices.tell({.ok = false, .text = "nobody hears this"});
  EXPECT_EQ(told.size(), 5u);
}

}  // namespace
}  // namespace qvid::app
