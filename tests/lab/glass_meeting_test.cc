// The meeting point of two browsers: HTTP as they and others send it, and the server in a
// namespace.
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "lab/emulator/emulator.h"
#include "lab/glass/meeting_point.h"
#include "lab/glass/meeting_server.h"

namespace qvid::lab {
namespace {

using boost::asio::ip::tcp;

std::string ask(MeetingPoint& point, const std::string& request, std::string body = {}) {
  const auto head = parse_http_head(request + "\r\n\r\n");
  return head ? point.answer(*head, std::move(body)) : MeetingPoint::refusal();
}

TEST(MeetingPoint, ParsesHeads) {
  const auto head = parse_http_head(
      "PUT /kept/offer?x=1 HTTP/1.1\r\nHost: 127.0.0.1:8000\r\ncontent-Length:  12 \r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->method, "PUT");
  EXPECT_EQ(head->target, "/kept/offer");
  EXPECT_EQ(head->body, 12u);
}

TEST(MeetingPoint, RefusesWhatIsNone) {
  for (const char* text : {"", "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / FTP/1.0\r\n\r\n",
                           "GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
                           "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                           "GET / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"}) {
    EXPECT_FALSE(parse_http_head(text)) << text;
  }
}

TEST(MeetingPoint, HandsOnWhatOneLeaves) {
  MeetingPoint point;
  EXPECT_TRUE(ask(point, "GET /kept/offer HTTP/1.1").starts_with("HTTP/1.1 204 "));
  EXPECT_TRUE(ask(point, "PUT /kept/offer HTTP/1.1", "{}").starts_with("HTTP/1.1 204 "));
  EXPECT_TRUE(ask(point, "PUT /kept/offer HTTP/1.1", "{\"a\":1}").starts_with("HTTP/1.1 204 "));
  const std::string got = ask(point, "GET /kept/offer HTTP/1.1");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200 ")) << got;
  EXPECT_TRUE(got.ends_with("\r\n\r\n{\"a\":1}")) << got;
  EXPECT_EQ(point.kept("offer"), "{\"a\":1}");
  EXPECT_EQ(point.kept("answer"), "");
}

TEST(MeetingPoint, HasAPageAndNothingElse) {
  MeetingPoint point;
  const std::string page = ask(point, "GET /call?role=send HTTP/1.1");
  EXPECT_NE(page.find("text/html"), std::string::npos);
  EXPECT_NE(page.find("RTCPeerConnection"), std::string::npos);
  EXPECT_TRUE(ask(point, "GET /favicon.ico HTTP/1.1").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(ask(point, "DELETE /kept/offer HTTP/1.1").starts_with("HTTP/1.1 405 "));
}

TEST(MeetingPoint, KeepsSoManyAndNoMore) {
  MeetingPoint point;
  for (std::size_t i = 0; i < MeetingPoint::kMostKept; ++i) {
    ask(point, "PUT /kept/" + std::to_string(i) + " HTTP/1.1", "x");
  }
  EXPECT_TRUE(ask(point, "PUT /kept/more HTTP/1.1", "x").starts_with("HTTP/1.1 507 "));
  EXPECT_TRUE(ask(point, "PUT /kept/3 HTTP/1.1", "y").starts_with("HTTP/1.1 204 "));
}

TEST(MeetingServer, IsOneForSeveralNamespaces) {
  if (const std::string missing = missing_for_emulator(); !missing.empty()) GTEST_SKIP() << missing;
  const auto link = Emulator::open({});
  const std::array<const NetNamespace*, 2> both{&link->near(), &link->far()};
  MeetingServer server(both);
  const auto exchange = [](const NetNamespace& where, const std::string& request) {
    std::string answer;
    where.run([&] {
      boost::asio::io_context io;
      tcp::socket socket(io);
      socket.connect({boost::asio::ip::address_v4::loopback(), MeetingServer::kPort});
      boost::asio::write(socket, boost::asio::buffer(request));
      boost::system::error_code end;
      boost::asio::read(socket, boost::asio::dynamic_buffer(answer), end);
    });
    return answer;
  };
  const std::string put = "PUT /kept/offer HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";
  EXPECT_TRUE(exchange(link->near(), put).starts_with("HTTP/1.1 204 "));
  EXPECT_TRUE(exchange(link->far(), "GET /kept/offer HTTP/1.1\r\n\r\n").ends_with("\r\n\r\nhello"));
  EXPECT_TRUE(exchange(link->far(), "nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_EQ(server.kept("offer"), "hello");
}

}  // namespace
}  // namespace qvid::lab
