// What a party keeps of what it is told by chat.
#include "app/room/chat_log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace qvid::app {
namespace {

using Texts = std::vector<std::string>;

class ChatLogTest : public testing::Test {
 protected:
  Texts texts() const {
    Texts all;
    for (const ChatMessage& message : log_.messages()) all.push_back(text_of(message));
    return all;
  }
  ChatLog log_{"Ann"};
  ChatTime now_{std::chrono::hours(480'000)};
};

TEST_F(ChatLogTest, MessagesAreKeptWithWhoWhenAndToWhom) {
  const ChatMessage* first =
      log_.add({.from = "Bob", .text = "hello", .number = 1, .ago = 90s}, now_);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->time, now_ - 90s);
  EXPECT_FALSE(first->own);
  EXPECT_TRUE(log_.add({.from = "Ann", .text = "hi", .number = 2}, now_)->own);
  log_.add({.from = "Bob", .text = "psst", .to = "Ann"}, now_);
  log_.note("not sent: too many", now_);
  EXPECT_EQ(texts(), (Texts{"Bob: hello", "Ann: hi", "Bob to Ann: psst", "not sent: too many"}));
  EXPECT_EQ(log_.told(), 2u) << "one's own are no news";
}

TEST_F(ChatLogTest, ABrokerThatCleansNothingForgesNoLine) {
  log_.add({.from = "Bob\x1b[2J", .text = "a\nEve: b\u202e", .number = 1}, now_);
  EXPECT_EQ(texts(), Texts{"Bob [2J: a Eve: b"});
  EXPECT_EQ(log_.add({.from = "Bob", .text = "\u200b", .number = 2}, now_), nullptr);
}

TEST_F(ChatLogTest, WhatIsToldAgainAfterALostConnectionIsKnown) {
  const qps::Said one{.from = "Bob", .text = "one", .number = 1, .ago = 0s};
  log_.joined();
  EXPECT_NE(log_.add(one, now_), nullptr);
  EXPECT_NE(log_.add({.from = "Bob", .text = "psst", .to = "Ann"}, now_), nullptr);
  log_.joined();
  now_ += 60s;
  EXPECT_EQ(log_.add({.from = "Bob", .text = "one", .number = 1, .ago = 59s}, now_), nullptr);
  EXPECT_NE(log_.add({.from = "Bob", .text = "two", .number = 2}, now_), nullptr);
  // The room has begun anew.
  log_.joined();
  EXPECT_NE(log_.add(one, now_), nullptr) << "the same words, a minute later";
  EXPECT_EQ(log_.messages().size(), 4u);
}

TEST_F(ChatLogTest, WhatIsMissingIsSaid) {
  log_.joined();
  log_.add({.from = "Bob", .text = "a", .number = 5}, now_);
  log_.add({.from = "Bob", .text = "b", .number = 6}, now_);
  log_.add({.from = "Bob", .text = "c", .number = 9}, now_);
  EXPECT_EQ(texts(), (Texts{"Bob: a", "Bob: b", "2 messages did not come through", "Bob: c"}));
}

TEST_F(ChatLogTest, ItIsBounded) {
  for (int i = 1; i <= 2000; ++i) {
    log_.add({.from = "Bob", .text = std::to_string(i), .number = i}, now_);
  }
  EXPECT_EQ(log_.messages().size(), ChatLog::kMost);
  EXPECT_EQ(log_.messages().back().text, "2000");
  EXPECT_EQ(log_.told(), 2000u);
}

}  // namespace
}  // namespace qvid::app
