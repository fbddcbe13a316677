// Peers that are not ours: what a real server and a real player make of foreign and broken bytes.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/process.h"

namespace e2e {
namespace {

// A TCP socket of the test's own.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() { close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  static int fresh() {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return fd;
  }
  int fd() const { return fd_; }
  void send(const std::string& bytes) const {
    EXPECT_GE(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
  }
  // What the other end sends until it closes, or time runs out.
  std::string read_to_end() const {
    std::string all;
    char buffer[512];
    pollfd p{fd_, POLLIN, 0};
    while (poll(&p, 1, static_cast<int>(kPatience.count())) > 0) {
      const ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
      if (got <= 0) return all;
      all.append(buffer, static_cast<std::size_t>(got));
    }
    ADD_FAILURE() << "the other end did not close";
    return all;
  }

 private:
  int fd_;
};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}

int connected_to(const std::string& address) {
  const int fd = Socket::fresh();
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  const sockaddr_in to = loopback(port);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  return fd;
}

const std::string kPreamble = std::string("PACELINE") + '\x02';

TEST(Server, ClosesWhoSpeaksSomethingElse) {
  ServerProcess server({"test", "--size", "160x120", "--insecure"});
  ASSERT_FALSE(server.address().empty());
  const std::string hello("\x01\x0a\x80\x10\0\0\x80\x10\0\0\x20\0", 12);
  const std::string activate("\x0a\x03\x01\0\0", 5);
  const std::vector<std::pair<std::string, std::string>> table{
      {"GET /no/page HTTP/1.1\r\nHost: x\r\n\r\n", "This is a Qvid server"},
      {"SSH-2.0-OpenSSH_9.2\r\n", "does not speak Paceline"},
      {std::string("PACELINE") + '\x07', "speaks version 7"},
      {kPreamble + std::string("\x10\xff\xff\xff\xff\xff\xff\xff\xff", 9), "longer than allowed"},
      {kPreamble + std::string("\x01\x02\x00\x00", 4), "malformed record"},
      {kPreamble + std::string("\x05\x00", 2), "content before the greeting"},
      {kPreamble + hello + hello, "a stray hello"},
      {kPreamble + hello + std::string("\x04\x04\xbf\xff\xff\xff", 6), "never sent"},
      {kPreamble + hello + std::string("\x05\0", 2), "not active"},
      {kPreamble + hello + activate +
           std::string("\x13\x08\x00\x00\x02\xff\x00"
                       "hi!",
                       10),
       "message"},
      {kPreamble + hello + activate +
           std::string("\x13\x07\x00\x00\x02\xff\x00"
                       "hi",
                       9),
       "no valid request"},
  };
  for (const auto& [bytes, says] : table) {
    const Socket socket(connected_to(server.address()));
    socket.send(bytes);
    EXPECT_NE(socket.read_to_end().find(says), std::string::npos) << says;
  }
  // None of it has touched the others.
  Process play({program(), "play", server.url(), "--headless", "--insecure", "--pictures", "1"});
  EXPECT_EQ(play.wait(), 0) << play.log();
  server.process().signal(SIGINT);
  EXPECT_EQ(server.process().wait(), 0) << server.process().log();
}

TEST(Server, ClosesWhoSaysNothing) {
  ServerProcess server({"test", "--insecure"});
  const Socket socket(connected_to(server.address()));
  EXPECT_NE(socket.read_to_end().find("no greeting in time"), std::string::npos);
}

TEST(Server, RefusesMoreViewersThanItTakes) {
  ServerProcess server({"test", "--size", "160x120", "--max-viewers", "1"});
  Process first({program(), "play", server.url(), "--headless"});
  ASSERT_TRUE(first.wait_for_log("first picture"));
  Process second({program(), "play", server.url(), "--headless"});
  EXPECT_EQ(second.wait(), 4);
  EXPECT_NE(second.log().find("as many viewers"), std::string::npos) << second.log();
  first.signal(SIGINT);
  EXPECT_EQ(first.wait(), 0) << first.log();
}

TEST(Player, SaysThatTheServerIsNone) {
  const Socket listener(Socket::fresh());
  sockaddr_in here = loopback(0);
  socklen_t size = sizeof here;
  ASSERT_EQ(bind(listener.fd(), reinterpret_cast<sockaddr*>(&here), size), 0);
  ASSERT_EQ(listen(listener.fd(), 1), 0);
  ASSERT_EQ(getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&here), &size), 0);
  Process play({program(), "play", "qvid://127.0.0.1:" + std::to_string(ntohs(here.sin_port)),
                "--headless", "--insecure"});
  const Socket peer(accept(listener.fd(), nullptr, nullptr));
  peer.send("220 mail.example ESMTP\r\n");
  EXPECT_EQ(play.wait(), 4);
  EXPECT_NE(play.log().find("is that the port of a Qvid server?"), std::string::npos) << play.log();
}

}  // namespace
}  // namespace e2e
