// How much memory a process may still take, of files as the kernel writes them.
#include "base/memory_left.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/temporary_folder.h"

namespace qvid {
namespace {

namespace fs = std::filesystem;

class MemoryLeftTest : public testing::Test {
 protected:
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories(folder_.path() / file.parent_path());
    std::ofstream(folder_.path() / file) << text;
  }
  void write_group(const fs::path& group, const std::string& most, const std::string& now) const {
    write(group / "memory.max", most + "\n");
    write(group / "memory.current", now + "\n");
    write(group / "memory.stat", "anon 500\nactive_file 30\ninactive_file 70\n");
  }
  std::optional<ByteCount> left() const {
    return MemoryLeft(folder_ / "process", folder_ / "groups")();
  }

  const TemporaryFolder folder_;
};

TEST_F(MemoryLeftTest, IsWhatTheTightestGroupHas) {
  write("process/cgroup", "0::/machine/broker.service\n");
  write_group("groups/machine/broker.service", "1000", "600");
  EXPECT_EQ(left(), ByteCount(500)) << "what files in the cache take can be had";
  write_group("groups/machine", "900", "700");
  EXPECT_EQ(left(), ByteCount(300));
  write_group("groups/machine", "max", "700");
  EXPECT_EQ(left(), ByteCount(500));
  write_group("groups/machine/broker.service", "1000", "2000");
  EXPECT_EQ(left(), ByteCount()) << "never below zero";
}

TEST_F(MemoryLeftTest, IsUnknownWithoutALimit) {
  EXPECT_FALSE(left());
  write("process/cgroup", "12:memory:/old\n");
  EXPECT_FALSE(left());
  write("process/cgroup", "0::/../elsewhere\n");
  EXPECT_FALSE(left()) << "above the root of a container nothing is to be seen";
  write_group("groups", "700", "200");
  EXPECT_EQ(left(), ByteCount(600)) << "of the root all the same";
}

}  // namespace
}  // namespace qvid
