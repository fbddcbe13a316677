// Shows what --token takes: a token, or a file that holds one.
#include "app/options/token_option.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pubsub/client/client_token.h"
#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

using qps::read_token;

TEST(TokenOption, IsATokenOrAFileThatHoldsOne) {
  const TemporaryFolder folder;
  const std::string file = (folder / "ann.token").string();
  std::ofstream(file) << "eyJhbGciOiJIUzI1NiJ9.e30.c2ln\n";
  EXPECT_EQ(*read_token(file), "eyJhbGciOiJIUzI1NiJ9.e30.c2ln");
  EXPECT_EQ(*read_token("eyJhbGciOiJIUzI1NiJ9.e30.c2ln"), "eyJhbGciOiJIUzI1NiJ9.e30.c2ln");
  EXPECT_EQ(*read_token(""), "");
}

TEST(TokenOption, APassphraseIsShownAsItIs) {
  EXPECT_EQ(*shown_token({.passphrase = "/four words"}), "/four words");
  EXPECT_EQ(*shown_token({}), "");
  EXPECT_FALSE(shown_token({.token = "/four words"}));
}

TEST(TokenOption, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto missing = read_token((folder / "none").string());
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("neither a token nor a file"), std::string::npos);
  for (const std::string& text : {std::string(), std::string(" \n"), std::string(5000, 'a')}) {
    const std::string file = (folder / "bad").string();
    std::ofstream(file) << text;
    const auto bad = read_token(file);
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().message.find("holds no token"), std::string::npos);
  }
  EXPECT_FALSE(read_token(folder.path().string()));  // a folder
}

}  // namespace
}  // namespace qvid::app
