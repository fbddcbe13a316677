// Shows that a line is formatted only where its level is logged, and that what a peer said is text.
#include "app/log/log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/log/logged_errors.h"

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

}  // namespace
}  // namespace qvid::app
