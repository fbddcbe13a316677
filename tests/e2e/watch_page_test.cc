// What a server shows, watched in a real Chromium: the page of its own port.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/browser.h"
#include "tests/e2e/clip.h"

namespace e2e {
namespace {

using nlohmann::json;

const std::vector<std::string> kShow{"test",   "--insecure", "--size",       "320x180",
                                     "--rate", "15",         "--microphone", "speech"};

class WatchPage : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_browser()) {
      SKIP_FOR_WANT("there is no Chromium here");
    }
    browser_ = std::make_unique<Browser>();
    ASSERT_EQ(browser_->trouble(), "");
  }

  static std::string page(const ServerProcess& server, const std::string& path) {
    return "http://" + server.address() + path;
  }
  json report() { return browser_->evaluate("window.qvid"); }
  std::string text(const std::string& id) {
    return browser_->evaluate("document.getElementById('" + id + "').textContent")
        .get<std::string>();
  }
  bool is_over() { return browser_->wait_until("!document.getElementById('over').hidden"); }

  std::unique_ptr<Browser> browser_;
};

TEST_F(WatchPage, ShowsAndPlaysAndComesBack) {
  auto server = std::make_unique<ServerProcess>(kShow);
  ASSERT_FALSE(server->address().empty()) << server->process().log();
  const std::string address = server->address();
  OPEN_PAGE_OR_SKIP(*browser_, page(*server, "/"));
  EXPECT_EQ(browser_->evaluate("location.pathname"), "/watch/live");
  EXPECT_TRUE(logs(server->process(), "http://" + address + "/watch/live"))
      << server->process().log();
  EXPECT_TRUE(browser_->wait_until("window.qvid.report?.seats[0]?.shown > 30")) << report();
  EXPECT_TRUE(browser_->wait_until("window.qvid.report?.heard[0]?.packets > 50")) << report();
  EXPECT_TRUE(browser_->wait_until("window.qvid.level > 0.001")) << report();
  EXPECT_EQ(report()["report"]["seats"][0]["errors"], 0) << report();
  EXPECT_EQ(text("watch-status"), "");
  // Who has turned the sound off is sent none.
  browser_->evaluate("document.getElementById('watch-sound').click(); true");
  EXPECT_TRUE(browser_->wait_until("window.qvid.report.heard.length === 0")) << report();
  browser_->evaluate("document.getElementById('watch-sound').click(); true");
  EXPECT_TRUE(browser_->wait_until("window.qvid.report.heard[0]?.packets > 20")) << report();

  server->process().signal(SIGKILL);
  server->process().wait();
  EXPECT_TRUE(browser_->wait_until(
      "document.getElementById('watch-status').textContent.startsWith('The connection was lost')"))
      << report();
  server = std::make_unique<ServerProcess>(kShow, address);
  ASSERT_EQ(server->address(), address) << server->process().log();
  EXPECT_TRUE(browser_->wait_until(
      "window.qvid.status.state === 'playing' && window.qvid.report?.seats[0]?.shown > 30 && "
      "!window.qvid.report.interrupted && window.qvid.level > 0.001"))
      << report();
  EXPECT_EQ(text("watch-status"), "");
}

TEST_F(WatchPage, SaysThatTheServerIsFull) {
  auto arguments = kShow;
  arguments.insert(arguments.end(), {"--max-viewers", "1"});
  ServerProcess server(arguments);
  ASSERT_FALSE(server.address().empty()) << server.process().log();
  Process play({program(), "play", server.url(), "--headless", "--insecure", "--speaker", "none"});
  ASSERT_TRUE(play.wait_for_log("first picture")) << play.log();
  OPEN_PAGE_OR_SKIP(*browser_, page(server, "/watch/live"));
  ASSERT_TRUE(is_over()) << report();
  EXPECT_EQ(text("over-title"), "This cannot be watched");
  EXPECT_NE(text("over-text").find("as many viewers as it takes"), std::string::npos)
      << text("over-text");
  EXPECT_EQ(text("again"), "Watch again");
}

TEST_F(WatchPage, IsLetInByItsPassphraseAlone) {
  auto arguments = kShow;
  arguments.insert(arguments.end(), {"--passphrase", "four words of ours"});
  ServerProcess server(arguments);
  ASSERT_FALSE(server.address().empty()) << server.process().log();
  OPEN_PAGE_OR_SKIP(*browser_, page(server, "/watch/live"));
  ASSERT_TRUE(is_over()) << report();
  EXPECT_NE(text("over-text").find("passphrase"), std::string::npos) << text("over-text");
  browser_->open("about:blank");
  browser_->open_page(page(server, "/#token=four%20words%20of%20ours"));
  EXPECT_TRUE(browser_->wait_until("window.qvid.report?.seats[0]?.shown > 5")) << report();
}

TEST_F(WatchPage, SaysThatTheStreamIsAtItsEnd) {
  qvid::TemporaryFolder folder;
  write_clip(folder / "clip.y4m", 60);
  ServerProcess server({(folder / "clip.y4m").string(), "--insecure"});
  ASSERT_FALSE(server.address().empty()) << server.process().log();
  OPEN_PAGE_OR_SKIP(*browser_, page(server, "/"));
  ASSERT_TRUE(is_over()) << report();
  EXPECT_EQ(text("over-title"), "This has ended") << report();
}

TEST_F(WatchPage, EndsWithAStoredVideo) {
  qvid::TemporaryFolder folder;
  write_clip(folder / "clip.y4m");
  ServerProcess server({folder.path().string(), "--insecure"});
  ASSERT_FALSE(server.address().empty()) << server.process().log();
  OPEN_PAGE_OR_SKIP(*browser_, page(server, "/watch/clip.y4m"));
  ASSERT_TRUE(is_over()) << report();
  EXPECT_NE(text("over-text").find("a stored video"), std::string::npos) << text("over-text");
}

}  // namespace
}  // namespace e2e
