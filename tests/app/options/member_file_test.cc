#include "app/options/member_file.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

TEST(MemberFile, NamesAreSafe) {
  EXPECT_EQ(safe_in_file_name("Ann"), "Ann");
  EXPECT_EQ(safe_in_file_name("../../etc/passwd"), "_._.._etc_passwd");
  EXPECT_EQ(safe_in_file_name("a\\b:c*d?\n"), "a_b_c_d__");
  EXPECT_EQ(safe_in_file_name("Zoë"), "Zoë");
  EXPECT_EQ(safe_in_file_name(""), "_");
}

TEST(MemberFile, EachHasAFileOfItsOwn) {
  std::set<std::filesystem::path> taken;
  EXPECT_EQ(member_file("x/call.mkv", "a/b", taken), "x/call-a_b.mkv");
  EXPECT_EQ(member_file("x/call.mkv", "a:b", taken), "x/call-a_b~2.mkv");
  EXPECT_EQ(member_file("x/call.mkv", "a_b", taken), "x/call-a_b~3.mkv");
}

}  // namespace
}  // namespace qvid::app
