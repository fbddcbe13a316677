// Shows the pages of a program's second port on real sockets: what is there, what is not, and that
// who asks too much, or never, gets nothing.
#include "app/broker/status_server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>
#include <vector>

namespace qvid::app {
namespace {

using boost::asio::ip::tcp;

// A client that says one thing and reads until the end, all in the loop of the server.
class Asker {
 public:
  Asker(boost::asio::io_context& io, const paceline::Address& to, std::string request)
      : socket_(io), request_(std::move(request)) {
    socket_.connect({boost::asio::ip::make_address(to.host), to.port});
    boost::asio::write(socket_, boost::asio::buffer(request_));
    boost::asio::async_read(
        socket_, boost::asio::dynamic_buffer(answer_),
        [this](const boost::system::error_code&, std::size_t) { ended_ = true; });
  }
  bool ended() const { return ended_; }
  const std::string& answer() const { return answer_; }

 private:
  tcp::socket socket_;
  std::string request_;
  std::string answer_;
  bool ended_ = false;
};

class StatusServerTest : public ::testing::Test {
 protected:
  StatusServerTest() { open(StatusServer::kTimeout); }
  void open(Duration timeout) {
    server_.reset();
    auto server = StatusServer::open(
        io_, {.host = "127.0.0.1", .port = 0},
        [this](const StatusServer::Request& request) -> std::optional<StatusServer::Page> {
          asked_ = request;
          if (request.path == "/health") return StatusServer::Page{.body = "ok\n"};
          if (request.path == "/ill") return StatusServer::Page{.status = 503, .body = "ill\n"};
          return std::nullopt;
        },
        [](const std::string& trouble) { ADD_FAILURE() << trouble; }, timeout);
    if (server) server_ = *std::move(server);
  }
  std::string ask(const std::string& request) {
    Asker asker(io_, server_->address(), request);
    while (!asker.ended() && io_.run_one() > 0) {
    }
    return asker.answer();
  }

  boost::asio::io_context io_{1};
  std::unique_ptr<StatusServer> server_;
  StatusServer::Request asked_;  // last
};

TEST_F(StatusServerTest, GivesItsPages) {
  ASSERT_TRUE(server_);
  const std::string ok = ask("GET /health?x=1 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(ok.starts_with("HTTP/1.1 200 OK\r\n")) << ok;
  EXPECT_TRUE(ok.ends_with("Content-Length: 3\r\n\r\nok\n")) << ok;
  EXPECT_NE(ok.find("Connection: close\r\n"), std::string::npos) << ok;
  EXPECT_TRUE(ask("GET /ill HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 503 "));
  EXPECT_TRUE(ask("GET /none HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(ask("DELETE /health HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 405 "));
  const std::string head = ask("HEAD /health HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n")) << head;
  EXPECT_TRUE(head.ends_with("Content-Length: 3\r\n\r\n")) << head;
}

TEST_F(StatusServerTest, TellsItsPagesWhatIsAsked) {
  ASSERT_TRUE(server_);
  ask("POST /health?a=b HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer t.o.k\r\n"
      "Content-Length: 4\r\n\r\nbody");
  EXPECT_EQ(asked_.path, "/health");
  EXPECT_TRUE(asked_.posts);
  EXPECT_EQ(asked_.token, "t.o.k");
  EXPECT_EQ(asked_.body, "body");
  EXPECT_FALSE(asked_.of_browser);
  EXPECT_TRUE(asked_.from.is_loopback());
  ask("GET /ill HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nAuthorization: Basic x\r\n\r\n");
  EXPECT_FALSE(asked_.posts);
  EXPECT_EQ(asked_.token, "");
  EXPECT_EQ(asked_.body, "");
  EXPECT_TRUE(asked_.of_browser);
}

TEST_F(StatusServerTest, WhatIsNoRequestGetsNoAnswer) {
  ASSERT_TRUE(server_);
  EXPECT_EQ(ask("nonsense\r\n\r\n"), "");
  EXPECT_EQ(ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8193\r\n\r\n" +
                std::string(StatusServer::kMaxRequest + 1, 'x')),
            "");
  EXPECT_EQ(ask("GET / HTTP/1.1\r\nX: " + std::string(StatusServer::kMaxRequest, 'x') + "\r\n\r\n"),
            "");
}

TEST_F(StatusServerTest, TakesSoManyAtOnceAndClosesThemWhenItGoes) {
  ASSERT_TRUE(server_);
  std::vector<std::unique_ptr<Asker>> silent;
  const auto ended = [&] {
    return std::ranges::count_if(silent, [](const auto& asker) { return asker->ended(); });
  };
  for (std::size_t i = 0; i < StatusServer::kMaxExchanges + 3; ++i) {
    silent.push_back(std::make_unique<Asker>(io_, server_->address(), "GET "));
  }
  while (ended() < 3 && io_.run_one() > 0) {
  }
  EXPECT_EQ(ended(), 3);
  server_.reset();
  io_.run();
  EXPECT_EQ(ended(), static_cast<std::ptrdiff_t>(silent.size()));
}

TEST_F(StatusServerTest, WhoNeverAsksIsClosedInTime) {
  open(20ms);
  ASSERT_TRUE(server_);
  EXPECT_EQ(ask("GET /hea"), "");
}

}  // namespace
}  // namespace qvid::app
