// How a line of the log looks: "12:34:56.789 info text"; or, for programs, an object of JSON.
#pragma once

#include <spdlog/formatter.h>

#include <memory>

#include "app/log/log.h"

namespace qvid::app {

// What peers say may be in it, whoever logs it: without what would move a terminal's cursor or forge
// another line.
std::unique_ptr<spdlog::formatter> log_format();
// The same, as JSON: always UTF-8, and one line.
std::unique_ptr<spdlog::formatter> json_log_format();

// While it lives, the lines of this thread tell of that; the library hands on a text alone.
class SubjectOfLine {
 public:
  explicit SubjectOfLine(const LogSubject& subject);
  ~SubjectOfLine();
  SubjectOfLine(const SubjectOfLine&) = delete;
  SubjectOfLine& operator=(const SubjectOfLine&) = delete;
};

}  // namespace qvid::app
