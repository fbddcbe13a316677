// Shows what is taken for a request by HTTP, and that nothing else is.
#include "transport/socket/http_visit.h"

#include <gtest/gtest.h>

namespace paceline::http_visit_test {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
HttpVisit::State state_after(std::string_view text) { return HttpVisit().receive(bytes_of(text)); }

TEST(HttpVisit, ReadsThePathHoweverItIsCut) {
  const std::string request = "GET /health?now=1 HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\nrest";
  for (std::size_t piece = 1; piece <= request.size(); ++piece) {
    HttpVisit visit;
    for (std::size_t at = 0; at < request.size(); at += piece) {
      visit.receive(bytes_of(std::string_view(request).substr(at, piece)));
    }
    EXPECT_EQ(visit.state(), HttpVisit::State::asked) << piece;
    EXPECT_EQ(visit.path(), "/health");
    EXPECT_FALSE(visit.head_only());
  }
  HttpVisit head;
  head.receive(bytes_of("HEAD / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(head.head_only());
  EXPECT_EQ(head.path(), "/");
}

TEST(HttpVisit, RefusesWhatIsNone) {
  using State = HttpVisit::State;
  EXPECT_EQ(state_after("GET / HTTP/1.1\r\nHost: a\r\n"), State::reading);
  for (const char* wrong : {"POST / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
                            "GET * HTTP/1.1\r\n\r\n", "GET / SPDY/3\r\n\r\n", "\r\n\r\n",
                            "GET http://a/ HTTP/1.1\r\n\r\n"}) {
    EXPECT_EQ(state_after(wrong), State::failed) << wrong;
  }
  HttpVisit endless;
  for (std::size_t i = 0; i < HttpVisit::kMost / 16 - 1; ++i) {
    EXPECT_EQ(endless.receive(bytes_of("GET / HTTP/1.1\r\n")), State::reading);
  }
  EXPECT_EQ(endless.receive(bytes_of("GET / HTTP/1.1\r\n")), State::failed);
}

TEST(HttpVisit, ReadsTheHeadersThatMatter) {
  using Header = HttpVisit::Header;
  HttpVisit visit;
  visit.receive(
      bytes_of("GET / HTTP/1.0\r\nhOST:  a:1 \r\nX-Other: y\r\nConnection: close\r\n"
               "Connection: x, Upgrade\r\nOrigin:\r\n\r\nmore"));
  ASSERT_EQ(visit.state(), HttpVisit::State::asked);
  EXPECT_EQ(visit.header(Header::host), "a:1");
  EXPECT_EQ(visit.header(Header::origin), "");
  EXPECT_EQ(visit.header(Header::upgrade), "");
  for (const char* token : {"close", "X", "upgrade"}) {
    EXPECT_TRUE(visit.lists(Header::connection, token)) << token;
  }
  for (const char* token : {"", "up", "close, x"}) {
    EXPECT_FALSE(visit.lists(Header::connection, token)) << token;
  }
  EXPECT_TRUE(visit.is_1_0());
  EXPECT_TRUE(visit.has_more());
  for (const char* wrong : {"Host: a\r\nHost: b", "Host", ": a", "Host : a", " Host: a",
                            "Host: a\nOrigin: b", "Host: a\rb", "Origin: a\x7f"}) {
    EXPECT_EQ(state_after("GET / HTTP/1.1\r\n" + std::string(wrong) + "\r\n\r\n"),
              HttpVisit::State::failed)
        << wrong;
  }
}

TEST(HttpVisit, IsToldFromPacelineByTheFirstBytes) {
  for (const char* yes : {"G", "GET ", "GET /x", "H", "HEAD /"}) {
    EXPECT_TRUE(HttpVisit::begins_with(bytes_of(yes))) << yes;
  }
  for (const char* no : {"", "PACELINE", "GOT ", "HE AD", "\x16\x03"}) {
    EXPECT_FALSE(HttpVisit::begins_with(bytes_of(no))) << no;
  }
}

TEST(HttpVisit, AnswersSayHowLongTheyAre) {
  const std::string answer = http_answer({.status = 200, .text = "ok\n"}, false).text;
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(answer.find("Content-Length: 3\r\n"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("\r\n\r\nok\n"));
  EXPECT_TRUE(http_answer({}, true).text.ends_with("\r\n\r\n"));
}

}  // namespace
}  // namespace paceline::http_visit_test
