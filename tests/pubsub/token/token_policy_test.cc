// Which tokens a broker takes: by keys that follow each other, for itself, and not called back. And a
// clock that is not set back.
#include <gtest/gtest.h>

#include <fstream>

#include "pubsub/token/token_clock.h"
#include "pubsub/token/token_rights.h"
#include "tests/temporary_folder.h"

namespace qps {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNow{1'800'000'000s};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

struct TokenPolicyTest : testing::Test {
  static TokenClaims claims() {
    return {.room = "den", .name = "Ann", .publish = true, .expires = kNow + 24h};
  }
  // "taken", or why not.
  static std::string says(const std::string& token, const TokenPolicy& policy,
                          WallTime now = kNow) {
    const auto rights =
        rights_by_token(Join{.room = "den", .name = "Ann", .token = token}, policy, now);
    return rights ? "taken" : rights.error().message;
  }
  // A folder of keys of these names.
  TokenKeys keys(std::initializer_list<const char*> names) {
    for (const char* name : names) EXPECT_FALSE(TokenKey::create(folder / name)) << name;
    auto loaded = TokenKeys::load(folder.path());
    EXPECT_TRUE(loaded) << loaded.error().message;
    return *std::move(loaded);
  }
  std::string token_of(const char* file, const std::string& key_id) {
    return *issue_token(claims(), *TokenKey::load(folder / file), kNow, key_id);
  }

