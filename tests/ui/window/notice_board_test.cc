#include "ui/window/notice_board.h"

#include <gtest/gtest.h>

#include <string>

namespace qvid::ui {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

TEST(NoticeBoardTest, WhatIsLongIsShownAsLongAsItTakesToReadIt) {
  const Timestamp start{};
  NoticeBoard board;
  const std::string sentence(120, 'x');
  board.add(sentence, start);
  board.add("Ann joined", start + 1s);
  EXPECT_EQ(board.next_end(start + 1s), start + 5s) << "the later one goes first";
  EXPECT_EQ(board.at(start + 5s), Texts{sentence});
  EXPECT_EQ(board.next_end(start + 5s), start + 120 * NoticeBoard::kPerByte);
  EXPECT_EQ(board.at(start + 120 * NoticeBoard::kPerByte), Texts{});
  NoticeBoard another;
  another.add(std::string(100'000, 'x'), start);
  EXPECT_EQ(another.next_end(start), start + NoticeBoard::kMostRead * NoticeBoard::kPerByte);
}

}  // namespace
}  // namespace qvid::ui
