// Shows who gets a WebSocket, and what the others are told.
#include "transport/socket/web_socket_upgrade.h"

#include <gtest/gtest.h>

#include "tests/transport/web_socket_client.h"

namespace paceline::web_socket_upgrade_test {
namespace {

HttpVisit visit_of(const std::string& request) {
  HttpVisit visit;
  visit.receive(std::as_bytes(std::span(request)));
  EXPECT_EQ(visit.state(), HttpVisit::State::asked) << request;
  return visit;
}
// 101: agreed.
unsigned status_of(const std::string& request) {
  const HttpVisit visit = visit_of(request);
  EXPECT_TRUE(asks_for_web_socket(visit));
  const auto answer = answer_upgrade(visit, false);
  const auto* page = std::get_if<HttpPage>(&answer);
  return page != nullptr ? page->status : 101;
}
std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(WebSocketUpgrade, IsAgreedToAsTheStandardHasIt) {
  const auto answer = answer_upgrade(visit_of(upgrade_request()), false);
  const auto* head = std::get_if<std::string>(&answer);
  ASSERT_NE(head, nullptr);
  EXPECT_TRUE(head->starts_with("HTTP/1.1 101 "));
  EXPECT_TRUE(head->ends_with("\r\n\r\n"));
  EXPECT_NE(head->find("Sec-WebSocket-Accept: " + std::string(kSampleAccept) + "\r\n"),
            std::string::npos);
  EXPECT_NE(head->find("Sec-WebSocket-Protocol: paceline.2\r\n"), std::string::npos);
  EXPECT_EQ(head->find("Extensions"), std::string::npos);
  EXPECT_EQ(status_of(upgrade_request("sec-websocket-extensions: permessage-deflate\r\n")), 101u);
  EXPECT_EQ(status_of(replaced(upgrade_request(), "paceline.2", "other,  paceline.2")), 101u);
  EXPECT_EQ(status_of(replaced(upgrade_request(), "Upgrade: websocket", "UPGRADE:WebSocket ")),
            101u);
}

TEST(WebSocketUpgrade, IsRefused) {
  const std::string good = upgrade_request();
  EXPECT_EQ(status_of(upgrade_request("", "/other")), 404u);
  EXPECT_EQ(status_of(replaced(good, "Version: 13", "Version: 8")), 426u);
  EXPECT_EQ(status_of(replaced(good, "Sec-WebSocket-Version: 13\r\n", "")), 426u);
  EXPECT_EQ(status_of(replaced(good, "paceline.2", "paceline.1")), 400u);
  EXPECT_EQ(status_of(replaced(good, "keep-alive, Upgrade", "keep-alive")), 400u);
  EXPECT_EQ(status_of(replaced(good, "GET", "HEAD")), 400u);
  EXPECT_EQ(status_of(replaced(good, "HTTP/1.1", "HTTP/1.0")), 400u);
  EXPECT_EQ(status_of(replaced(good, "Host: 127.0.0.1\r\n", "")), 400u);
  for (const char* key :
       {"", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ==AAAA", "dGhlIHNhbXBsZSBub25j*Q=="}) {
    EXPECT_EQ(status_of(replaced(good, "dGhlIHNhbXBsZSBub25jZQ==", key)), 400u) << key;
  }
  EXPECT_EQ(status_of(good + "more"), 400u) << "who upgrades waits for the answer";
  EXPECT_EQ(status_of(upgrade_request("Origin: http://127.0.0.1:80\r\n")), 101u);
  EXPECT_EQ(status_of(upgrade_request("Origin: http://127.0.0.2\r\n")), 403u);
  EXPECT_EQ(status_of(upgrade_request("Origin: null\r\n")), 403u);
}

TEST(WebSocketUpgrade, IsNotWhatOthersAskFor) {
  EXPECT_FALSE(asks_for_web_socket(visit_of("GET / HTTP/1.1\r\nHost: a\r\n\r\n")));
  EXPECT_FALSE(asks_for_web_socket(visit_of("GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n")));
}

TEST(WebSocketUpgrade, PagesOfTheSameOriginMayCome) {
  struct Case {
    const char* origin;
    const char* host;
  };
  for (const auto& [origin, host] : {Case{"https://a.example", "a.example"},
                                     {"https://A.example", "a.Example:443"},
                                     {"https://a.example:443", "a.example"},
                                     {"https://a.example:7400", "a.example:7400"}}) {
    EXPECT_TRUE(is_same_origin(origin, host, true)) << origin << " at " << host;
    EXPECT_TRUE(is_same_origin(origin, host, false)) << "a proxy has the certificate";
  }
  for (const auto& [origin, host] : {Case{"https://[2001:db8::1]:7400", "[2001:DB8::1]:7400"},
                                     {"https://localhost", "localhost"},
                                     {"https://127.0.0.1", "127.0.0.1:443"}}) {
    EXPECT_TRUE(is_same_origin(origin, host, true)) << origin << " at " << host;
    EXPECT_FALSE(is_same_origin(origin, host, false)) << "another server of this machine";
  }
  for (const auto& [origin, host] : {Case{"http://127.0.0.1:7400", "127.0.0.1:7400"},
                                     {"http://[::1]", "[::1]:80"},
                                     {"http://127.0.0.1", "127.0.0.1"},
                                     {"http://localhost:7400", "localhost:7400"}}) {
    EXPECT_TRUE(is_same_origin(origin, host, false)) << origin << " at " << host;
    EXPECT_FALSE(is_same_origin(origin, host, true)) << "the page came without TLS";
  }
  for (const auto& [origin, host] : {Case{"https://a.example", "b.example"},
                                     {"https://a.example", "a.example:7400"},
                                     {"https://a.example:7400", "a.example"},
                                     {"https://a.example", "a.example:80"},
                                     {"http://127.0.0.1", "127.0.0.1:443"},
                                     {"http://a.example", "a.example"},  // may lead anywhere
                                     {"null", "null"},
                                     {"", ""},
                                     {"https://", ""},
                                     {"ftp://a.example", "a.example"},
                                     {"file://", "a"},
                                     {"https://[::1", "[::1"},
                                     {"https://a.example/", "a.example/"},
                                     {"https://x@a.example", "x@a.example"},
                                     {"https://a.example:x", "a.example:x"}}) {
    EXPECT_FALSE(is_same_origin(origin, host, false)) << origin << " at " << host;
    EXPECT_FALSE(is_same_origin(origin, host, true)) << origin << " at " << host;
  }
}

}  // namespace
}  // namespace paceline::web_socket_upgrade_test
