// What somebody types in a chat, and to whom it is. Pure.
#pragma once

#include <string>
#include <vector>

namespace qvid::app {

// To all, or, as "@Ann hello" or "@Ann van Lee: hello", to a member of that name: of several that fit the
// longest, and where none fits to the first word, whoever that is.
struct ChatInput {
  std::string to{};
  std::string text{};
};
ChatInput parse_chat_input(const std::string& line, const std::vector<std::string>& names);

}  // namespace qvid::app
