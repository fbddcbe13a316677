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

// notify-send makes of "\\074" a "<", after which it would be markup.
TEST(AwayNotices, NothingIsAnEscape) {
  EXPECT_EQ(notice_command("den", "C:\\074b\\076").back(), "C:\\\\074b\\\\076");
}

TEST(AwayNotices, ComeOneAtATime) {
  AwayNotices notices;
  const Timestamp start(1h);
  EXPECT_TRUE(notices.take_turn(start));
  EXPECT_FALSE(notices.take_turn(start + AwayNotices::kBetween - 1ms));
  EXPECT_TRUE(notices.take_turn(start + AwayNotices::kBetween));
}

}  // namespace
}  // namespace qvid::app
