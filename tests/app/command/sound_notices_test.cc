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
  notices.set_sink([&](const media::SoundStatus& status) { told.push_back(status.text); });
  EXPECT_EQ(told, (std::vector<std::string>{"1", "2", "3", "4"})) << "the newest";
  notices.tell({.ok = false, .text = "lost"});
  notices.tell({.ok = true, .text = "used again"});
  ASSERT_EQ(told.size(), 6u) << "what is well again too, while there is a window";
  EXPECT_EQ(told.back(), "used again");
  notices.set_sink({});
  notices.tell({.ok = false, .text = "nobody hears this"});
  EXPECT_EQ(told.size(), 6u);
}

}  // namespace
}  // namespace qvid::app
