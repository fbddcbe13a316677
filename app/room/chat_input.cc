#include "app/room/chat_input.h"

#include <string_view>

#include "base/text.h"

namespace qvid::app {

ChatInput parse_chat_input(const std::string& line, const std::vector<std::string>& names) {
  if (!line.starts_with('@')) return {.to = {}, .text = line};
  const std::string_view rest = std::string_view(line).substr(1);
  std::string_view longest;
  for (const std::string& name : names) {
    if (name.size() <= longest.size() || !rest.starts_with(name)) continue;
    const std::string_view after = rest.substr(name.size());
    if (after.starts_with(' ') || after.starts_with(':')) longest = name;
  }
  // What was meant for one is never for all: the broker says that there is nobody of that name.
  if (longest.empty()) longest = rest.substr(0, rest.find_first_of(" :"));
  std::string_view text = rest.substr(longest.size());
  if (text.starts_with(':')) text.remove_prefix(1);
  return {.to = std::string(longest), .text = clean_line(text)};
}

}  // namespace qvid::app
