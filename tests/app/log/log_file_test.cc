// Shows that the log of a window is bounded, that nothing forges its lines, and that no folder harms.
#include "app/log/log_file.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "app/log/state_folder.h"
#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(LogFile, HasTheLinesOfItsTimeAndIsItsOwners) {
  const TemporaryFolder folder;
  const fs::path log = folder / "state" / ("qvid-" + std::to_string(::getpid()) + ".log");
  {
    const LogFile file(folder / "state");
    spdlog::warn("within\n00:00:00.000 error forged");
  }
  spdlog::warn("after");
  const std::string text = text_of(log);
  EXPECT_NE(text.find("warning within"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
  EXPECT_EQ(text.find("after"), std::string::npos);
  struct stat status {};
  ASSERT_EQ(::stat((folder / "state").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST(LogFile, IsBoundedAndSoIsHowManyThereAre) {
  const TemporaryFolder folder;
  for (int i = 0; i < 30; ++i) {
    std::ofstream(folder / ("qvid-" + std::to_string(1000000 + i) + ".log")) << "old";
  }
  std::ofstream(folder / "crash-1.txt") << "another's";
  {
    const LogFile file(folder.path());
    const std::string line(1000, 'x');
    for (std::size_t i = 0; i < 3 * kMostLogFile / line.size(); ++i) {
      spdlog::default_logger()->sinks().back()->log(
          {spdlog::source_loc{}, "test", spdlog::level::info, line});
    }
  }
  std::size_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) bytes += entry.file_size();
  EXPECT_LE(bytes, 2 * kMostLogFile + 100);
  EXPECT_EQ(files_in(folder.path()), kMostLogFiles + 1);
}

TEST(LogFile, WithoutAPlaceTheProgramGoesOn) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "no folder";
  const std::size_t sinks = spdlog::default_logger()->sinks().size();
  const LogFile none({});
  const LogFile refused(folder / "file" / "below");
  EXPECT_EQ(spdlog::default_logger()->sinks().size(), sinks);
}

}  // namespace
}  // namespace qvid::app
