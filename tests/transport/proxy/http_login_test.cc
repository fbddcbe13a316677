#include "transport/proxy/http_login.h"

#include <gtest/gtest.h>

#include <vector>

namespace paceline {
namespace {

using Scheme = HttpChallenge::Scheme;
using Hash = HttpChallenge::Hash;

const ProxyServer kAnn{.kind = ProxyServer::Kind::http,
                       .address = {.host = "proxy", .port = 3128},
                       .user = "ann",
                       .password = "secret"};

HttpOffers offers_of(const std::vector<std::string>& fields) { return parse_challenges(fields); }

std::string answer_to(const std::string& field, HttpLogin& login) {
  const auto offers = offers_of({field});
  EXPECT_TRUE(offers.best) << field;
  if (!offers.best) return {};
  login.learn(*offers.best);
  const auto answer = login.answer(kAnn, "a.example:443", "0a4f113b");
  EXPECT_TRUE(answer);
  return answer ? *answer : "";
}

TEST(HttpChallenges, TheStrongestThatIsKnown) {
  const auto both =
      offers_of({"Basic realm=\"squid\"", "Digest realm=\"d\", nonce=\"n\", qop=\"auth\""});
  ASSERT_TRUE(both.best);
  EXPECT_EQ(both.best->scheme, Scheme::digest);
  EXPECT_EQ(both.best->hash, Hash::md5);
  EXPECT_TRUE(both.best->qop);
  EXPECT_EQ(both.schemes, "Basic, Digest");
  const auto hashes =
      offers_of({"Digest realm=\"a\", nonce=\"1\", algorithm=SHA-256-sess, Digest realm=\"b\", "
                 "nonce=\"2\", Digest realm=\"c\", nonce=\"3\", algorithm=SHA-512-256"});
  ASSERT_TRUE(hashes.best);
  EXPECT_EQ(hashes.best->realm, "a");
  EXPECT_EQ(hashes.best->hash, Hash::sha256);
  EXPECT_TRUE(hashes.best->session);
}

TEST(HttpChallenges, OneListHasManySchemesAndTheirData) {
  const auto offers =
      offers_of({"Negotiate YIIabc/+==, NTLM, Basic realm=\"a \\\"b\\\", c\" , charset=\"UTF-8\""});
  EXPECT_EQ(offers.schemes, "Negotiate, NTLM, Basic");
  ASSERT_TRUE(offers.best);
  EXPECT_EQ(offers.best->scheme, Scheme::basic);
  EXPECT_EQ(offers.best->realm, "a \"b\", c");
}

TEST(HttpChallenges, WhatCannotBeAnswered) {
  for (const char* field : {"", ",,", "Negotiate", "Digest realm=\"x\"",
                            "Digest realm=\"x\", nonce=\"n\", qop=\"auth-int\"",
                            "Digest realm=\"x\", nonce=\"unfinished"}) {
    EXPECT_FALSE(offers_of({field}).best) << field;
  }
  EXPECT_LE(offers_of({std::string(5000, 'a') + ", Basic"}).schemes.size(), 200u);
}

TEST(HttpLogin, Basic) {
  HttpLogin login;
  EXPECT_EQ(answer_to("Basic realm=\"r\"", login), "Basic YW5uOnNlY3JldA==");
  EXPECT_FALSE(login.is_digest());
}

// The answers by the formulas of RFC 7616, section 3.4, computed with Python's hashlib.
TEST(HttpLogin, DigestOfEachKind) {
  const struct {
    const char* challenge;
    const char* response;
  } cases[] = {
      {"Digest realm=\"r\", nonce=\"n1\", algorithm=MD5", "484fcc926ee605d6c5df230dbce469d1"},
      {"Digest realm=\"r\", nonce=\"n1\", algorithm=MD5, qop=\"auth,auth-int\"",
       "570575af7e28d9f2e36202ab5e650ed0"},
      {"Digest realm=\"r\", nonce=\"n1\", algorithm=MD5-sess", "1532f1bb77ed6d0ec110e9e336952dd7"},
      {"Digest realm=\"r\", nonce=\"n1\", algorithm=MD5-sess, qop=\"auth,auth-int\"",
       "6f38b8a8f90e9c40fc9a332246ea33b3"},
      {"Digest realm=\"r\", nonce=\"n1\", algorithm=SHA-256",
       "b79aa882f0c7e551b8d74157e75fa2139cd26b9e1abc45b488e093f977603ae1"},
      {"Digest realm=\"r\", nonce=\"n1\", algorithm=SHA-256, qop=\"auth,auth-int\"",
       "a0dd38416805d36db3ff02e1a001e797d7bb7922632c2cf24ba31b9d3e3afea7"},
      {"Digest realm=\"r\", nonce=\"n1\", algorithm=SHA-256-sess",
       "1b74bc0028a863c8e61df26a889aa2bdcb987a6ac7db6ed5cd639027ba1c316b"},
      {"Digest realm=\"r\", nonce=\"n1\", algorithm=SHA-256-sess, qop=\"auth,auth-int\"",
       "3a0d34eacf6b12eaa67cd214df483475536e4d1346a25814a5f1b6e7d34c42d5"},
  };
  for (const auto& c : cases) {
    HttpLogin login;
    const std::string answer = answer_to(c.challenge, login);
    EXPECT_NE(answer.find(std::string("response=\"") + c.response + '"'), std::string::npos)
        << c.challenge << "\n"
        << answer;
    EXPECT_EQ(answer.find("secret"), std::string::npos);
  }
}

TEST(HttpLogin, ANonceIsCountedAndItsOpaqueGivenBack) {
  HttpLogin login;
  const std::string challenge =
      "Digest realm=\"a\\\"b\", nonce=\"n\", qop=auth, opaque=\"\", stale=TRUE";
  EXPECT_TRUE(offers_of({challenge}).best->stale);
  const std::string first = answer_to(challenge, login);
  EXPECT_NE(first.find("nc=00000001"), std::string::npos) << first;
  EXPECT_NE(first.find("realm=\"a\\\"b\""), std::string::npos) << first;
  EXPECT_NE(first.find("opaque=\"\""), std::string::npos) << first;
  const auto second = login.answer(kAnn, "a.example:443", "x");
  EXPECT_NE(second->find("nc=00000002"), std::string::npos) << *second;
}

}  // namespace
}  // namespace paceline
