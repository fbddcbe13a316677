// Who may come in, by what was said at the start.
#include "app/options/admission.h"

#include <gtest/gtest.h>

#include <set>

#include "app/options/wall_time.h"
#include "pubsub/token/revoked_tokens.h"
#include "pubsub/token/token.h"
#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

paceline::Address at(const std::string& host) { return {.host = host, .port = 7400}; }

// What is told to who shows that; empty: he may come in.
std::string answer(const Admission& admission, const std::string& token) {
  const auto rights = admission({.room = "den", .name = "Ann", .token = token}, {});
  return rights ? std::string() : rights.error().message;
}

TEST(Admission, WhatOthersReachWantsAWord) {
  for (const char* host : {"127.0.0.1", "::1", "localhost"}) {
    const auto open = admission({}, at(host), {.could = "join"});
    ASSERT_TRUE(open) << host;
    EXPECT_FALSE(*open);  // everybody
  }
  for (const char* host : {"0.0.0.0", "::", "192.168.1.5", "203.0.113.1", "example.org"}) {
    const auto refused = admission({}, at(host), {.could = "join every room"});
    ASSERT_FALSE(refused) << host;
    EXPECT_NE(refused.error().message.find("everybody who reaches it could join every room"),
              std::string::npos);
    EXPECT_NE(refused.error().message.find("--open"), std::string::npos);
    const auto open = admission({.open = true}, at(host), {.could = "join"});
    ASSERT_TRUE(open);
    EXPECT_FALSE(*open);
  }
}

TEST(Admission, WhoServesHimselfMayNameAPrivateAddress) {
  for (const char* host : {"10.77.1.1", "172.16.0.1", "172.31.255.1", "192.168.1.5", "169.254.1.1",
                           "fe80::1", "fd00::1", "127.0.0.1"}) {
    EXPECT_TRUE(own_admission({}, at(host), {.could = "watch"})) << host;
  }
  for (const char* host : {"0.0.0.0", "::", "172.32.0.1", "11.0.0.1", "192.169.0.1", "2001:db8::1",
                           "203.0.113.1", "example.org"}) {
    EXPECT_FALSE(own_admission({}, at(host), {.could = "watch"})) << host;
  }
  EXPECT_FALSE(own_admission({.passphrase = "short"}, at("192.168.1.5"), {.could = "watch"}));
}

TEST(Admission, APassphraseIsAskedForEverywhere) {
  const auto admitted =
      admission({.passphrase = "four words of ours"}, at("127.0.0.1"), {.could = "watch"});
  ASSERT_TRUE(admitted);
  ASSERT_TRUE(*admitted);
  EXPECT_EQ(answer(*admitted, "four words of ours"), "");
  EXPECT_NE(answer(*admitted, "").find("--passphrase"), std::string::npos);
  EXPECT_EQ(answer(*admitted, "four words of yours"), "this is not the passphrase");
  EXPECT_EQ(answer(*admitted, "four words of ours "), "this is not the passphrase");
  EXPECT_FALSE(admission({.passphrase = "seven77"}, at("127.0.0.1"), {.could = "watch"}));
}

TEST(Admission, AKeyThatIsNoneIsToldAtTheStart) {
  const TemporaryFolder folder;
  const auto refused =
      admission({.token_key = (folder / "none").string()}, at("127.0.0.1"), {.could = "watch"});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("token key: there is no key file"), std::string::npos);
}

TEST(Admission, TokensGoByKeyAudienceAndList) {
  const TemporaryFolder folder;
  ASSERT_FALSE(qps::TokenKey::create(folder / "key"));
  const auto key = qps::TokenKey::load(folder / "key");
  qps::TokenClaims claims{.room = "den",
                          .name = "Ann",
                          .publish = true,
                          .expires = wall_now() + std::chrono::hours(1),
                          .audience = {"eu"},
                          .id = "a1"};
  const std::string token = *qps::issue_token(claims, *key, wall_now());
  AdmissionArguments a{.token_key = (folder / "key").string(), .token_audience = "eu"};
  const auto says = [&] {
    const auto admitted = admission(a, at("0.0.0.0"), {.could = "join"});
    return admitted ? answer(*admitted, token) : admitted.error().message;
  };
  EXPECT_EQ(says(), "");
  a.token_revoked = (folder / "list").string();
  EXPECT_NE(says().find("there is no list of revoked tokens"), std::string::npos);
  ASSERT_FALSE(qps::RevokedTokens::add(folder / "list", "a1", ""));
  EXPECT_NE(says().find("called back"), std::string::npos);
  a.token_revoked.clear();
  a.token_audience = "us";
  EXPECT_NE(says().find("for the broker 'eu'"), std::string::npos);
}

TEST(Admission, AMadePassphraseIsGoodAndNew) {
  std::set<std::string> made;
  for (int i = 0; i < 100; ++i) {
    const std::string passphrase = make_passphrase();
    EXPECT_EQ(passphrase.size(), 19u);
    EXPECT_FALSE(unfit_passphrase(passphrase));
    made.insert(passphrase);
  }
  EXPECT_EQ(made.size(), 100u);
}

}  // namespace
}  // namespace qvid::app
