#include "app/options/file_times.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

namespace fs = std::filesystem;

void touch(const fs::path& file) {
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(5));
}

TEST(FileTimes, TellOfAFolderAndOfFiles) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "keys");
  std::ofstream(folder / "keys/one") << "one";
  std::ofstream(folder / "list") << "list";
  FileTimes files({folder / "keys", folder / "list", folder / "none"});
  EXPECT_FALSE(files.have_changed());
  touch(folder / "keys/one");  // in its place
  EXPECT_TRUE(files.have_changed());
  EXPECT_FALSE(files.have_changed()) << "told once";
  std::ofstream(folder / "keys/two") << "two";
  EXPECT_TRUE(files.have_changed());
  touch(folder / "list");
  files.note();
  EXPECT_FALSE(files.have_changed());
  std::ofstream(folder / "none") << "now";
  EXPECT_TRUE(files.have_changed());
  fs::remove(folder / "list");
  EXPECT_TRUE(files.have_changed());
}

}  // namespace
}  // namespace qvid::app
