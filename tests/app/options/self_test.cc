// How a broker knows a user again, and that it learns no more of him.
#include "app/options/self.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "pubsub/wire/control_values.h"
#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

struct SelfTest : testing::Test {
  SelfTest() { use(home); }
  ~SelfTest() override {
    before ? setenv("XDG_CONFIG_HOME", before->c_str(), 1) : unsetenv("XDG_CONFIG_HOME");
  }
  static void use(const TemporaryFolder& folder) {
    setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
  }
  static Url url(const std::string& host, const std::string& room) {
    return {.address = {.host = host, .port = 7400}, .name = room, .fingerprint = {}};
  }
  static std::optional<std::string> kept() {
    const char* value = std::getenv("XDG_CONFIG_HOME");
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }

  const std::optional<std::string> before = kept();
  const TemporaryFolder home;
};

TEST_F(SelfTest, IsTheSameAgainAndAnotherElsewhere) {
  const std::string self = self_for(url("a.example", "den"));
  EXPECT_EQ(self_for(url("a.example", "den")), self);
  EXPECT_LE(self.size(), qps::kMaxSelf);
  EXPECT_GE(self.size(), 32u);
  EXPECT_NE(self_for(url("a.example", "attic")), self);
  EXPECT_NE(self_for(url("b.example", "den")), self);
  struct stat status {};
  ASSERT_EQ(::stat((home / "qvid/self").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const TemporaryFolder other;
  use(other);
  EXPECT_NE(self_for(url("a.example", "den")), self) << "of another user";
}

TEST_F(SelfTest, WithoutAPlaceForItItIsAnotherEachTime) {
  std::ofstream(home / "qvid") << "no folder";
  EXPECT_NE(self_for(url("a.example", "den")), self_for(url("a.example", "den")));
}

}  // namespace
}  // namespace qvid::app
