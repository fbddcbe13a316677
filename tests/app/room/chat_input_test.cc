#include "app/room/chat_input.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

TEST(ChatInput, IsToAllOrToWhoIsNamed) {
  const std::vector<std::string> names{"Ann", "Ann van Lee", "Bob"};
  const auto read = [&](const std::string& line) {
    const ChatInput input = parse_chat_input(line, names);
    return input.to + "|" + input.text;
  };
  EXPECT_EQ(read("hello"), "|hello");
  EXPECT_EQ(read("@Bob hello"), "Bob|hello");
  EXPECT_EQ(read("@Bob: hello"), "Bob|hello");
  EXPECT_EQ(read("@Ann van Lee: hello"), "Ann van Lee|hello");
  EXPECT_EQ(read("@Ann van der Bilt"), "Ann|van der Bilt");
  EXPECT_EQ(read("@Bobby hello"), "Bobby|hello") << "nobody of that name, and so not to all";
  EXPECT_EQ(read("@Bob"), "Bob|");
  EXPECT_EQ(read(""), "|");
}

}  // namespace
}  // namespace qvid::app
