// Shows that a crash leaves a report and says where, and that the program ends as it would have.
#include "app/log/crash_report.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

namespace fs = std::filesystem;

struct Crash {
  pid_t process = 0;
  int status = 0;
  std::string told;  // on standard error
};

Crash crash(const fs::path& folder, int signal) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  Crash result;
  result.process = ::fork();
  if (result.process == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    report_crashes(folder, "1.2.3");
    ::raise(signal);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::array<char, 512> part{};
  for (ssize_t n = 0; (n = ::read(ends[0], part.data(), part.size())) > 0;) {
    result.told.append(part.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  ::waitpid(result.process, &result.status, 0);
  return result;
}

TEST(CrashReport, IsLeftAndSaidWhere) {
  const TemporaryFolder folder;
  const fs::path state = folder / "state" / "qvid";  // neither is there yet
  for (const int signal : {SIGSEGV, SIGABRT}) {
    const Crash crashed = crash(state, signal);
    ASSERT_TRUE(WIFSIGNALED(crashed.status)) << crashed.told;
    EXPECT_EQ(WTERMSIG(crashed.status), signal);
    const fs::path file = state / ("crash-" + std::to_string(crashed.process) + ".txt");
    EXPECT_NE(crashed.told.find("the report is in " + file.string() + "\n"), std::string::npos)
        << crashed.told;
    std::ifstream in(file);
    const std::string report{std::istreambuf_iterator<char>(in), {}};
    const std::string name = signal == SIGSEGV ? "SIGSEGV" : "SIGABRT";
    EXPECT_TRUE(report.starts_with("Qvid 1.2.3 crashed: " + name + "\n")) << report;
    EXPECT_NE(report.find("app_tests(+0x"), std::string::npos) << report;
  }
}

TEST(CrashReport, WithoutAFolderStandardErrorHasIt) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "no folder";
  for (const fs::path& state : {fs::path(), folder / "file" / "qvid"}) {
    const Crash crashed = crash(state, SIGSEGV);
    EXPECT_TRUE(WIFSIGNALED(crashed.status));
    EXPECT_TRUE(crashed.told.starts_with("Qvid 1.2.3 crashed: SIGSEGV\n")) << crashed.told;
    EXPECT_NE(crashed.told.find("app_tests(+0x"), std::string::npos) << crashed.told;
  }
}

TEST(CrashReport, OldOnesGo) {
  const TemporaryFolder folder;
  for (int i = 0; i < 30; ++i) {
    std::ofstream(folder / ("crash-" + std::to_string(1000000 + i) + ".txt")) << "old";
  }
  crash(folder.path(), SIGSEGV);
  EXPECT_EQ(static_cast<std::size_t>(
                std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator())),
            kMostReports);
}

}  // namespace
}  // namespace qvid::app
