#include "lab/emulator/child_process.h"

#include <gtest/gtest.h>

#include <csignal>

#include "base/clock.h"

namespace qvid::lab {
namespace {

ChildProcess started(std::vector<std::string> command) {
  auto result = ChildProcess::start({.command = std::move(command), .environment = {}});
  return std::get<ChildProcess>(std::move(result));
}

TEST(ChildProcess, IsWaitedForUntilItEnds) {
  ChildProcess none;
  EXPECT_TRUE(none.ends_within(0s));
  ChildProcess brief = started({"sh", "-c", "exit 3"});
  EXPECT_TRUE(brief.ends_within(60s));
  EXPECT_EQ(brief.poll(), 3);
  EXPECT_TRUE(brief.ends_within(0s)) << "and it stays so";
}

TEST(ChildProcess, OneThatRunsOnIsWaitedForNoLongerThanIsSaid) {
  ChildProcess lasting = started({"sleep", "1000"});
  EXPECT_FALSE(lasting.ends_within(0s));
  const Timestamp began = steady_now();
  EXPECT_FALSE(lasting.ends_within(20ms));
  EXPECT_GE(steady_now() - began, 20ms);
  lasting.signal(SIGTERM);
  EXPECT_TRUE(lasting.ends_within(60s));
  EXPECT_EQ(lasting.poll(), 128 + SIGTERM);
}

TEST(ChildProcess, OneThatCannotBeStartedIsToldAsAShellDoes) {
  auto result = ChildProcess::start({.command = {"/no/such/program"}, .environment = {}});
  ASSERT_TRUE(std::holds_alternative<StartFailure>(result));
  EXPECT_EQ(std::get<StartFailure>(result).code, 127);
}

}  // namespace
}  // namespace qvid::lab
