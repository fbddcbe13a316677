#include "app/options/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

TEST(OutputFile, WhatCanBeWrittenIsLeftAsItWas) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "a.png").string();
  EXPECT_FALSE(unwritable(file));
  EXPECT_FALSE(std::filesystem::exists(file));
  std::ofstream(file) << "kept";
  EXPECT_FALSE(unwritable(file));
  EXPECT_EQ(std::filesystem::file_size(file), 4u);
  EXPECT_FALSE(unwritable("/dev/null"));
}

TEST(OutputFile, WhatCannotIsToldWithWhatToDo) {
  const TemporaryFolder folder;
  for (const std::string& path : {folder.path().string(), (folder.path() / "no" / "a.png").string(),
                                  std::string("/proc/a.png"), std::string()}) {
    const auto error = unwritable(path);
    ASSERT_TRUE(error) << path;
    EXPECT_NE(error->message.find("'" + path + "'"), std::string::npos) << error->message;
    EXPECT_NE(error->message.find("name a file in a folder"), std::string::npos) << error->message;
  }
}

}  // namespace
}  // namespace qvid::app
