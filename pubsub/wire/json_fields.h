// Kinds of fields of control messages. A kind says how one value is written as JSON, and reads it
// back from JSON in which anything may come: nothing where it is of another type or beyond its
// bounds. Which message has which fields, a table says (message_table.h).
//
//   struct AKind {
//     std::optional<T> read(const nlohmann::json& value) const;
//     nlohmann::json write(const T& value) const;
//   };
//
// Pure. Bounds: kMaxControlMessage of a text, and each kind's own. Thread: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/units.h"

namespace qps {

inline constexpr std::size_t kMaxControlMessage = 16 * 1024;  // bytes
inline constexpr std::size_t kMaxText = 4096;                 // bytes of a field
// What is written of a text for a person: a byte that is no UTF-8 becomes three.
inline constexpr std::size_t kMaxWrittenText = kMaxText / 3;

inline std::optional<nlohmann::json> parse_object(std::string_view text) {
  if (text.size() > kMaxControlMessage) return std::nullopt;
  nlohmann::json value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) return std::nullopt;
  return value;
}

// Text of a peer may be any bytes; JSON is UTF-8.
inline std::string dump(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

struct Flag {
  std::optional<bool> read(const nlohmann::json& value) const {
    if (!value.is_boolean()) return std::nullopt;
    return value.get<bool>();
  }
  nlohmann::json write(bool flag) const { return flag; }
};

// A whole number within its bounds, which T holds.
template <class T>
struct Number {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<T>::max();

  std::optional<T> read(const nlohmann::json& value) const {
    if (!value.is_number_integer()) return std::nullopt;
    // Larger than the signed type holds: beyond any bound.
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() >
            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::nullopt;
    }
    const auto number = value.get<std::int64_t>();
    if (number < least || number > most) return std::nullopt;
    return static_cast<T>(number);
  }
  nlohmann::json write(T number) const { return number; }
};

// A text that programs read: the same bytes on both sides. `is`, where there is one, has the last
// word on what is taken.
struct Text {
  std::size_t most = kMaxText;  // bytes
  bool (*is)(std::string_view) = nullptr;

  std::optional<std::string> read(const nlohmann::json& value) const {
    if (!value.is_string()) return std::nullopt;
    auto text = value.get<std::string>();
    if (text.size() > most || (is != nullptr && !is(text))) return std::nullopt;
    return text;
  }
  nlohmann::json write(const std::string& text) const { return text; }
};

// A text for a person: without control characters where it is read, cut where it is written.
struct Shown {
  std::size_t most = kMaxText;  // bytes
  bool (*is)(std::string_view) = nullptr;

  std::optional<std::string> read(const nlohmann::json& value) const {
    auto text = Text{most, is}.read(value);
    if (text) text = qvid::printable(std::move(*text));
    return text;
  }
  nlohmann::json write(const std::string& text) const { return text.substr(0, kMaxWrittenText); }
};

// A duration from zero on, as whole milliseconds.
struct Milliseconds {
  qvid::Duration most;

  std::optional<qvid::Duration> read(const nlohmann::json& value) const {
    const auto ms = Number<std::int64_t>{0, in_ms(most)}.read(value);
    if (!ms) return std::nullopt;
    return std::chrono::milliseconds(*ms);
  }
  nlohmann::json write(qvid::Duration d) const { return in_ms(d); }

 private:
  static std::int64_t in_ms(qvid::Duration d) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
  }
};

// One of an enumeration's values, by its name.
template <class E>
struct Word {
  std::string_view (*name)(E);
  std::optional<E> (*parse)(std::string_view);

  std::optional<E> read(const nlohmann::json& value) const {
    const auto word = Text{}.read(value);
    if (!word) return std::nullopt;
    return parse(*word);
  }
  nlohmann::json write(E e) const { return name(e); }
};

template <class Kind>
struct ListOf {
  Kind each;
  std::size_t least = 0;  // entries
  std::size_t most;

  using Value = typename decltype(each.read({}))::value_type;
  std::optional<std::vector<Value>> read(const nlohmann::json& value) const {
    if (!value.is_array() || value.size() < least || value.size() > most) return std::nullopt;
    std::vector<Value> list;
    for (const nlohmann::json& entry : value) {
      auto read = each.read(entry);
      if (!read) return std::nullopt;
      list.push_back(*std::move(read));
    }
    return list;
  }
  nlohmann::json write(const std::vector<Value>& list) const {
    nlohmann::json array = nlohmann::json::array();
    for (const Value& entry : list) array.push_back(each.write(entry));
    return array;
  }
};
template <class Kind>
ListOf(Kind, std::size_t, std::size_t) -> ListOf<Kind>;

// Of attributes, which are no message: whatever a peer has told, nothing where it is no flag.
inline std::optional<bool> flag_field(const nlohmann::json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? std::nullopt : Flag{}.read(*it);
}

}  // namespace qps
