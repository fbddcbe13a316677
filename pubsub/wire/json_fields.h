// Reading control messages: JSON objects in which any text may come. Each reader bounds its field
// and gives nothing where it is missing, of another kind or beyond its bound.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace qps {

inline constexpr std::size_t kMaxControlMessage = 16 * 1024;  // bytes
inline constexpr std::size_t kMaxText = 4096;                 // bytes of a field
// What is written: a byte that is no UTF-8 becomes three.
inline constexpr std::size_t kMaxWrittenText = kMaxText / 3;

inline std::optional<nlohmann::json> parse_object(std::string_view text) {
  if (text.size() > kMaxControlMessage) return std::nullopt;
  nlohmann::json value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) return std::nullopt;
  return value;
}

inline std::optional<std::string> string_field(const nlohmann::json& object, const char* key,
                                               std::size_t longest = kMaxText) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_string()) return std::nullopt;
  auto text = it->get<std::string>();
  if (text.size() > longest) return std::nullopt;
  return text;
}

// The same, to be shown to a person.
inline std::optional<std::string> text_field(const nlohmann::json& object, const char* key) {
  auto text = string_field(object, key);
  if (text) text = qvid::printable(std::move(*text));
  return text;
}

inline std::optional<std::int64_t> integer(const nlohmann::json& value, std::int64_t low,
                                           std::int64_t high) {
  if (!value.is_number_integer()) return std::nullopt;
  // Larger than the signed type holds: not in any range used here.
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  const auto number = value.get<std::int64_t>();
  if (number < low || number > high) return std::nullopt;
  return number;
}

inline std::optional<std::int64_t> integer_field(const nlohmann::json& object, const char* key,
                                                 std::int64_t low, std::int64_t high) {
  const auto it = object.find(key);
  if (it == object.end()) return std::nullopt;
  return integer(*it, low, high);
}

inline std::optional<bool> flag_field(const nlohmann::json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_boolean()) return std::nullopt;
  return it->get<bool>();
}

inline std::optional<std::uint32_t> stream_field(const nlohmann::json& object,
                                                 const char* key = "stream") {
  const auto stream = integer_field(object, key, 0, std::numeric_limits<std::uint32_t>::max());
  if (!stream) return std::nullopt;
  return static_cast<std::uint32_t>(*stream);
}

inline std::string shortened(const std::string& text) { return text.substr(0, kMaxWrittenText); }

// Text of a peer may be any bytes; JSON is UTF-8.
inline std::string dump(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace qps
