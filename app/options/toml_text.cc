#include "app/options/toml_text.h"

#include <algorithm>

namespace qvid::app {
namespace {

constexpr std::size_t kMostDots = 1000;

// What of a line toml++ may stumble over; empty: nothing. Adds to `dots` those beside texts.
const char* trouble_of_line(std::string_view line, std::size_t& dots) {
  char quote = 0;  // of the text that it is in
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '#') return nullptr;
    if (static_cast<unsigned char>(c) >= 0x80) {
      return "write other letters than ASCII in quotes alone";
    }
    if (c == '"' || c == '\'') {
      if (line.substr(i, 3) == std::string(3, c)) {
        return "write a text in one line, in single or double quotes";
      }
      quote = c;
    }
    if (c == '.') ++dots;
  }
  return nullptr;
}

// What toml++ (3.3, 3.4) is kept from, in lines that are no comments; a text of many lines could
// hide one. A letter beyond ASCII outside of a text leads it to code that it declares unreachable,
// and tables within tables are a recursion of it that has a bound for brackets (256), none for dots.
std::optional<Error> not_for_the_parser(std::string_view text, const std::string& file) {
  std::size_t dots = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const char* trouble = trouble_of_line(line, dots);
    if (dots > kMostDots) trouble = "there are too many dots for a configuration";
    if (trouble != nullptr) return Error{fmt::format("{}:{}: {}", file, number, trouble)};
  }
  return std::nullopt;
}

}  // namespace

std::string cut_short(std::string_view text, std::size_t most) {
  return printable(std::string(text.substr(0, most))) + (text.size() > most ? "..." : "");
}

Error error_at(const std::string& file, const toml::source_region& where, const std::string& what) {
  return Error{fmt::format("{}:{}: {}", file, where.begin.line, what)};
}

Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
  if (text.size() > kMaxTomlFile) {
    return Error{
        fmt::format("{}: more than {} bytes: this is no configuration", file, kMaxTomlFile)};
  }
  if (auto trouble = not_for_the_parser(text, file)) return *std::move(trouble);
  try {
    return toml::table(toml::parse(text));
  } catch (const toml::parse_error& e) {
    return error_at(file, e.source(),
                    "write key = value, the value a text in quotes, a number, true or false (" +
                        cut_short(e.description(), 200) + ")");
  }
}

std::variant<std::string, Trouble> text_of_node(const toml::node& node, TextCheck check) {
  auto text = node.value_exact<std::string>();
  if (!text) return Trouble("write a text in quotes");
  if (text->size() > kMaxTomlText || printable(*text) != *text) {
    return Trouble(
        fmt::format("write a text of at most {} bytes without control characters", kMaxTomlText));
  }
  if (auto trouble = check(*text)) return trouble;
  return *std::move(text);
}

}  // namespace qvid::app
