// Shows what tokens are taken and refused, with what words; and the files that keys come from.
#include "pubsub/token/token.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "pubsub/token/token_rights.h"
#include "pubsub/wire/control.h"
#include "tests/temporary_folder.h"

namespace qps::token_test {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNow{1'800'000'000s};
const TokenKey kKey = *TokenKey::from_text("0123456789abcdef0123456789abcdef");

// Signed with kKey by another program (Python's hmac), so that it is the standard that is spoken:
// room den, name Ann, publish; exp 1900000000.
constexpr const char* kForeign =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJyb29tIjoiZGVuIiwibmFtZSI6IkFubiIsInJpZ2h0cyI"
    "6WyJwdWJsaXNoIl0sImV4cCI6MTkwMDAwMDAwMH0.DBehQYipJyfzfLkm4u4HXLa5qKOyw9ysH0Dw6IW2rOw";
// The same claims, signed by HS512 with kKey.
constexpr const char* kHs512 =
    "eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJyb29tIjoiZGVuIiwibmFtZSI6IkFubiIsInJpZ2h0cyI"
    "6WyJwdWJsaXNoIl0sImV4cCI6MTkwMDAwMDAwMH0.IU7qWyNW3Cu_WRf6I5AaqjwomHk9f2e9tZmiA7lwxpB"
    "sMOcRYYT22OR8fdBKyOMDxpPCHyaJjEhxGgYkpK0dYg";

TokenClaims claims() {
  return {.room = "den",
          .name = "Ann",
          .publish = true,
          .subscribe = true,
          .admin = false,
          .expires = kNow + 24h};
}

std::string issued(const TokenClaims& what) { return *issue_token(what, kKey, kNow); }

std::string refused(std::string_view token, WallTime now = kNow) {
  const auto read = verify_token(token, kKey, now);
  return read ? "taken" : read.error().message;
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Token, SaysWhatItWasIssuedFor) {
  const auto read = verify_token(issued(claims()), kKey, kNow);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->room, "den");
  EXPECT_EQ(read->name, "Ann");
  EXPECT_TRUE(read->publish);
  EXPECT_TRUE(read->subscribe);
  EXPECT_FALSE(read->admin);
  EXPECT_EQ(read->expires, kNow + 24h);
}

TEST(Token, OfAnotherProgramIsTaken) {
  const auto read = verify_token(kForeign, kKey, kNow);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->name, "Ann");
  EXPECT_TRUE(read->publish);
  EXPECT_FALSE(read->subscribe);
}

TEST(Token, EndsWhenItSays) {
  const std::string token = issued(claims());
  EXPECT_EQ(refused(token, kNow + 24h - 1s), "taken");
  EXPECT_SAYS(refused(token, kNow + 24h), "expired 0 s ago");
  EXPECT_EQ(refused(token, kNow + 24h + 3min),
            "the token has expired 3 min ago: ask for a new one");
}

TEST(Token, IsNotTakenOfAnotherKeyOrAlgorithm) {
  const auto other = TokenKey::from_text("another key, as long as it has to be");
  EXPECT_SAYS(refused(*issue_token(claims(), *other, kNow)), "not signed with this broker's key");
  EXPECT_SAYS(refused(kHs512), "'HS512'");
  // {"alg":"none"} with the claims of a good one, with and without a signature.
  const std::string token = issued(claims());
  const std::string body = token.substr(token.find('.'), token.rfind('.') - token.find('.') + 1);
  EXPECT_NE(refused("eyJhbGciOiJub25lIn0" + body), "taken");
  EXPECT_NE(refused("eyJhbGciOiJub25lIn0" + body + token.substr(token.rfind('.') + 1)), "taken");
}

TEST(Token, ThatWasChangedAnywhereIsRefused) {
  const std::string token = issued(claims());
  int taken = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    taken += refused(changed) == "taken" ? 1 : 0;
    EXPECT_NE(refused(token.substr(0, i)), "taken");
  }
  // The last character of the signature has bits of no meaning.
  EXPECT_LE(taken, 1);
  EXPECT_SAYS(refused(""), "no token");
  EXPECT_SAYS(refused(token + "."), "no token");
  EXPECT_SAYS(refused(token + std::string(1, '\0')), "no token");
  EXPECT_SAYS(refused(std::string(kMaxToken + 1, 'a')), "longer than 4096");
}

TEST(Token, WithClaimsThatAreNotSoundIsRefused) {
  const auto says = [](const std::string& json) {
    const auto read = parse_claims(json, kNow);
    return read ? "taken" : read.error().message;
  };
  EXPECT_EQ(says(R"({"room":"*","rights":["admin"],"exp":1})"), "taken");
  EXPECT_EQ(says(R"({"room":"d","rights":["admin"],"exp":1,"nbf":1800000000,"x":[1]})"), "taken");
  EXPECT_SAYS(says("[]"), "no JSON object");
  EXPECT_SAYS(says(R"({"rights":["admin"],"exp":1})"), "names no room");
  EXPECT_SAYS(says(R"({"room":7,"rights":["admin"],"exp":1})"), "names no room");
  EXPECT_SAYS(says(R"({"room":"d","name":"","rights":["admin"],"exp":1})"), "name is none");
  EXPECT_SAYS(says(R"({"room":"d","exp":1})"), "rights");
  EXPECT_SAYS(says(R"({"room":"d","rights":[],"exp":1})"), "rights");
  EXPECT_SAYS(says(R"({"room":"d","rights":["publish","fly"],"exp":1})"), "rights");
  EXPECT_SAYS(says(R"({"room":"d","rights":["admin"]})"), "exp");
  EXPECT_SAYS(says(R"({"room":"d","rights":["admin"],"exp":"soon"})"), "exp");
  EXPECT_SAYS(says(R"({"room":"d","rights":["admin"],"exp":1e300})"), "exp");
  EXPECT_SAYS(says(R"({"room":"d","rights":["admin"],"exp":-1})"), "exp");
  EXPECT_SAYS(says(R"({"room":"d","rights":["admin"],"exp":1,"nbf":1800000300})"), "in 5 min");
}

