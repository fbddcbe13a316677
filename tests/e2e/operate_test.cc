// A broker as it is operated: its configuration, a reload, its metrics and health, its end.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

// The response, over a plain socket; empty where nobody answers.
std::string answer_to(int port, const std::string& request) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 &&
      ::send(fd, request.data(), request.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(request.size())) {
    char buffer[4096];
    for (ssize_t got = 0; (got = ::recv(fd, buffer, sizeof buffer, 0)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(got));
    }
  }
  ::close(fd);
  return answer;
}

std::string get(int port, const std::string& path) {
  return answer_to(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}
std::string post(int port, const std::string& path, const std::string& body) {
  return answer_to(port, "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + body);
}

// Where a web hook knocks.
class Door {
 public:
  Door() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(fd_, 8), 0);
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
  }
  ~Door() { ::close(fd_); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  int port() const { return port_; }
  // The next request, up to the end of its body of JSON, which is answered; empty: none came.
  std::string take() const {
    const int fd = ::accept(fd_, nullptr, nullptr);
    if (fd < 0) return {};
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::string request;
    char buffer[4096];
    while (!request.ends_with('}')) {
      const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
      if (got <= 0) break;
      request.append(buffer, static_cast<std::size_t>(got));
    }
    const std::string answer = "HTTP/1.1 204 No Content\r\n\r\n";
    ::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
    ::close(fd);
    return request;
  }

 private:
  int fd_;
  int port_ = 0;
};

class Operate : public ::testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(file()) << text; }
  std::string file() const { return (folder_ / "broker.toml").string(); }
  // Starts a broker with that configuration; where it and its metrics are.
  void start(const std::string& text) {
    write(text);
    broker_.emplace(
        std::vector<std::string>{program(), "broker", "--config", file(), "--insecure"});
    const auto metrics = broker_->wait_for_log("metrics on http://127.0.0.1:");
    if (metrics) metrics_ = std::stoi(metrics->substr(metrics->find("127.0.0.1:") + 10));
    const auto url = broker_->wait_for_log("qvid://");
    if (!url) return;
    const auto from = url->find("qvid://");
    url_ = url->substr(from, url->find("/room", from) - from) + "/den";
  }

  qvid::TemporaryFolder folder_;
  std::optional<Process> broker_;
  int metrics_ = 0;
  std::string url_;
};

const std::string kPorts = "listen = \"127.0.0.1:0\"\nmetrics = \"127.0.0.1:0\"\n";

