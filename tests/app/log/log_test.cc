// Shows that a line is formatted only where its level is logged, and that what a peer said is text.
#include "app/log/log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spdlog/details/log_msg.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "app/log/log_format.h"
#include "app/log/logged_errors.h"
#include "base/text.h"

// Counts how often it is formatted.
struct Formatted {
  int* times;
};
template <>
struct fmt::formatter<Formatted> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  auto format(const Formatted& formatted, fmt::format_context& context) const {
    ++*formatted.times;
    return fmt::format_to(context.out(), "formatted");
  }
};

namespace qvid::app {
namespace {

TEST(Log, SaysOnlyWhatItsLevelAsksFor) {
  int times = 0;
  log_debug("{}", Formatted{&times});
  EXPECT_EQ(times, 0);
  set_log_level(LogLevel::kError);
  log_warning("{}", Formatted{&times});
  EXPECT_EQ(times, 0);
  log_error("{}", Formatted{&times});
  EXPECT_EQ(times, 1);
  set_log_level(LogLevel::kInfo);
  log_info("{}", Formatted{&times});
  EXPECT_EQ(times, 2);
}

TEST(Log, TakesBracesOfAPeerAsText) {
  const LoggedErrors errors;
  log_error("{}", "a {} b {0} {");
  EXPECT_EQ(errors.last(), "a {} b {0} {");
}

TEST(Log, ALineForProgramsSaysOfWhomItTells) {
  const auto format = json_log_format();
  const auto line_of = [&](std::string_view text) {
    const spdlog::details::log_msg message("qvid", spdlog::level::info, {text.data(), text.size()});
    spdlog::memory_buf_t line;
    format->format(message, line);
    return std::string(line.data(), line.size());
  };
  {
    const LogSubject bob{.client = "192.0.2.7:5512", .room = "den", .member = "B\"ob\n"};
    const SubjectOfLine subject(bob);
    const std::string line = line_of("he \x1b[2J joins\n");
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    const auto object = nlohmann::json::parse(line);
    EXPECT_EQ(object["level"], "info");
    EXPECT_EQ(object["client"], "192.0.2.7:5512");
    EXPECT_EQ(object["room"], "den");
    EXPECT_EQ(object["member"], printable("B\"ob\n"));
    EXPECT_EQ(object["text"], printable("he \x1b[2J joins\n"));
    const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)");
    EXPECT_TRUE(std::regex_match(object["time"].get<std::string>(), time)) << object["time"];
  }
  const auto alone = nlohmann::json::parse(line_of("the directory answers \xff"));
  EXPECT_EQ(alone.size(), 3U);
  EXPECT_EQ(alone["text"], "the directory answers \xef\xbf\xbd");
}

}  // namespace
}  // namespace qvid::app
