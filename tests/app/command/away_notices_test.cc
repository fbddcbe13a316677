// What the desktop is given to show: whatever it is, it is text.
#include "app/command/away_notices.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

TEST(AwayNotices, WhatComesFromAfarIsNeitherOptionNorMarkup) {
  const auto command = notice_command("--help", "<b>Ann</b> & Bob\n\x1b[1m");
  ASSERT_GE(command.size(), 4u);
  EXPECT_EQ(command.front(), "notify-send");
  EXPECT_EQ(command[command.size() - 3], "--");
  EXPECT_EQ(command[command.size() - 2], "--help");
  const std::string& text = command.back();
  EXPECT_TRUE(text.starts_with("&lt;b&gt;Ann&lt;/b&gt; &amp; Bob")) << text;
  EXPECT_EQ(text.find_first_of("\n\x1b"), std::string::npos) << text;
}

}  // namespace
}  // namespace qvid::app
