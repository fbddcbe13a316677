#include "pubsub/wire/control_values.h"

#include <algorithm>

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
