#include "pubsub/wire/criterion_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <vector>

namespace qps {

using qvid::Error;
using qvid::Result;

namespace {

constexpr int kMaxDepth = 32;  // of parentheses

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The length of the UTF-8 character at the beginning; 0: it is none.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  std::uint32_t value = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues_character(text[i])) return 0;
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  const bool overlong = length == 3 ? value < 0x800 : length == 4 && value < 0x10000;
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  return overlong || surrogate || value > 0x10FFFF ? 0 : length;
}

std::optional<Error> text_error(std::string_view text) {
  if (text.size() > kMaxCriterion) {
    return Error{"the criterion has " + std::to_string(text.size()) + " bytes; at most " +
                 std::to_string(kMaxCriterion) + " are allowed"};
  }
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) {
      return Error{"byte " + std::to_string(at + 1) + " of the criterion is no UTF-8"};
    }
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
      return Error{"byte " + std::to_string(at + 1) +
                   " of the criterion is a control character; of those only tab and newline are "
                   "allowed"};
    }
    at += length;
  }
  return std::nullopt;
}

// As in SQLite's tokenizer.
bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_' || c == '$';
}

struct Token {
  enum class Kind { kWord, kQuoted, kSymbol };
  Kind kind = Kind::kSymbol;
  std::string_view text{};
  std::size_t at = 0;
  int depth = 0;  // of parentheses around it; of a parenthesis, around the pair

  bool is(std::string_view keyword) const {
    return kind == Kind::kWord &&
           std::equal(text.begin(), text.end(), keyword.begin(), keyword.end(), [](char a, char b) {
             return std::toupper(static_cast<unsigned char>(a)) == b;
           });
  }
  bool is_symbol(char c) const { return kind == Kind::kSymbol && text.front() == c; }
};
using Tokens = std::vector<Token>;

// Where the quoted text that begins at `at` ends; npos: nowhere. A doubled quote is within.
std::size_t quote_end(std::string_view text, std::size_t at) {
  const char quote = text[at] == '[' ? ']' : text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] != quote) continue;
    const bool doubled = quote != ']' && i + 1 < text.size() && text[i + 1] == quote;
    if (!doubled) return i + 1;
    ++i;
  }
  return std::string_view::npos;
}

std::optional<Error> symbol_error(std::string_view text, std::size_t at) {
  const std::string_view here = text.substr(at);
  if (here.front() == ';') {
    return Error{"there is a semicolon " + place_in(text, at) +
                 "; a criterion is a part of one statement and ends without"};
  }
  if (here.starts_with("--") || here.starts_with("/*")) {
    return Error{"a comment begins " + place_in(text, at) +
                 "; there are none in a criterion (two minus signs need a space between them)"};
  }
  if (std::string_view("?:@#$").find(here.front()) != std::string_view::npos) {
    return Error{"there is a parameter " + place_in(text, at) +
                 "; write the value itself, a text in single quotes"};
  }
  return std::nullopt;
}

Result<Tokens> tokens_of(std::string_view text) {
  Tokens tokens;
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (std::string_view(" \t\n\r").find(c) != std::string_view::npos) {
      ++at;
      continue;
    }
    Token token{.kind = Token::Kind::kSymbol, .text = text.substr(at, 1), .at = at, .depth = depth};
    if (std::string_view("'\"`[").find(c) != std::string_view::npos) {
      const std::size_t end = quote_end(text, at);
      if (end == std::string_view::npos) {
        return Error{"the quote that begins " + place_in(text, at) + " is never closed"};
      }
      token.kind = Token::Kind::kQuoted;
      token.text = text.substr(at, end - at);
    } else if (is_word(c) && c != '$') {
      const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
      std::size_t end = at;
      while (end < text.size() && (is_word(text[end]) || (number && text[end] == '.'))) ++end;
      token.kind = Token::Kind::kWord;
      token.text = text.substr(at, end - at);
    } else if (auto error = symbol_error(text, at)) {
      return *error;
    } else if (c == '(') {
      if (++depth > kMaxDepth) {
        return Error{"more than " + std::to_string(kMaxDepth) +
                     " parentheses are open within each other " + place_in(text, at)};
      }
    } else if (c == ')') {
      if (depth == 0) {
        return Error{"the parenthesis closed " + place_in(text, at) + " was never opened"};
      }
      token.depth = --depth;
    }
    at += token.text.size();
    tokens.push_back(token);
  }
  if (depth > 0) {
    const auto open = std::find_if(tokens.rbegin(), tokens.rend(), [depth](const Token& t) {
      return t.is_symbol('(') && t.depth == depth - 1;
    });
    return Error{"the parenthesis opened " + place_in(text, open->at) + " is never closed"};
  }
  return tokens;
}

