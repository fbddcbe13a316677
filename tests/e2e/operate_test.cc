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

// The response to a GET, over a plain socket; empty where nobody answers.
std::string get(int port, const std::string& path) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
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
  EXPECT_NE(curl("https://127.0.0.1:" + port + "/metrics").find("This is a Qvid server"),
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