  qvid::TemporaryFolder folder;
};

TEST_F(TokenPolicyTest, KeysFollowEachOther) {
  const TokenPolicy policy{.keys = keys({"2026-1", "2026-2", ".hidden"})};
  EXPECT_EQ(says(token_of("2026-1", "2026-1"), policy), "taken");
  EXPECT_EQ(says(token_of("2026-2", "2026-2"), policy), "taken");
  EXPECT_EQ(says(token_of("2026-2", ""), policy), "taken") << "one that names no key";
  EXPECT_SAYS(says(token_of("2026-1", "2026-2"), policy), "not signed with this broker's key");
  EXPECT_SAYS(says(token_of("2026-1", "2025"), policy), "of the key '2025'");
  EXPECT_SAYS(says(token_of(".hidden", ""), policy), "not signed");
  // The old one is taken out.
  const std::string old = token_of("2026-1", "2026-1");
  ASSERT_TRUE(std::filesystem::remove(folder / "2026-1"));
  EXPECT_SAYS(says(old, {.keys = *TokenKeys::load(folder.path())}), "of the key '2026-1'");
}

TEST_F(TokenPolicyTest, AFileByItselfIsTheKeyWhateverItIsCalled) {
  keys({"a"});
  const TokenPolicy policy{.keys = *TokenKeys::load(folder / "a")};
  EXPECT_EQ(says(token_of("a", "another-name"), policy), "taken");
}

TEST_F(TokenPolicyTest, FoldersThatHoldNoKeysAreRefused) {
  const auto none = TokenKeys::load(folder.path());
  ASSERT_FALSE(none);
  EXPECT_SAYS(none.error().message, "there is no key in the folder");
  std::ofstream(folder / "short") << "too short";
  const auto bad = TokenKeys::load(folder.path());
  ASSERT_FALSE(bad);
  EXPECT_SAYS(bad.error().message, "short: a key has 32");
  std::filesystem::remove(folder / "short");
  ASSERT_FALSE(TokenKey::create(folder / "two words"));
  EXPECT_SAYS(TokenKeys::load(folder.path()).error().message, "letters, digits");
  std::filesystem::remove(folder / "two words");
  for (std::size_t i = 0; i <= TokenKeys::kMost; ++i) {
    ASSERT_FALSE(TokenKey::create(folder / std::to_string(i)));
  }
  EXPECT_SAYS(TokenKeys::load(folder.path()).error().message, "more than 16 keys");
}

TEST_F(TokenPolicyTest, TokensAreForOneBroker) {
  const TokenKey key = *TokenKey::from_text("0123456789abcdef0123456789abcdef");
  const auto token_for = [&](std::vector<std::string> audience) {
    TokenClaims c = claims();
    c.audience = std::move(audience);
    return *issue_token(c, key, kNow);
  };
  const TokenPolicy nameless{.keys = key};
  const TokenPolicy mine{.keys = key, .audience = "eu.example"};
  EXPECT_EQ(says(token_for({}), nameless), "taken");
  EXPECT_EQ(says(token_for({"eu.example"}), nameless),
            "the token is for the broker 'eu.example', and this one has no name");
  EXPECT_EQ(says(token_for({"eu.example"}), mine), "taken");
  EXPECT_EQ(says(token_for({"us.example", "eu.example"}), mine), "taken");
  EXPECT_EQ(says(token_for({"us.example"}), mine),
            "the token is for the broker 'us.example', and this one is 'eu.example'");
  EXPECT_SAYS(says(token_for({}), mine), "no broker in particular");
  TokenClaims many = claims();
  many.audience.assign(kMaxAudience + 1, "x");
  EXPECT_SAYS(issue_token(many, key, kNow).error().message, "no broker has such a name");
  const auto parsed =
      parse_claims(R"({"room":"d","rights":["publish"],"exp":1900000000,"aud":["a",7]})", kNow);
  ASSERT_FALSE(parsed);
  EXPECT_SAYS(parsed.error().message, "(aud)");
}

TEST_F(TokenPolicyTest, TokensAreCalledBack) {
  const TokenKey key = *TokenKey::from_text("0123456789abcdef0123456789abcdef");
  TokenClaims with_id = claims();
  with_id.id = new_token_id();
  const std::string own = *issue_token(with_id, key, kNow);
  const std::string foreign = *issue_token(claims(), key, kNow);  // without an id
  EXPECT_EQ(*token_id(own), with_id.id);
  EXPECT_TRUE(token_id(foreign)->starts_with("sha256:"));
  EXPECT_FALSE(token_id("no token"));
  const auto list = folder / "revoked";
  ASSERT_FALSE(RevokedTokens::add(list, with_id.id, "Ann's,\nlost"));
  TokenPolicy policy{.keys = key, .revoked = *RevokedTokens::load(list)};
  EXPECT_EQ(says(own, policy), "the token has been called back: ask who runs the broker");
  EXPECT_EQ(says(foreign, policy), "taken");
  // However its last part, which is not signed, is written.
  ASSERT_FALSE(RevokedTokens::add(list, *token_id(foreign), ""));
  policy.revoked = *RevokedTokens::load(list);
  EXPECT_EQ(policy.revoked.size(), 2u);
  EXPECT_SAYS(says(foreign, policy), "called back");
}

TEST_F(TokenPolicyTest, ListsThatAreNoneAreRefused) {
  EXPECT_EQ(RevokedTokens::parse("")->size(), 0u);
  const auto list = RevokedTokens::parse("# all\n\n  a1 # Ann's\r\n\tb2\nb2\n");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->size(), 2u);
  EXPECT_TRUE(list->has("a1"));
  EXPECT_SAYS(RevokedTokens::parse("a\nb c\n").error().message, "line 2: this is no token's id");
  EXPECT_FALSE(RevokedTokens::parse(std::string(kMaxTokenId + 1, 'x')));
  std::string many;
  for (std::size_t i = 0; i <= RevokedTokens::kMost; ++i) many += std::to_string(i) + "\n";
  EXPECT_SAYS(RevokedTokens::parse(many).error().message, "line 10001: more than 10000");
  EXPECT_SAYS(RevokedTokens::load(folder / "none").error().message, "an empty file");
}

TEST_F(TokenPolicyTest, ATokenForOneNameOwnsIt) {
  const TokenKey key = *TokenKey::from_text("0123456789abcdef0123456789abcdef");
  const auto owns = [&](const std::string& name) {
    TokenClaims c = claims();
    c.name = name;
    return rights_by_token(Join{.room = "den", .name = "Ann", .token = *issue_token(c, key, kNow)},
                           {.keys = key}, kNow)
        ->own_name;
  };
  EXPECT_TRUE(owns("Ann"));
  EXPECT_FALSE(owns("*"));
}

// The wall clock jumps an hour ahead, and back; the machine's time goes on meanwhile.
TEST(TokenClockTest, IsNotSetBack) {
  TokenClock clock;
  const qvid::Timestamp begin{};
  EXPECT_EQ(clock.now(kNow, begin), kNow);
  EXPECT_EQ(clock.now(kNow + 10s, begin + 10s), kNow + 10s);
  EXPECT_EQ(clock.now(kNow - 1h, begin + 20s), kNow + 20s) << "set back";
  EXPECT_EQ(clock.now(kNow - 1h + 40s, begin + 60s), kNow + 60s);
  EXPECT_EQ(clock.now(kNow + 1h, begin + 70s), kNow + 1h) << "set ahead";
  EXPECT_EQ(clock.now(kNow + 80s, begin + 80s), kNow + 1h + 10s) << "and set right";
  TokenClock anew;
  EXPECT_EQ(anew.now(kNow + 90s, begin + 90s), kNow + 90s);
}

TEST(TokenClockTest, AnHourEitherWayRevivesNoToken) {
  const TokenKey key = *TokenKey::from_text("0123456789abcdef0123456789abcdef");
  const std::string token = *issue_token(
      {.room = "den", .name = "Ann", .publish = true, .expires = kNow + 10min}, key, kNow);
  const auto is_taken = [&](WallTime now) {
    return static_cast<bool>(
        rights_by_token(Join{.room = "den", .name = "Ann", .token = token}, {.keys = key}, now));
  };
  const qvid::Timestamp begin{};
  TokenClock clock;
  EXPECT_TRUE(is_taken(clock.now(kNow, begin)));
  EXPECT_FALSE(is_taken(clock.now(kNow + 11min, begin + 11min)));
  EXPECT_TRUE(is_taken(kNow - 49min)) << "the clock alone would let it live again";
  EXPECT_FALSE(is_taken(clock.now(kNow - 49min, begin + 11min)));
  TokenClock other;
  EXPECT_TRUE(is_taken(other.now(kNow, begin)));
  EXPECT_FALSE(is_taken(other.now(kNow + 1h, begin + 1min))) << "ahead: it ends early";
}

}  // namespace
}  // namespace qps
