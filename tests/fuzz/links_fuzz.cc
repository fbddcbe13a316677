// Any text as one of chat: its parts are all of it, and what is a link is one by itself, too.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ui/text/links.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t at = 0;
  for (const qvid::ui::TextPart& part : qvid::ui::split_links(text)) {
    if (part.begin != at || part.end <= at || part.end > size) std::abort();
    at = part.end;
    if (part.link && !qvid::ui::is_link(text.substr(part.begin, part.end - part.begin))) {
      std::abort();
    }
  }
  if (at != size) std::abort();
  return 0;
}
