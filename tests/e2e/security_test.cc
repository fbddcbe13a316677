// Who the server is, as a person meets it: the key is remembered, a changed one refused, the URL's
// fingerprint decides, and nothing goes unencrypted by mistake.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/children_of.h"
#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Security : testing::Test {
  // Settings of a person of their own.
  std::vector<std::string> as(const std::string& who) const {
    return {"XDG_CONFIG_HOME=" + (folder / who).string()};
  }
  static std::vector<std::string> play(const std::string& url,
                                       const std::vector<std::string>& more = {}) {
    std::vector<std::string> command{program(), "play", url, "--headless", "--pictures", "1"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  static std::string fingerprint(const Process& server) {
    const std::string& log = server.log();
    const auto begin = log.find("#sha256:");
    return begin == std::string::npos ? ""
                                      : log.substr(begin, log.find_first_of(" \n", begin) - begin);
  }
  const qvid::TemporaryFolder folder;
};

TEST_F(Security, AKeyIsRememberedAndAChangedOneRefused) {
  std::string address;
  {
    ServerProcess server({"test", "-s", "160x120"}, "127.0.0.1:0", as("old"));
    address = server.address();
    Process first(play(server.url()), as("viewer"));
    EXPECT_EQ(first.wait(), 0) << first.log();
    EXPECT_NE(first.log().find("is now remembered"), std::string::npos) << first.log();
    Process second(play(server.url()), as("viewer"));
    EXPECT_EQ(second.wait(), 0) << second.log();
    EXPECT_EQ(second.log().find("is now remembered"), std::string::npos) << second.log();
  }
  ServerProcess other({"test", "-s", "160x120"}, address, as("new"));
  Process refused(play(other.url()), as("viewer"));
  EXPECT_EQ(refused.wait(), 4) << refused.log();
  EXPECT_NE(refused.log().find("known_hosts"), std::string::npos) << refused.log();
  // Who is told the new key gets in, whatever is remembered.
  Process told(play(other.url() + fingerprint(other.process())), as("viewer"));
  EXPECT_EQ(told.wait(), 0) << told.log();
}

TEST_F(Security, TheFingerprintInTheUrlDecides) {
  ServerProcess server({"test", "-s", "160x120"}, "127.0.0.1:0", as("server"));
  ASSERT_FALSE(fingerprint(server.process()).empty()) << server.process().log();
  Process right(play(server.url() + fingerprint(server.process())), as("viewer"));
  EXPECT_EQ(right.wait(), 0) << right.log();
  EXPECT_FALSE(fs::exists(folder / "viewer/qvid/known_hosts"));
  Process wrong(play(server.url() + "#sha256:" + std::string(43, 'A')), as("viewer"));
  EXPECT_EQ(wrong.wait(), 4) << wrong.log();
}

TEST_F(Security, BothEndsMustAgreeOnTls) {
  ServerProcess plain({"test", "-s", "160x120", "--insecure"}, "127.0.0.1:0", as("server"));
  Process secure(play(plain.url()), as("viewer"));
  EXPECT_EQ(secure.wait(), 4) << secure.log();
  EXPECT_NE(secure.log().find("--insecure"), std::string::npos) << secure.log();
  Process insecure(play(plain.url(), {"--insecure"}), as("viewer"));
  EXPECT_EQ(insecure.wait(), 0) << insecure.log();
  ServerProcess encrypted({"test", "-s", "160x120"}, "127.0.0.1:0", as("server"));
  Process mistaken(play(encrypted.url(), {"--insecure", "--no-retry"}), as("viewer"));
  EXPECT_NE(mistaken.wait(), 0);
  EXPECT_FALSE(mistaken.log().empty());
}

// The value of a line of /proc/PID/status.
std::string status_of(int pid, const std::string& name) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; in >> word;) {
    if (word == name + ":" && in >> word) return word;
  }
  return {};
}

TEST_F(Security, VideoIsDecodedInAProcessWithoutRights) {
  ServerProcess server({"test", "-s", "160x120", "--rate", "15"}, "127.0.0.1:0", as("server"));
  Process player({program(), "--json", "play", server.url(), "--headless", "--pictures", "80"},
                 as("viewer"));
  ASSERT_TRUE(player.wait_for_log("first picture")) << player.log();
  const std::vector<int> decoders = qvid::children_of(player.pid());
  ASSERT_EQ(decoders.size(), 2u) << player.log();  // and one that is ready
  int confined = 0;
  for (const int pid : decoders) {
    // The one that is ready may still be on its way there.
    if (status_of(pid, "Seccomp") == "2") {  // by a filter
      ++confined;
      EXPECT_EQ(status_of(pid, "NoNewPrivs"), "1");
      std::error_code error;
      const fs::directory_iterator files("/proc/" + std::to_string(pid) + "/fd", error);
      // It lets nobody but root look.
      if (!error) {
        EXPECT_EQ(std::distance(begin(files), end(files)), 5);
      }
    }
    kill(pid, SIGKILL);
  }
  EXPECT_GE(confined, 1);
  EXPECT_TRUE(player.wait_for_log("decoder process has ended")) << player.log();
  EXPECT_EQ(player.wait(), 0) << player.log();
  // The player has asked for a key frame: of its own the server makes one a minute.
  EXPECT_NE(player.log().find("begins anew"), std::string::npos) << player.log();
  EXPECT_GT(json::parse(player.out())["frames_shown"], 60) << player.out();
  EXPECT_EQ(player.log().find("rights ("), std::string::npos) << player.log();
}