std::optional<Error> refused_word(std::string_view text, const Tokens& tokens) {
  static constexpr std::array<std::string_view, 8> kOuter = {
      "SELECT", "VALUES", "GROUP", "HAVING", "UNION", "INTERSECT", "EXCEPT", "OFFSET"};
  const Token* before = nullptr;                    // the last one that is no opening parenthesis
  std::array<const Token*, kMaxDepth + 1> first{};  // within the parentheses open at each depth
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const auto depth = static_cast<std::size_t>(token.depth);
    if (first[depth] == nullptr) first[depth] = &token;
    if (token.is_symbol('(')) first[depth + 1] = nullptr;
    const auto says = [&](std::string_view why) {
      return Error{"there is " + shortened(token.text, 20) + " " + place_in(text, token.at) + "; " +
                   std::string(why)};
    };
    if (token.is("WITH")) return says("name a subquery's columns in place, without WITH");
    if (token.is("OVER") || token.is("WINDOW")) {
      return says(
          "windows are not offered; a subquery such as (SELECT avg(loudness) FROM "
          "publishers) compares with all");
    }
    const bool opens = token.is_symbol('(');
    const bool from = before != nullptr && (before->is("FROM") || before->is("JOIN"));
    const bool in_select = before != nullptr && before->is_symbol(',') &&
                           first[static_cast<std::size_t>(before->depth)]->is("SELECT");
    const bool as_table =
        in_select && tokens[i - 1].is_symbol('(') && (token.is("SELECT") || token.is("VALUES"));
    if ((opens && from) || as_table) {
      return says(
          "a subquery reads publishers, or json_each of an attribute, not another subquery");
    }
    if (token.depth == 0) {
      for (const std::string_view word : kOuter) {
        if (!token.is(word)) continue;
        if (word == "SELECT" || word == "VALUES") {
          return says(i == 0 ? "leave out what comes before WHERE, ORDER BY or LIMIT"
                             : "a subquery needs parentheses around it");
        }
        return says("a criterion has nothing but WHERE, ORDER BY and LIMIT");
      }
    }
    if (!opens) before = &token;
  }
  return std::nullopt;
}

Result<std::size_t> limit_of(std::string_view text, const Tokens& tokens, std::size_t first) {
  std::size_t limit = 0;
  const bool one = first + 1 == tokens.size();
  if (one) {
    const std::string_view number = tokens[first].text;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), limit);
    if (error == std::errc() && end == number.data() + number.size() && limit >= 1 &&
        limit <= kMaxSeats) {
      return limit;
    }
  }
  const std::size_t at = first < tokens.size() ? tokens[first].at : text.size();
  return Error{"after LIMIT, " + place_in(text, at) + ", there must be one number of seats, 1 to " +
               std::to_string(kMaxSeats) + ", and nothing behind it"};
}

}  // namespace

std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  std::size_t end = bytes;
  while (end > 0 && continues_character(text[end])) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string place_in(std::string_view text, std::size_t offset) {
  std::size_t from = std::min(offset, text.size());
  while (from < text.size() && std::isspace(static_cast<unsigned char>(text[from])) != 0) ++from;
  if (from == text.size()) return "at the end";
  const auto character =
      1 + std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(from),
                        [](char c) { return !continues_character(c); });
  std::string there = shortened(text.substr(from), 24);
  std::replace_if(
      there.begin(), there.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return "at character " + std::to_string(character) + " (" + there + ")";
}

Result<CriterionParts> split_criterion(std::string_view text) {
  if (auto error = text_error(text)) return *error;
  const auto tokens = tokens_of(text);
  if (!tokens) return tokens.error();
  if (auto error = refused_word(text, *tokens)) return *error;

  // The clauses' keywords, which are reserved words: outside of parentheses they are nothing else.
  enum Clause : std::size_t { kNone, kWhere, kOrder, kLimit };
  struct Begin {
    Clause clause = kNone;
    std::size_t keyword = 0;  // tokens
    std::size_t content = 0;
  };
  std::vector<Begin> begins;
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    const Token& token = (*tokens)[i];
    if (token.depth != 0) continue;
    Begin begin{.clause = kNone, .keyword = i, .content = i + 1};
    if (token.is("WHERE")) begin.clause = kWhere;
    if (token.is("LIMIT")) begin.clause = kLimit;
    if (token.is("ORDER")) {
      begin.clause = kOrder;
      if (i + 1 == tokens->size() || !(*tokens)[i + 1].is("BY")) {
        return Error{"ORDER without BY " + place_in(text, token.at) +
                     "; write for example ORDER BY loudness DESC"};
      }
      begin.content = i + 2;
    }
    if (begin.clause == kNone) continue;
    if (!begins.empty() && begins.back().clause >= begin.clause) {
      return Error{shortened(token.text, 20) + " " + place_in(text, token.at) +
                   " is out of order; first WHERE, then ORDER BY, then LIMIT, each once"};
    }
    begins.push_back(begin);
  }
  if (!tokens->empty() && (begins.empty() || begins.front().keyword != 0)) {
    return Error{"a criterion begins with WHERE, ORDER BY or LIMIT, not with " +
                 shortened(tokens->front().text, 24)};
  }

  CriterionParts parts;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const Begin& begin = begins[i];
    if (begin.clause == kLimit) {
      const auto limit = limit_of(text, *tokens, begin.content);
      if (!limit) return limit.error();
      parts.limit = *limit;
      continue;
    }
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1].keyword : tokens->size();
    if (begin.content == end || (*tokens)[end - 1].is_symbol(',')) {
      const std::size_t at = end < tokens->size() ? (*tokens)[end].at : text.size();
      return Error{std::string("something is missing ") + place_in(text, at) +
                   (begin.clause == kWhere ? ": WHERE needs a condition, such as loudness > -40"
                                           : ": ORDER BY needs terms, such as loudness DESC")};
    }
    const std::size_t from = (*tokens)[begin.content].at;
    const Token& last = (*tokens)[end - 1];
    const std::string_view content = text.substr(from, last.at + last.text.size() - from);
    (begin.clause == kWhere ? parts.where : parts.order) = content;
  }
  return parts;
}

}  // namespace qps
