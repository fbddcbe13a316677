// Guests with a browser: the page that a broker serves, in a real Chromium, beside parties of the
// program.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/browser.h"

namespace e2e {
namespace {

using nlohmann::json;

// A party with a moving picture and a voice.
std::vector<std::string> party(const std::string& url, const std::string& name) {
  return {program(), "call",         url,      "--insecure", "--headless", "--source",
          "test",    "--name",       name,     "--size",     "320x180",    "--rate",
          "15",      "--microphone", "speech", "--speaker",  "none"};
}

class Guest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_browser()) GTEST_SKIP() << "there is no Chromium here";
    browser_ = std::make_unique<Browser>();
    ASSERT_EQ(browser_->trouble(), "");
  }

  // False: the program was built without the page.
  bool open(const BrokerProcess& broker, const std::string& fragment = "") {
    browser_->open("http://" + broker.address() + "/den" + fragment);
    return browser_->wait_until("document.getElementById('join') && window.qvid",
                                Milliseconds(10'000));
  }
  void join(const std::string& name) {
    browser_->evaluate("document.getElementById('name').value = '" + name +
                       "'; document.getElementById('join').requestSubmit(); true");
  }
  json report() { return browser_->evaluate("window.qvid"); }

  std::unique_ptr<Browser> browser_;
};

#define OPEN_OR_SKIP(...) \
  if (!open(__VA_ARGS__)) GTEST_SKIP() << "this program has no page: ./run build web, and build it"

TEST_F(Guest, SeesHearsAndIsSeenAndHeard) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann(party(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  OPEN_OR_SKIP(broker);
  browser_->evaluate(R"((async () => {
    for (const id of ['with-camera', 'with-microphone']) document.getElementById(id).click();
    await new Promise((done) => setTimeout(done, 2000));
    return true;
  })())");
  join("Guest");
  EXPECT_TRUE(browser_->wait_until("window.qvid.report?.seats[0]?.shown > 45")) << report();
  EXPECT_TRUE(browser_->wait_until("window.qvid.report?.heard[0]?.packets > 50")) << report();
  auto command = watch(broker.url(), "Bob", {"--speaker", "none"});
  command.insert(command.begin() + 1, "--json");
  Process bob(command);
  ASSERT_TRUE(bob.wait_for_log("sound of 'Guest'")) << bob.log();
  ASSERT_TRUE(logs(bob, ": 'Guest'")) << bob.log();  // the first picture of a seat
  browser_->evaluate("window.before = window.qvid.report.sent; true");
  EXPECT_TRUE(
      browser_->wait_until("window.qvid.report.sent.pictures > window.before.pictures + 30 && "
                           "window.qvid.report.sent.packets > window.before.packets + 100"))
      << report();
  const json seat = report()["report"]["seats"][0];
  EXPECT_EQ(seat["name"], "Ann");
  EXPECT_EQ(seat["errors"], 0) << seat;
  bob.signal(SIGINT);
  EXPECT_EQ(bob.wait(), 0) << bob.log();
  const json told = json::parse(bob.out());
  int shown = 0;
  for (const json& one : told["seats"]) {
    if (one["name"] == "Guest") shown = one["frames_shown"];
  }
  EXPECT_GT(shown, 10) << told;
  int heard = 0;
  for (const json& one : told["sound"]["heard"]) {
    if (one["name"] == "Guest") heard = one["packets"];
  }
  EXPECT_GT(heard, 20) << told;
  // Who leaves is gone at once.
  browser_->evaluate("document.getElementById('leave').click(); true");
  EXPECT_TRUE(logs(ann, "Guest left")) << ann.log();
}

TEST_F(Guest, WritesAndReads) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann(watch(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  OPEN_OR_SKIP(broker);
  join("J\u00fcrgen <b>");
  ASSERT_TRUE(logs(ann, "J\u00fcrgen <b> joined")) << ann.log();
  ASSERT_TRUE(browser_->wait_until("window.qvid.status.state === 'joined'")) << report();
  browser_->evaluate(R"(document.getElementById('chat-button').click();
    document.getElementById('chat-text').value = 'hello <i>all</i>';
    document.getElementById('chat-form').requestSubmit(); true)");
  EXPECT_TRUE(logs(ann, "hello <i>all</i>")) << ann.log();
  // One's own words come back, as text and not as markup.
  EXPECT_TRUE(
      browser_->wait_until("document.getElementById('chat-lines').textContent.includes("
                           "'hello <i>all</i>')"));
  EXPECT_EQ(browser_->evaluate("document.querySelector('#chat-lines i') === null"), true);
}

TEST_F(Guest, IsToldWhyItIsRefusedAndComesInByAToken) {
  qvid::TemporaryFolder folder;
  const std::string key = (folder / "broker.key").string();
  Process made({program(), "token", "--new-key", key});
  ASSERT_EQ(made.wait(), 0) << made.log();
  BrokerProcess broker("127.0.0.1:0", {"--token-key", key});
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  OPEN_OR_SKIP(broker);
  join("Eve");
  EXPECT_TRUE(browser_->wait_until("!document.getElementById('over').hidden")) << report();
  EXPECT_NE(browser_->evaluate("document.getElementById('over-text').textContent")
                .get<std::string>()
                .find("token"),
            std::string::npos)
      << report();
  Process token({program(), "token", "--key", key, "--room", "den", "--name", "Ann"});
  ASSERT_EQ(token.wait(), 0) << token.log();
  std::string text = token.out();
  text.erase(text.find_last_not_of(" \n") + 1);
  browser_->open("about:blank");
  ASSERT_TRUE(open(broker, "#token=" + text));
  join("Ann");
  EXPECT_TRUE(browser_->wait_until("window.qvid.status.state === 'joined'")) << report();
}

TEST_F(Guest, ComesBackToABrokerThatWasReplaced) {
  auto broker = std::make_unique<BrokerProcess>();
  ASSERT_FALSE(broker->address().empty()) << broker->process().log();
  const std::string address = broker->address();
  OPEN_OR_SKIP(*broker);
  join("Guest");
  ASSERT_TRUE(browser_->wait_until("window.qvid.status.state === 'joined'")) << report();
  broker->process().signal(SIGKILL);
  broker->process().wait();
  ASSERT_TRUE(
      browser_->wait_until("window.qvid.status.state !== 'joined' || "
                           "window.qvid.report.interrupted"))
      << report();
  broker = std::make_unique<BrokerProcess>(address);
  ASSERT_EQ(broker->address(), address) << broker->process().log();
  EXPECT_TRUE(logs(broker->process(), "as 'Guest'")) << report() << broker->process().log();
  EXPECT_TRUE(
      browser_->wait_until("window.qvid.status.state === 'joined' && "
                           "!window.qvid.report.interrupted"))
      << report();
}

}  // namespace
}  // namespace e2e
