// The program's log: a line each, on stderr and in the log file (log_file.h), formatted as by fmt.
//
// Only app/log knows the library behind it. What formats is compiled once, not in every file that
// logs: by spdlog's own functions it cost each of them 3 s.
//
// Thread: any.
#pragma once

#include <fmt/core.h>

#include <string_view>

namespace qvid::app {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// On stderr, from kInfo on. Once, before anything is logged.
void open_log(const char* program);

// The least level that is logged from now on.
void set_log_level(LogLevel least);

// How a line looks from now on: "12:34:56.789 info text", or an object of JSON for programs, with
// `time` (UTC), `level` and `text`, and of the subject what there is.
enum class LogForm { kText, kJson };
void set_log_form(LogForm form);

// Of whom or what a line tells; empty: of nobody. A line of text has no more than its text.
struct LogSubject {
  std::string_view client;
  std::string_view room;
  std::string_view member;
};
void log_about(LogLevel level, const LogSubject& subject, std::string_view text);

void log_formatted(LogLevel level, fmt::string_view format, fmt::format_args arguments);

// `format` is checked by the compiler; a text that is not known to it is an argument ("{}").
template <typename... Arguments>
void log_at(LogLevel level, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_formatted(level, format, fmt::make_format_args(arguments...));
}
template <typename... Arguments>
void log_debug(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_formatted(LogLevel::kDebug, format, fmt::make_format_args(arguments...));
}
template <typename... Arguments>
void log_info(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_formatted(LogLevel::kInfo, format, fmt::make_format_args(arguments...));
}
template <typename... Arguments>
void log_warning(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_formatted(LogLevel::kWarning, format, fmt::make_format_args(arguments...));
}
template <typename... Arguments>
void log_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  log_formatted(LogLevel::kError, format, fmt::make_format_args(arguments...));
}

}  // namespace qvid::app
