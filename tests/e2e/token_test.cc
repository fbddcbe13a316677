// Who gets into a broker with tokens, and who is put out of it: real processes.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lab/emulator/emulator.h"
#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

using nlohmann::json;

// A broker with a key of its own, and what people do with it.
class Tokens : public ::testing::Test {
 protected:
  void SetUp() override {
    Process make({program(), "token", "--new-key", key()});
    ASSERT_EQ(make.wait(), 0) << make.log();
    start({"--token-key", key()});
  }
  void start(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{program(),  "--json",      "broker",
                                     "--listen", "127.0.0.1:0", "--insecure"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    broker_ = std::make_unique<Process>(std::move(command));
    const auto line = broker_->wait_for_log("join with: qvid call qvid://");
    ASSERT_TRUE(line) << broker_->log();
    const std::size_t from = line->find("qvid://");
    url_ = line->substr(from, line->find('/', from + 7) - from) + "/den";
  }
  std::string key() const { return (folder_ / "key").string(); }
  std::string token(const std::string& name, const std::string& rights,
                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> command{program(), "-q",      "token",  "--key", key(),
                                     "--room",  "den",     "--name", name,    "--rights",
                                     rights,    "--valid", "1h"};
    command.insert(command.end(), more.begin(), more.end());
    Process make(std::move(command));
    EXPECT_EQ(make.wait(), 0) << make.log();
    return make.out();
  }
  std::vector<std::string> watch(const std::string& name) const {
    return {program(), "watch", url_, "--insecure", "--headless", "--name", name};
  }

  qvid::TemporaryFolder folder_;
  std::unique_ptr<Process> broker_;
  std::string url_;
};

TEST_F(Tokens, LetInWhoTheyAreForAndNobodyElse) {
  Process none(watch("Ann"), {"QVID_TOKEN="});
  EXPECT_EQ(none.wait(), 4) << none.log();
  EXPECT_NE(none.log().find("wants a token"), std::string::npos) << none.log();
  std::ofstream(folder_ / "ann.token") << token("Ann", "subscribe");
  const std::string from_file = "QVID_TOKEN=" + (folder_ / "ann.token").string();
  Process wrong(watch("Bob"), {from_file});
  EXPECT_EQ(wrong.wait(), 4) << wrong.log();
  EXPECT_NE(wrong.log().find("for the name 'Ann', not for 'Bob'"), std::string::npos)
      << wrong.log();
  Process ann(watch("Ann"), {from_file});
  ASSERT_TRUE(ann.wait_for_log("joined the room 'den' as 'Ann'")) << ann.log();
  ann.signal(SIGINT);
  EXPECT_EQ(ann.wait(), 0) << ann.log();
  // It may watch, and does not try for ever to publish.
  Process publishes(
      {program(), "publish", "test", url_, "--insecure", "--name", "Ann", "--size", "160x120"},
      {from_file});
  EXPECT_EQ(publishes.wait(), 4) << publishes.log();
  EXPECT_NE(publishes.log().find("you may not publish here"), std::string::npos) << publishes.log();
  broker_->signal(SIGINT);
  ASSERT_EQ(broker_->wait(), 0) << broker_->log();
  const json stats = json::parse(broker_->out());
  EXPECT_EQ(stats["joined"], 2);
  EXPECT_EQ(stats["wrong_tokens"], 2);
  EXPECT_EQ(stats["removed"], 1);
}

// Of a broker that has a name, a folder of keys and a list.
TEST_F(Tokens, AreCalledBackWhileTheyAreUsed) {
  const std::string list = (folder_ / "revoked").string();
  const std::string keys = (folder_ / "keys").string();
  std::filesystem::create_directory(keys);
  std::filesystem::copy(key(), keys + "/2026");
  std::ofstream(list) << "# nobody yet\n";
  start({"--token-key", keys, "--token-audience", "here", "--token-revoked", list});
  const auto join = [&](const std::string& name, const std::vector<std::string>& more) {
    const std::string file = (folder_ / (name + ".token")).string();
    std::ofstream(file) << token(name, "subscribe", more);
    return std::make_unique<Process>(watch(name), std::vector<std::string>{"QVID_TOKEN=" + file});
  };
  const auto wrong = join("Eve", {"--key-id", "2026"});
  EXPECT_EQ(wrong->wait(), 4) << wrong->log();
  EXPECT_NE(wrong->log().find("for no broker in particular"), std::string::npos) << wrong->log();
  const auto old = join("Old", {"--key-id", "2025", "--audience", "here"});
  EXPECT_EQ(old->wait(), 4) << old->log();
  EXPECT_NE(old->log().find("of the key '2025'"), std::string::npos) << old->log();
  const auto ann = join("Ann", {"--key-id", "2026", "--audience", "here"});
  const auto bob = join("Bob", {"--key-id", "2026", "--audience", "there,here"});
  ASSERT_TRUE(ann->wait_for_log("joined the room")) << ann->log();
  ASSERT_TRUE(bob->wait_for_log("joined the room")) << bob->log();
  Process revoke({program(), "--json", "token", "--revoke", (folder_ / "Ann.token").string(),
                  "--revoked", list});
  ASSERT_EQ(revoke.wait(), 0) << revoke.log();
  EXPECT_EQ(json::parse(revoke.out())["id"].get<std::string>().size(), 32u) << revoke.out();
  broker_->signal(SIGHUP);
  EXPECT_EQ(ann->wait(), 4) << ann->log();
  EXPECT_NE(ann->log().find("called back"), std::string::npos) << ann->log();
  const auto again = join("Bob2", {"--key-id", "2026", "--audience", "here"});
  ASSERT_TRUE(again->wait_for_log("joined the room")) << again->log();
  bob->signal(SIGINT);
  EXPECT_EQ(bob->wait(), 0) << "who was not called back stayed: " << bob->log();
  // A mistyped file is no token's id.
  Process nothing({program(), "token", "--revoke", "an.token", "--revoked", list});
  EXPECT_EQ(nothing.wait(), 2) << nothing.log();
}

TEST_F(Tokens, AKeyThatGoesTakesMembersAlongUnlessTheyAreKept) {
  const std::string keys = (folder_ / "keys").string();
  std::filesystem::create_directory(keys);
  const auto put_key = [&](const std::string& id) {
    Process make({program(), "token", "--new-key", keys + "/" + id});
    ASSERT_EQ(make.wait(), 0) << make.log();
  };
  for (const bool keep : {true, false}) {
    std::filesystem::remove_all(keys);
    std::filesystem::create_directory(keys);
    std::filesystem::copy(key(), keys + "/1");
    start({"--token-key", keys, "--token-reload", keep ? "keep" : "close"});
    std::ofstream(folder_ / "ann.token") << token("Ann", "subscribe", {"--key-id", "1"});
    Process ann(watch("Ann"), {"QVID_TOKEN=" + (folder_ / "ann.token").string()});
    ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
    put_key("2");
    ASSERT_TRUE(std::filesystem::remove(keys + "/1"));
    broker_->signal(SIGHUP);
    ASSERT_TRUE(broker_->wait_for_log("the configuration was read again")) << broker_->log();
    if (keep) ann.signal(SIGINT);
    EXPECT_EQ(ann.wait(), keep ? 0 : 4) << ann.log();
  }
}

TEST_F(Tokens, SayForWhom) {
  Process nobody({program(), "token", "--key", key(), "--room", "den"});
  EXPECT_EQ(nobody.wait(), 2) << nobody.log();
  EXPECT_NE(nobody.log().find("'*' is any"), std::string::npos) << nobody.log();
}

TEST_F(Tokens, AKickEndsTheProgramWithTheReason) {
  std::ofstream(folder_ / "bob.token") << token("Bob", "subscribe");
  std::ofstream(folder_ / "root.token") << token("*", "admin");
  const std::string may_admin = "QVID_TOKEN=" + (folder_ / "root.token").string();
  Process bob(watch("Bob"), {"QVID_TOKEN=" + (folder_ / "bob.token").string()});
  ASSERT_TRUE(bob.wait_for_log("joined the room")) << bob.log();
  Process rooms({program(), "--json", "admin", "rooms", url_, "den", "--insecure"}, {may_admin});
  ASSERT_EQ(rooms.wait(), 0) << rooms.log();
  EXPECT_EQ(json::parse(rooms.out())["members"][0]["name"], "Bob") << rooms.out();
  Process table({program(), "admin", "rooms", url_, "--insecure"}, {may_admin});
  ASSERT_EQ(table.wait(), 0) << table.log();
  EXPECT_NE(table.out().find("den"), std::string::npos) << table.out();
  Process nobody({program(), "admin", "kick", url_, "Cid", "--insecure"}, {may_admin});
  EXPECT_EQ(nobody.wait(), 1) << nobody.log();
  Process kick({program(), "admin", "kick", url_, "Bob", "--reason", "too loud", "--insecure"},
               {may_admin});
  EXPECT_EQ(kick.wait(), 0) << kick.log();
  EXPECT_EQ(bob.wait(), 4) << bob.log();
  EXPECT_NE(bob.log().find("ended: removed from the room by who runs it: too loud"),
            std::string::npos)
      << bob.log();
  EXPECT_EQ(bob.log().find("trying again"), std::string::npos) << bob.log();
  // Who may not administer is told.
  Process guest({program(), "admin", "rooms", url_, "--insecure"},
                {"QVID_TOKEN=" + (folder_ / "bob.token").string()});
  EXPECT_EQ(guest.wait(), 4) << guest.log();
  EXPECT_NE(guest.log().find("no right to administer"), std::string::npos) << guest.log();
}

// Over a link: who comes from elsewhere is counted by its address, and is no administrator.
TEST(Strangers, AreLimitedByAddressAndDoNotAdminister) {
  if (const std::string why = qvid::lab::missing_for_emulator(); !why.empty()) {
    GTEST_SKIP() << why;
  }
  const auto emulator = qvid::lab::Emulator::open(*qvid::lab::parse_link("rate=16mbit delay=5ms"));
  emulator->start();
  const auto inside = [](const qvid::lab::NetNamespace& where, std::vector<std::string> command) {
    command.insert(command.begin(), {"nsenter", "--net=" + where.path(), program()});
    return command;
  };
  Process broker(inside(emulator->far(), {"broker", "--open", "--listen", "10.77.0.2:7400",
                                          "--force-insecure", "--max-per-address", "1"}));
  ASSERT_TRUE(broker.wait_for_log("join with: qvid call")) << broker.log();
  const auto near = [&](std::vector<std::string> command) {
    command.insert(command.end(), {"qvid://10.77.0.2:7400/den", "--force-insecure"});
    return inside(emulator->near(), command);
  };
  Process admin(near({"admin", "stats"}), {"QVID_TOKEN="});
  EXPECT_EQ(admin.wait(), 4) << admin.log();
  EXPECT_NE(admin.log().find("from its own machine"), std::string::npos) << admin.log();
  ASSERT_TRUE(broker.wait_for_log("refused: without tokens")) << broker.log();
  Process first(near({"watch", "--headless", "--name", "first"}));
  ASSERT_TRUE(first.wait_for_log("joined the room")) << first.log();
  Process second(near({"watch", "--headless", "--name", "second"}));
  EXPECT_TRUE(second.wait_for_log("too many sessions from your address: at most 1"))
      << second.log();
  // Its place is free when it goes, and who tries again gets it.
  first.signal(SIGINT);
  EXPECT_EQ(first.wait(), 0) << first.log();
  EXPECT_TRUE(second.wait_for_log("joined the room")) << second.log();
}

}  // namespace
}  // namespace e2e
