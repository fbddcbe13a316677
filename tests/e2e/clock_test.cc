// A wall clock that jumps while programs run: what ends by it ends, nothing comes back to life, and
// no call ends for it. By libfaketime, which reads the difference from a file; the steady clock goes
// on as it does.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>

#include "lab/bed/fake_clock.h"
#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"

namespace e2e::clock_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOpenssl = "/usr/bin/openssl";

class Clock : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!qvid::lab::FakeClock::is_installed()) GTEST_SKIP() << "libfaketime is not installed";
  }
  void set(const std::string& difference) const { clock_.set(difference); }
  // The environment of a program that has this clock.
  std::vector<std::string> with_clock(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = clock_.environment();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  const qvid::TemporaryFolder folder_;
  const qvid::lab::FakeClock clock_{folder_.path()};
};

TEST_F(Clock, AnHourEitherWayEndsNoCallAndRevivesNoToken) {
  Process make({program(), "token", "--new-key", file("key")});
  ASSERT_EQ(make.wait(), 0) << make.log();
  Process broker(
      {program(), "broker", "--listen", "127.0.0.1:0", "--insecure", "--token-key", file("key")},
      with_clock());
  const auto line = broker.wait_for_log("join with: qvid call qvid://");
  ASSERT_TRUE(line) << broker.log();
  const std::size_t from = line->find("qvid://");
  const std::string url = line->substr(from, line->find('/', from + 7) - from) + "/den";
  const auto join = [&](const std::string& name, const std::string& valid) {
    Process token({program(), "-q", "token", "--key", file("key"), "--room", "den", "--name", name,
                   "--rights", "subscribe", "--valid", valid});
    EXPECT_EQ(token.wait(), 0) << token.log();
    std::ofstream(file(name)) << token.out();
    return std::make_unique<Process>(std::vector<std::string>{program(), "watch", url, "--insecure",
                                                              "--headless", "--name", name},
                                     std::vector<std::string>{"QVID_TOKEN=" + file(name)});
  };
  const auto ann = join("Ann", "30m");
  ASSERT_TRUE(ann->wait_for_log("joined the room")) << ann->log();
  set("+1h");
  const auto late = join("Late", "30m");
  EXPECT_EQ(late->wait(), 4) << late->log();
  EXPECT_NE(late->log().find("has expired"), std::string::npos) << late->log();
  const auto bob = join("Bob", "3h");
  ASSERT_TRUE(bob->wait_for_log("joined the room")) << bob->log();
  set("-1h");
  const auto revived = join("Revived", "30m");
  EXPECT_EQ(revived->wait(), 4) << revived->log();
  EXPECT_NE(revived->log().find("has expired"), std::string::npos) << revived->log();
  const auto cid = join("Cid", "3h");
  ASSERT_TRUE(cid->wait_for_log("joined the room")) << cid->log();
  for (Process* member : {ann.get(), bob.get(), cid.get()}) {
    member->signal(SIGINT);
    EXPECT_EQ(member->wait(), 0) << "it stayed: " << member->log();
    EXPECT_EQ(member->log().find("trying again"), std::string::npos) << member->log();
  }
}

// Certificates of a CA that is trusted, each for so many days.
class Certificates : public Clock {
 protected:
  void SetUp() override {
    Clock::SetUp();
    if (!IsSkipped() && !fs::exists(kOpenssl)) GTEST_SKIP() << "openssl is not installed";
  }
  static void run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), kOpenssl);
    Process openssl(std::move(arguments));
    ASSERT_EQ(openssl.wait(), 0) << openssl.log();
  }
  void make_ca() const {
    run({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
         "100", "-subj", "/CN=a CA of a test", "-addext", "basicConstraints=critical,CA:TRUE",
         "-keyout", file("ca.key"), "-out", file("ca.pem")});
  }
  void make_certificate(const std::string& days) const {
    std::ofstream(folder_ / "names") << "subjectAltName=DNS:localhost\n";
    run({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
         "/CN=localhost", "-keyout", file("key.pem"), "-out", file("request")});
    run({"x509", "-req", "-in", file("request"), "-CA", file("ca.pem"), "-CAkey", file("ca.key"),
         "-CAcreateserial", "-days", days, "-extfile", file("names"), "-out",
         file("certificate.pem")});
  }
};

TEST_F(Certificates, OneThatExpiresInACallEndsNothingAndIsReplaced) {
  make_ca();
  make_certificate("1");
  if (HasFatalFailure()) return;
  Process server({program(), "serve", "test", "-s", "160x120", "--listen", "127.0.0.1:0",
                  "--certificate", file("certificate.pem"), "--key", file("key.pem")},
                 {"XDG_CONFIG_HOME=" + file("server")});
  const auto line = server.wait_for_log("watch it with: qvid play qvid://");
  ASSERT_TRUE(line) << server.log();
  const std::size_t port = line->find(':', line->find("qvid://") + 7) + 1;
  const std::string url =
      "qvid://localhost:" + line->substr(port, line->find('/', port) - port) + "/live";
  const auto play = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command{program(), "play", url, "--headless", "--ca", file("ca.pem")};
    command.insert(command.end(), more.begin(), more.end());
    return std::make_unique<Process>(command, with_clock({"XDG_CONFIG_HOME=" + file("viewer")}));
  };
  const auto stays = play({});
  ASSERT_TRUE(stays->wait_for_log("first picture")) << stays->log();
  set("+2d");
  const auto refused = play({"--no-retry"});
  EXPECT_EQ(refused->wait(), 4) << refused->log();
  EXPECT_NE(refused->log().find("expired"), std::string::npos) << refused->log();
  make_certificate("30");
  server.signal(SIGHUP);
  ASSERT_TRUE(server.wait_for_log("the certificate has been replaced")) << server.log();
  const auto comes = play({"--pictures", "1"});
  EXPECT_EQ(comes->wait(), 0) << comes->log();
  stays->signal(SIGINT);
  EXPECT_EQ(stays->wait(), 0) << stays->log();
  EXPECT_EQ(stays->log().find("interrupted"), std::string::npos) << stays->log();
}

}  // namespace
}  // namespace e2e::clock_test
