#include "pubsub/wire/control_values.h"

#include <algorithm>

#include "base/text.h"
#include "pubsub/wire/json_fields.h"

namespace qps {

using nlohmann::json;

bool within_depth(const json& value, int levels) {
  if (!value.is_structured()) return true;
  if (levels == 0) return false;
  return std::ranges::all_of(value, [&](const json& v) { return within_depth(v, levels - 1); });
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxName || text.front() == ' ' || text.back() == ' ') {
    return false;
  }
  const bool plain = std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  return plain;
}

bool is_clean_name(std::string_view text) {
  if (!is_name(text)) return false;
  const auto is_space = [](char32_t c) {
    return c == ' ' || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f ||
           c == 0x205f || c == 0x3000 || c == 0x2800;
  };
  const auto is_joiner = [](char32_t c) { return c == 0x200c || c == 0x200d; };
  constexpr char32_t kBeyondLatin = 0x370;
  char32_t before = ' ';
  while (!text.empty()) {
    const char32_t c = qvid::take_character(text);
    if (qvid::is_control(c) || qvid::is_direction(c) || qvid::is_invisible(c) ||
        c == qvid::kNoCharacter) {
      return false;
    }
    const bool at_an_end = before == U' ' && is_space(c);
    if (at_an_end || (is_joiner(c) && before < kBeyondLatin)) return false;
    if (is_joiner(before) && (c < kBeyondLatin || is_joiner(c))) return false;
    before = c;
  }
  return !is_space(before) && !is_joiner(before);
}

bool is_track(std::string_view text) {
  return text.size() <= kMaxTrack && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

bool are_attributes(const json& value) {
  return value.is_object() && within_depth(value, kMaxAttributeDepth) &&
         dump(value).size() <= kMaxAttributes;
}

}  // namespace qps
