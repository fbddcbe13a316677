#include "app/options/renewed_identity.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

namespace fs = std::filesystem;

TEST(RenewedIdentity, IsReadWhereAFileHasChanged) {
  const TemporaryFolder folder;
  const std::array<fs::path, 2> files{folder / "certificate", folder / "key"};
  for (const auto& file : files) std::ofstream(file) << "one";
  int loads = 0;
  RenewedIdentity renewed(files, [&]() -> Result<std::shared_ptr<paceline::Identity>> {
    ++loads;
    return Error{"these do not belong together"};
  });
  EXPECT_FALSE(renewed.read_changed());
  fs::last_write_time(files[1], fs::last_write_time(files[1]) + std::chrono::seconds(5));
  const auto now = renewed.read_changed();
  ASSERT_TRUE(now);
  EXPECT_EQ(now->error().message, "these do not belong together");
  EXPECT_FALSE(renewed.read_changed());  // told once
  fs::remove(files[0]);
  EXPECT_TRUE(renewed.read_changed());
  EXPECT_FALSE(renewed.read());
  EXPECT_EQ(loads, 3);
}

}  // namespace
}  // namespace qvid::app