TEST_F(Security, VideoIsDecodedInTheProgramWhereThatIsWanted) {
  ServerProcess server({"test", "-s", "160x120"}, "127.0.0.1:0", as("server"));
  Process player(play(server.url(), {"--decoder-process", "off"}), as("viewer"));
  ASSERT_TRUE(player.wait_for_log("first picture")) << player.log();
  EXPECT_TRUE(qvid::children_of(player.pid()).empty());
  EXPECT_NE(player.log().find("decoded in this process"), std::string::npos) << player.log();
  EXPECT_EQ(player.wait(), 0) << player.log();
}

TEST_F(Security, ItsKeyIsKeptFromOthers) {
  { ServerProcess server({"test"}, "127.0.0.1:0", as("server")); }
  const fs::path key = folder / "server/qvid/identity/key.pem";
  ASSERT_TRUE(fs::exists(key));
  EXPECT_EQ(fs::status(key).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Security, AServersCertificateIsReplacedWhileItServes) {
  for (const char* name : {"one", "two"}) {
    ServerProcess makes({"test"}, "127.0.0.1:0", as(name));
  }
  const auto use = [&](const char* name) {
    for (const char* file : {"certificate.pem", "key.pem"}) {
      fs::copy_file(folder / name / "qvid/identity" / file, folder / file,
                    fs::copy_options::overwrite_existing);
    }
  };
  use("one");
  ServerProcess server(
      {"test", "-s", "160x120", "--certificate", (folder / "certificate.pem").string(), "--key",
       (folder / "key.pem").string()},
      "127.0.0.1:0", as("server"));
  const std::string old_key = fingerprint(server.process());
  Process stays({program(), "play", server.url() + old_key, "--headless"}, as("viewer"));
  ASSERT_TRUE(stays.wait_for_log("first picture")) << stays.log();
  use("two");
  server.process().signal(SIGHUP);
  const auto line = server.process().wait_for_log("the certificate has been replaced: its key is ");
  ASSERT_TRUE(line) << server.process().log();
  const std::string new_key = "#" + line->substr(line->find("sha256:"), 50);
  EXPECT_NE(new_key, old_key);
  Process comes(play(server.url() + new_key), as("viewer"));
  EXPECT_EQ(comes.wait(), 0) << comes.log();
  Process mistaken(play(server.url() + old_key), as("viewer"));
  EXPECT_EQ(mistaken.wait(), 4) << mistaken.log();
  std::ofstream(folder / "key.pem") << "nonsense";
  server.process().signal(SIGHUP);
  EXPECT_TRUE(server.process().wait_for_log("the certificate stays as it was: "));
  Process still(play(server.url() + new_key), as("viewer"));
  EXPECT_EQ(still.wait(), 0) << still.log();
  stays.signal(SIGINT);
  EXPECT_EQ(stays.wait(), 0) << stays.log();
  EXPECT_EQ(stays.log().find("interrupted"), std::string::npos) << stays.log();
}

TEST_F(Security, WhatOthersReachIsServedByAWordOnly) {
  Process refused({program(), "serve", "test", "--listen", "0.0.0.0:0"}, as("server"));
  EXPECT_EQ(refused.wait(), 2) << refused.log();
  EXPECT_NE(refused.log().find("everybody who reaches it could watch"), std::string::npos)
      << refused.log();
  ServerProcess open({"test", "-s", "160x120", "--open"}, "0.0.0.0:0", as("server"));
  EXPECT_FALSE(open.address().empty()) << open.process().log();
}

TEST_F(Security, APassphraseLetsAPlayerIn) {
  ServerProcess server({"test", "-s", "160x120", "--passphrase", "four words of ours"},
                       "127.0.0.1:0", as("server"));
  Process without(play(server.url()), as("viewer"));
  EXPECT_EQ(without.wait(), 4) << without.log();
  EXPECT_NE(without.log().find("a passphrase is wanted"), std::string::npos) << without.log();
  Process wrong(play(server.url(), {"--passphrase", "other words"}), as("viewer"));
  EXPECT_EQ(wrong.wait(), 4) << wrong.log();
  Process right(play(server.url(), {"--passphrase", "four words of ours"}), as("viewer"));
  EXPECT_EQ(right.wait(), 0) << right.log();
  Process list({program(), "list", server.url("")}, as("viewer"));
  EXPECT_EQ(list.wait(), 4) << list.log();
  EXPECT_NE(list.log().find("a passphrase is wanted"), std::string::npos) << list.log();
}

TEST_F(Security, AHostedCallTellsItsPassphrase) {
  const auto party = [](const std::vector<std::string>& where, const std::string& name) {
    std::vector<std::string> command{program(), "call",       "--headless", "--source",
                                     "test",    "--name",     name,         "--microphone",
                                     "none",    "--duration", "30"};
    command.insert(command.end(), where.begin(), where.end());
    return command;
  };
  Process host(party({"--host", "0.0.0.0:0"}, "Ann"), as("host"));
  const auto line = host.wait_for_log("the other types: ");
  ASSERT_TRUE(line) << host.log();
  const auto begin = line->find("--passphrase '");
  ASSERT_NE(begin, std::string::npos) << *line;
  const std::string passphrase = line->substr(begin + 14, 19);
  const auto colon = line->find(':', line->find("qvid://") + 7);
  const std::string port = line->substr(colon + 1, line->find('#', colon) - colon - 1);
  const std::string url = "qvid://127.0.0.1:" + port.substr(0, port.find('/'));
  Process without(party({url}, "Eve"), as("eve"));
  EXPECT_EQ(without.wait(), 4) << without.log();
  EXPECT_NE(without.log().find("a passphrase is wanted"), std::string::npos) << without.log();
  Process right(party({url, "--passphrase", passphrase}, "Bob"), as("bob"));
  EXPECT_TRUE(right.wait_for_log("joined the room")) << right.log();
}

}  // namespace
}  // namespace e2e
