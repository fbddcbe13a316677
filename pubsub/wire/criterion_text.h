// The outer form of a criterion, before SQLite sees it: `[WHERE e] [ORDER BY t, ...] [LIMIT n]`.
//
// What is checked here makes it sound to put text of a stranger between text of ours,
//
//     SELECT name FROM publishers WHERE ( e ) ORDER BY t, ... , joined, name LIMIT ?1
//
// whatever e and t are: the text is UTF-8 without NUL and control characters, every quote is
// closed, there is no comment, no semicolon and no parameter, parentheses are in balance in each
// part, and no part holds the keyword that would begin another. So a comma after the terms is
// outside of all of them, and what does not fit the grammar is an error of SQLite's parser.
//
// Three things are refused because their cost is in compiling, where no count of steps bounds it:
// WITH, and a subquery or parentheses as a table, as they multiply expressions; windows, as they
// have an order of their own in which ties would not be broken.
//
// Pure. Bound: kMaxCriterion. Thread: any.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace qps {

inline constexpr std::size_t kMaxCriterion = 1024;  // bytes
inline constexpr std::size_t kMaxSeats = 64;

// Views into the text; empty where that part is not there.
struct CriterionParts {
  std::string_view where{};  // the expression
  std::string_view order{};  // the terms
  std::optional<std::size_t> limit{};
};
qvid::Result<CriterionParts> split_criterion(std::string_view text);

// For messages: "at character 10 (loudnes DESC)", "at the end".
std::string place_in(std::string_view text, std::size_t offset);

// At most so many bytes, not ending within a character; with "..." where something is left out.
std::string shortened(std::string_view text, std::size_t bytes);

}  // namespace qps
