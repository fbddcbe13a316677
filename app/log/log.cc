#include "app/log/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "app/log/log_format.h"

namespace qvid::app {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: break;
  }
  return spdlog::level::err;
}

}  // namespace

void open_log(const char* program) {
  spdlog::set_default_logger(spdlog::stderr_color_mt(program));
  spdlog::set_formatter(log_format());
}

void set_log_form(LogForm form) {
  spdlog::set_formatter(form == LogForm::kJson ? json_log_format() : log_format());
}

void log_about(LogLevel level, const LogSubject& subject, std::string_view text) {
  const SubjectOfLine of_line(subject);
  log_at(level, "{}", text);
}

void set_log_level(LogLevel least) { spdlog::set_level(spdlog_level(least)); }

void log_formatted(LogLevel level, fmt::string_view format, fmt::format_args arguments) {
  spdlog::logger& logger = *spdlog::default_logger_raw();
  if (logger.should_log(spdlog_level(level))) {
    logger.log(spdlog_level(level), fmt::vformat(format, arguments));
  }
}

}  // namespace qvid::app
