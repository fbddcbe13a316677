// TOML as this program's files are read: a table of keys with a check each, and what is wrong with a
// value in a sentence. For a broker's configuration and a person's settings.
//
//   text --parse_toml--> toml::table --read_field, key by key--> a struct C
//
// Pure. Thread: any.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "base/units.h"

namespace qvid::app {

inline constexpr std::size_t kMaxTomlFile = 64 * 1024;  // bytes
inline constexpr std::size_t kMaxTomlText = 4096;       // bytes of one text

// The error names `file` and the line, and is short. Texts go over one line each; beside texts and
// comments all is ASCII.
Result<toml::table> parse_toml(std::string_view text, const std::string& file);

// "FILE:LINE: what"
Error error_at(const std::string& file, const toml::source_region& where, const std::string& what);
// What people wrote, in an error: short, and no control characters.
std::string cut_short(std::string_view text, std::size_t most = 40);

// What is wrong with a value; empty: nothing.
using Trouble = std::optional<std::string>;
using TextCheck = Trouble (*)(const std::string&);

// How a value of the struct C is written, and what it may be.
template <class C>
struct TextField {
  std::string C::*place;
  TextCheck check;
};
template <class C>
struct TextsField {
  std::vector<std::string> C::*place;
  TextCheck check;
  std::size_t most;
};
template <class C>
struct FlagField {
  bool C::*place;
};
template <class C>
struct CountField {
  std::size_t C::*place;
  std::int64_t least;
  std::int64_t most;
};
template <class C>
struct SecondsField {
  Duration C::*place;
  double most;
};
// `place`: 0, or from `least` to `most`.
template <class C>
struct FactorField {
  float C::*place;
  float least;
  float most;
};
template <class C>
using TomlField = std::variant<TextField<C>, TextsField<C>, FlagField<C>, CountField<C>,
                               SecondsField<C>, FactorField<C>>;

// The text of a node that `check` finds nothing wrong with.
std::variant<std::string, Trouble> text_of_node(const toml::node& node, TextCheck check);

// Reads the value of a key into its place; where there is trouble that stays as it was.
template <class C>
struct FieldReader {
  const toml::node& node;
  C& into;

  Trouble operator()(const TextField<C>& field) const {
    auto read = text_of_node(node, field.check);
    if (auto* trouble = std::get_if<Trouble>(&read)) return *trouble;
    into.*field.place = std::get<std::string>(std::move(read));
    return std::nullopt;
  }
  Trouble operator()(const TextsField<C>& field) const {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() > field.most) {
      return fmt::format("write at most {} texts in square brackets", field.most);
    }
    std::vector<std::string> texts;
    for (const toml::node& one : *array) {
      auto read = text_of_node(one, field.check);
      if (auto* trouble = std::get_if<Trouble>(&read)) return *trouble;
      texts.push_back(std::get<std::string>(std::move(read)));
    }
    into.*field.place = std::move(texts);
    return std::nullopt;
  }
  Trouble operator()(const FlagField<C>& field) const {
    const auto flag = node.value_exact<bool>();
    if (!flag) return "write true or false";
    into.*field.place = *flag;
    return std::nullopt;
  }
  Trouble operator()(const CountField<C>& field) const {
    const auto number = node.value_exact<std::int64_t>();
    if (!number || *number < field.least || *number > field.most) {
      return fmt::format("write a whole number from {} to {}", field.least, field.most);
    }
    into.*field.place = static_cast<std::size_t>(*number);
    return std::nullopt;
  }
  Trouble operator()(const SecondsField<C>& field) const {
    const auto seconds =
        node.is_number() ? node.value<double>() : std::optional<double>();  // 2 and 2.5
    if (!seconds || !(*seconds >= 0 && *seconds <= field.most)) {
      return fmt::format("write a number of seconds from 0 to {}", field.most);
    }
    into.*field.place = from_seconds(*seconds);
    return std::nullopt;
  }
  Trouble operator()(const FactorField<C>& field) const {
    const auto factor = node.is_number() ? node.value<double>() : std::optional<double>();
    const auto value = static_cast<float>(factor.value_or(-1));
    if (value != 0 && !(value >= field.least && value <= field.most)) {
      return fmt::format("write a number from {} to {}, or 0 to leave it open", field.least,
                         field.most);
    }
    into.*field.place = value;
    return std::nullopt;
  }
};

template <class C>
Trouble read_field(const toml::node& node, const TomlField<C>& field, C& into) {
  return std::visit(FieldReader<C>{node, into}, field);
}

}  // namespace qvid::app