TEST(Token, IsNotIssuedForNothing) {
  const auto says = [](const TokenClaims& what) {
    const auto made = issue_token(what, kKey, kNow);
    return made ? "made" : made.error().message;
  };
  TokenClaims c = claims();
  EXPECT_EQ(says(c), "made");
  c.room = "";
  EXPECT_SAYS(says(c), "no room");
  c = claims();
  c.name = "two\nlines";
  EXPECT_SAYS(says(c), "no member");
  c = claims();
  c.publish = c.subscribe = false;
  EXPECT_SAYS(says(c), "without a right");
  c = claims();
  c.expires = kNow;
  EXPECT_SAYS(says(c), "at least a second");
  c.expires = kNow + 24h * 365 * 11;
  EXPECT_SAYS(says(c), "ten years");
}

TEST(TokenRights, HoldForTheRoomAndTheName) {
  const auto says = [](const TokenClaims& what, const std::string& room, const std::string& name) {
    const auto rights = rights_by_token(Join{.room = room, .name = name, .token = issued(what)},
                                        {.keys = kKey}, kNow);
    return rights ? "taken" : rights.error().message;
  };
  TokenClaims c = claims();
  EXPECT_EQ(says(c, "den", "Ann"), "taken");
  EXPECT_EQ(says(c, "attic", "Ann"), "the token is for the room 'den', not for 'attic'");
  EXPECT_EQ(says(c, "den", "Bob"), "the token is for the name 'Ann', not for 'Bob'");
  c.name = "*";
  EXPECT_EQ(says(c, "den", "Bob"), "taken");
  c.room = "*";
  EXPECT_EQ(says(c, "attic", "Bob"), "taken");
  EXPECT_SAYS(says(c, "", ""), "no right to administer");
  c.admin = true;
  EXPECT_EQ(says(c, "", ""), "taken");
  const auto none =
      rights_by_token(Join{.room = "den", .name = "Ann", .token = {}}, {.keys = kKey}, kNow);
  ASSERT_FALSE(none);
  EXPECT_SAYS(none.error().message, "wants a token");
}

TEST(TokenRights, LastAsLongAsTheToken) {
  TokenClaims c = claims();
  c.publish = false;
  const auto rights = rights_by_token(Join{.room = "den", .name = "Ann", .token = issued(c)},
                                      {.keys = kKey}, kNow + 23h);
  ASSERT_TRUE(rights);
  EXPECT_FALSE(rights->publish);
  EXPECT_TRUE(rights->subscribe);
  EXPECT_FALSE(rights->admin);
  EXPECT_EQ(rights->admin_room, "den");
  EXPECT_EQ(rights->valid_for, Duration(1h));
}

TEST(TokenKey, IsMadeOnceAndForItsOwnerAlone) {
  const qvid::TemporaryFolder folder;
  const auto path = folder / "key";
  ASSERT_FALSE(TokenKey::create(path));
  const auto key = TokenKey::load(path);
  ASSERT_TRUE(key) << key.error().message;
  EXPECT_EQ(key->text().size(), 2 * TokenKey::kRandom);
  EXPECT_EQ(key->hint(), "");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const auto again = TokenKey::create(path);
  ASSERT_TRUE(again);
  EXPECT_SAYS(again->message, "is there already");
  EXPECT_EQ(TokenKey::load(path)->text(), key->text());
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_SAYS(TokenKey::load(path)->hint(), "chmod 600");
  ASSERT_FALSE(TokenKey::create(folder / "other"));
  EXPECT_NE(TokenKey::load(folder / "other")->text(), key->text());
}

TEST(TokenKey, ThatIsNoneIsRefused) {
  const qvid::TemporaryFolder folder;
  const auto missing = TokenKey::load(folder / "none");
  ASSERT_FALSE(missing);
  EXPECT_SAYS(missing.error().message, "qvid token --new-key");
  std::ofstream(folder / "short") << "0123456789abcdef0123456789abcde \n\n";
  const auto too_short = TokenKey::load(folder / "short");
  ASSERT_FALSE(too_short);
  EXPECT_SAYS(too_short.error().message, "32 to 1024 bytes, this one 31");
  EXPECT_FALSE(TokenKey::from_text(std::string(1025, 'x')));
  EXPECT_TRUE(TokenKey::create(folder / "no folder" / "key"));
}

}  // namespace
}  // namespace qps::token_test
