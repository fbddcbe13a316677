// How much memory a process may still take, of files as the kernel writes them.
#include "base/memory_left.h"

#include <gtest/gtest.h>

#include <malloc.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tests/temporary_folder.h"

namespace qvid {
namespace {

namespace fs = std::filesystem;

class MemoryLeftTest : public testing::Test {
 protected:
  static constexpr std::int64_t kUnit = 100'000'000;  // bytes

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories(folder_.path() / file.parent_path());
    std::ofstream(folder_.path() / file) << text;
  }
  void write_group(const fs::path& group, const std::string& most, const std::string& now) const {
    write(group / "memory.max", most + "\n");
    write(group / "memory.current", now + "\n");
    write(group / "memory.stat",
          "anon 50000000000\nactive_file 3000000000\ninactive_file 7000000000\n");
  }
  // Less what lies in the heap of this process.
  std::optional<ByteCount> left() const {
    const MemoryLeft memory(folder_ / "process", folder_ / "groups");
    const auto heap = static_cast<std::int64_t>(mallinfo2().fordblks);
    const auto all = memory();
    if (!all) return std::nullopt;
    // Reading the files may take some of it, or free some.
    const std::int64_t rest = all->value() - heap;
    return ByteCount((rest + kUnit / 2) / kUnit * kUnit);
  }

  const TemporaryFolder folder_;
};

TEST_F(MemoryLeftTest, IsWhatTheTightestGroupHas) {
  write("process/cgroup", "0::/machine/broker.service\n");
  write_group("groups/machine/broker.service", "100000000000", "60000000000");
  EXPECT_EQ(left(), ByteCount(500 * kUnit)) << "what files in the cache take can be had";
  write_group("groups/machine", "90000000000", "70000000000");
  EXPECT_EQ(left(), ByteCount(300 * kUnit));
  write_group("groups/machine", "max", "70000000000");
  EXPECT_EQ(left(), ByteCount(500 * kUnit));
  write_group("groups/machine/broker.service", "100000000000", "200000000000");
  EXPECT_EQ(left(), ByteCount()) << "never below zero";
}

TEST_F(MemoryLeftTest, IsUnknownWithoutALimit) {
  EXPECT_FALSE(left());
  write("process/cgroup", "12:memory:/old\n");
  EXPECT_FALSE(left());
  write("process/cgroup", "0::/../elsewhere\n");
  EXPECT_FALSE(left()) << "above the root of a container nothing is to be seen";
  write_group("groups", "70000000000", "20000000000");
  EXPECT_EQ(left(), ByteCount(600 * kUnit)) << "of the root all the same";
}

}  // namespace
}  // namespace qvid
