// Shows that what Linux says of a process is read, and what is no such text is not.
#include "base/process.h"

#include <gtest/gtest.h>

namespace qvid {
namespace {

TEST(ProcessUsage, ReadsWhatLinuxSays) {
  const std::string text =
      "4711 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 1 0 12345 999999 321 more";
  const auto usage = parse_process_stat(text, 100, 4096);
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->cpu, 3s);
  EXPECT_EQ(usage->resident, ByteCount(321 * 4096));
  for (const std::string bad :
       {"", "1 (x", "1 (x) S 1 2 3", "1 (x) S 1 2 3 4 5 6 7 8 9 10 no no"}) {
    EXPECT_FALSE(parse_process_stat(bad, 100, 4096)) << bad;
  }
  EXPECT_FALSE(usage_of(-1));
#if defined(__linux__)
  const auto own = usage_of(::getpid());
  ASSERT_TRUE(own);
  EXPECT_GT(own->resident, ByteCount());
  EXPECT_GE(own->open_files, 1);
#endif
}

TEST(ProcessUsage, TheLimitOfFilesIsTold) {
  EXPECT_EQ(usage_of(::getpid())->max_files, static_cast<std::int64_t>(raise_file_limit()));
}

}  // namespace
}  // namespace qvid