TEST_F(Operate, TellsOfItself) {
  start(kPorts);
  ASSERT_NE(metrics_, 0) << broker_->log();
  EXPECT_TRUE(get(metrics_, "/health").ends_with("\r\n\r\nok\n"));
  Process tv({program(), "publish", "test", url_, "--insecure", "--name", "TV", "--size", "160x120",
              "--rate", "15"});
  ASSERT_TRUE(tv.wait_for_log("joined")) << tv.log();
  const std::string metrics = get(metrics_, "/metrics");
  EXPECT_TRUE(metrics.starts_with("HTTP/1.1 200 OK\r\n")) << metrics;
  EXPECT_NE(metrics.find("text/plain; version=0.0.4"), std::string::npos);
  EXPECT_NE(metrics.find("\nqvid_broker_joins_total 1\n"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("\nqvid_broker_clients 1\n"), std::string::npos);
  EXPECT_NE(metrics.find("\nqvid_broker_rooms 1\n"), std::string::npos);
  EXPECT_TRUE(get(metrics_, "/").starts_with("HTTP/1.1 404 "));
}

TEST_F(Operate, IsAdministeredByHttp) {
  start(kPorts + "local_admin = true\n");
  ASSERT_NE(metrics_, 0) << broker_->log();
  Process tv({program(), "publish", "test", url_, "--insecure", "--name", "TV", "--size", "160x120",
              "--rate", "15"});
  ASSERT_TRUE(tv.wait_for_log("joined")) << tv.log();
  const std::string rooms = post(metrics_, "/admin", R"({"do":"rooms"})");
  EXPECT_TRUE(rooms.starts_with("HTTP/1.1 200 ")) << rooms;
  EXPECT_NE(rooms.find(R"("members":1)"), std::string::npos) << rooms;
  EXPECT_TRUE(get(metrics_, "/admin").starts_with("HTTP/1.1 405 "));
  EXPECT_TRUE(post(metrics_, "/admin", "{}").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(post(metrics_, "/health", "{}").starts_with("HTTP/1.1 405 "));
  const std::string kick = R"({"do":"kick","room":"den","name":"TV","reason":"too bright"})";
  EXPECT_TRUE(post(metrics_, "/admin", kick).starts_with("HTTP/1.1 200 "));
  EXPECT_NE(tv.wait(), 0);
  EXPECT_NE(tv.log().find("too bright"), std::string::npos) << tv.log();
  EXPECT_TRUE(post(metrics_, "/admin", kick).starts_with("HTTP/1.1 409 "));
}

TEST_F(Operate, TellsAProgramWhoComesAndGoes) {
  const Door door;
  start(kPorts + "hook = \"http://127.0.0.1:" + std::to_string(door.port()) + "/qvid\"\n");
  ASSERT_FALSE(url_.empty()) << broker_->log();
  Process tv({program(), "publish", "test", url_, "--insecure", "--name", "TV", "--size", "160x120",
              "--rate", "15"});
  const std::string joined = door.take();
  EXPECT_TRUE(joined.starts_with("POST /qvid HTTP/1.1\r\n")) << joined;
  EXPECT_NE(joined.find(R"("event":"joined")"), std::string::npos) << joined;
  EXPECT_NE(joined.find(R"("member":"TV")"), std::string::npos) << joined;
  tv.signal(SIGINT);
  const std::string left = door.take();
  EXPECT_NE(left.find(R"("event":"left")"), std::string::npos) << left;
  EXPECT_NE(left.find(R"("number":2)"), std::string::npos) << left;
  EXPECT_EQ(tv.wait(), 0) << tv.log();
  broker_->signal(SIGINT);
  EXPECT_EQ(broker_->wait(), 0) << broker_->log();
}

TEST_F(Operate, TellsItsHealthOnItsOnePortToo) {
  if (!std::filesystem::exists("/usr/bin/curl")) GTEST_SKIP() << "curl is not installed";
  Process broker({program(), "broker", "--listen", "127.0.0.1:0"});
  const auto line = broker.wait_for_log("broker on 127.0.0.1:");
  ASSERT_TRUE(line) << broker.log();
  const std::string port = std::to_string(std::stoi(line->substr(line->find("127.0.0.1:") + 10)));
  const auto curl = [](const std::string& url) {
    Process p(
        {"curl", "--silent", "--show-error", "--insecure", "--http1.1", "--max-time", "20", url});
    EXPECT_EQ(p.wait(), 0) << p.log();
    return p.out();
  };
  EXPECT_EQ(curl("https://127.0.0.1:" + port + "/health"), "ok\n");
  EXPECT_NE(curl("https://127.0.0.1:" + port + "/no/metrics").find("This is a Qvid server"),
            std::string::npos);
  EXPECT_NE(curl("http://127.0.0.1:" + port + "/health").find("speaks TLS"), std::string::npos);
}

TEST_F(Operate, ReloadsAndRefusesABrokenFile) {
  start(kPorts + "max_members = 1\n");
  ASSERT_FALSE(url_.empty()) << broker_->log();
  const auto join = [&](const std::string& name) {
    return std::vector<std::string>{program(),    "publish", "test", url_,
                                    "--insecure", "--name",  name,   "--size",
                                    "160x120",    "--rate",  "15"};
  };
  Process one(join("one"));
  ASSERT_TRUE(one.wait_for_log("joined")) << one.log();
  Process two(join("two"));
  EXPECT_TRUE(two.wait_for_log("is full")) << two.log();
  write(kPorts + "max_members = 0\n");
  broker_->signal(SIGHUP);
  EXPECT_TRUE(
      broker_->wait_for_log("the configuration stays as it was: " + file() + ":3: 'max_members'"))
      << broker_->log();
  Process still(join("still"));
  EXPECT_TRUE(still.wait_for_log("is full")) << still.log();
  write("listen = \"127.0.0.1:1\"\nmetrics = \"127.0.0.1:0\"\nmax_members = 2\n");
  broker_->signal(SIGHUP);
  EXPECT_TRUE(broker_->wait_for_log("read again: new is max_members")) << broker_->log();
  EXPECT_TRUE(broker_->wait_for_log("restart required for: listen"));
  Process more(join("more"));
  EXPECT_TRUE(more.wait_for_log("joined")) << more.log();
}

TEST_F(Operate, SaysThatItDrainsAndEndsAtOnceWithASecondSignal) {
  start(kPorts + "drain_seconds = 3600\n");
  ASSERT_NE(metrics_, 0) << broker_->log();
  broker_->signal(SIGTERM);
  ASSERT_TRUE(broker_->wait_for_log("the end is in 3600 s")) << broker_->log();
  const std::string health = get(metrics_, "/health");
  EXPECT_TRUE(health.starts_with("HTTP/1.1 503 ")) << health;
  EXPECT_TRUE(health.ends_with("draining\n")) << health;
  broker_->signal(SIGTERM);
  EXPECT_EQ(broker_->wait(), 0) << broker_->log();
  EXPECT_EQ(get(metrics_, "/health"), "");
}

TEST_F(Operate, ADrainEndsAtItsDeadline) {
  start(kPorts + "drain_seconds = 0.2\n");
  ASSERT_NE(metrics_, 0) << broker_->log();
  broker_->signal(SIGTERM);
  EXPECT_EQ(broker_->wait(), 0) << broker_->log();
}

TEST_F(Operate, ABrokenFileStartsNoBroker) {
  write("\nmax_client = 3\n");
  Process broker({program(), "broker", "--config", file(), "--insecure"});
  EXPECT_EQ(broker.wait(), 2) << broker.log();
  EXPECT_NE(broker.log().find(file() + ":2: unknown key 'max_client'"), std::string::npos)
      << broker.log();
  write("listen = \"0.0.0.0:0\"\nopen = true\nmetrics = \"127.0.0.1:0\"\n");
  // The command line goes before the file: this is not refused for being open without TLS.
  Process other({program(), "broker", "-c", file(), "--insecure", "--listen", "127.0.0.1:0"});
  EXPECT_TRUE(other.wait_for_log("broker on 127.0.0.1:")) << other.log();
}

}  // namespace
}  // namespace e2e
