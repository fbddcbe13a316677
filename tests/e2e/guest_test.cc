// Guests with a browser: the page that a broker serves, in a real Chromium, beside parties of the
// program.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/browser.h"
#include "tests/e2e/guest_fixture.h"

namespace e2e {
namespace {

using nlohmann::json;

class Guest : public GuestFixture {};

TEST_F(Guest, SeesHearsAndIsSeenAndHeard) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann(party(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  OPEN_OR_SKIP(broker);
  browser_->evaluate(R"(for (const id of ['with-camera', 'with-microphone']) {
    document.getElementById(id).click();
  } true)");
  ASSERT_TRUE(browser_->wait_until("window.qvid.own.camera && window.qvid.own.microphone"))
      << report();
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

TEST_F(Guest, SharesItsScreen) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  auto command = watch(broker.url(), "Ann", {"--speaker", "none"});
  command.insert(command.begin() + 1, "--json");
  Process ann(command);
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  OPEN_OR_SKIP(broker);
  join("Guest");
  ASSERT_TRUE(browser_->wait_until("window.qvid.status.state === 'joined'")) << report();
  const std::string share = "document.getElementById('share')";
  // Who does not allow it is told, and nothing else happens.
  browser_->evaluate(R"(window.real = navigator.mediaDevices.getDisplayMedia;
    navigator.mediaDevices.getDisplayMedia = () =>
      Promise.reject(new DOMException('', 'NotAllowedError'));
    document.getElementById('share').click(); true)");
  EXPECT_TRUE(
      browser_->wait_until("document.getElementById('notice').textContent === "
                           "'Nothing is shared: it was not allowed.'"));
  EXPECT_EQ(browser_->evaluate(share + ".getAttribute('aria-pressed')"), "false");
  browser_->evaluate(R"(navigator.mediaDevices.getDisplayMedia = async (what) =>
      window.shared = await real.call(navigator.mediaDevices, what);
    document.getElementById('share').click(); true)");
  EXPECT_TRUE(browser_->wait_until("window.qvid.own.screen")) << report();
  EXPECT_EQ(browser_->evaluate(share + ".getAttribute('aria-pressed')"), "true");
  EXPECT_TRUE(logs(ann, "Guest shares something")) << ann.log();
  EXPECT_TRUE(browser_->wait_until("window.qvid.report?.shared.pictures > 10")) << report();
  command[6] = "Bob";
  Process bob(command);
  ASSERT_TRUE(logs(bob, "first picture of share 0: 'Guest'")) << bob.log();
  browser_->evaluate("window.before = window.qvid.report.shared.pictures; true");
  EXPECT_TRUE(browser_->wait_until("window.qvid.report.shared.pictures > window.before + 30"))
      << report();
  bob.signal(SIGINT);
  EXPECT_EQ(bob.wait(), 0) << bob.log();
  json told = json::parse(bob.out());
  int shown = 0;
  for (const json& one : told["shares"]) {
    if (one["name"] == "Guest") shown = one["frames_shown"];
  }
  EXPECT_GT(shown, 10) << told;
  // The browser's own button ends it.
  browser_->evaluate("shared.getTracks()[0].dispatchEvent(new Event('ended')); true");
  EXPECT_EQ(browser_->evaluate("window.qvid.own.screen || shared.active"), false);
  EXPECT_EQ(browser_->evaluate("document.getElementById('notice').textContent.includes("
                               "'You share nothing any more.')"),
            true);
  const std::string key =
      "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'd', bubbles: true})); ";
  browser_->evaluate(key + "true");
  EXPECT_TRUE(browser_->wait_until("window.qvid.own.screen")) << report();
  // The key ends it; the hand comes behind that.
  browser_->evaluate(key + "document.getElementById('hand').click(); true");
  EXPECT_EQ(browser_->evaluate("window.qvid.own.screen"), false);
  ASSERT_TRUE(logs(ann, "Guest raises a hand")) << ann.log() << report();
  ann.signal(SIGINT);
  EXPECT_EQ(ann.wait(), 0) << ann.log();
  told = json::parse(ann.out());
  EXPECT_EQ(told["publishes"]["Guest"], json::array()) << told;
  for (const json& one : told["shares"]) EXPECT_EQ(one["name"], "") << told;
}

// Who has a narrow way sees fewer pictures of a guest, and all of those whole.
TEST_F(Guest, HasPicturesThatANarrowWayGivesUpFirst) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  auto wide = watch(broker.url(), "Ann", {"--speaker", "none"});
  wide.insert(wide.begin() + 1, "--json");
  auto narrow = watch(broker.url(), "Bob", {"--speaker", "none", "--limit-down", "70k"});
  narrow.insert(narrow.begin() + 1, "--json");
  Process ann(wide);
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  OPEN_OR_SKIP(broker);
  browser_->evaluate("document.getElementById('with-camera').click(); true");
  ASSERT_TRUE(browser_->wait_until("window.qvid.own.camera")) << report();
  join("Guest");
  ASSERT_TRUE(logs(ann, "first picture of seat 0: 'Guest'")) << ann.log();
  Process bob(narrow);
  ASSERT_TRUE(logs(bob, "first picture of seat 0: 'Guest'")) << bob.log();
  ASSERT_TRUE(browser_->wait_until("window.qvid.report?.sent")) << report();
  browser_->evaluate("window.before = window.qvid.report.sent; true");
  ASSERT_TRUE(
      browser_->wait_until("window.qvid.report.sent.pictures > window.before.pictures + 240"))
      << report();
  EXPECT_EQ(browser_->evaluate("window.qvid.report.sent.enhancements > "
                               "window.qvid.report.sent.pictures / 3"),
            true)
      << report();
  const auto seen_by = [](Process& party) {
    party.signal(SIGINT);
    EXPECT_EQ(party.wait(), 0) << party.log();
    return json::parse(party.out())["seats"][0];
  };
  const json by_bob = seen_by(bob);
  const json by_ann = seen_by(ann);
  EXPECT_GT(by_bob["frames_lost"], by_ann["frames_lost"]) << by_bob << by_ann << report();
  EXPECT_GT(by_bob["frames_shown"], by_bob["frames_lost"]) << by_bob;
  EXPECT_EQ(by_bob["decode_errors"], 0) << by_bob;
  EXPECT_EQ(by_ann["decode_errors"], 0) << by_ann;
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

TEST_F(Guest, MakesItsPictureSmallerAtOnceAndLargerInAWhile) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  OPEN_OR_SKIP(broker);
  // The widths of a picture of 1280x720 at these rates, kbit/s, and times, ms.
  const json widths =
      browser_->evaluate(R"(import('/web/size.js').then(({CAMERA_SIZES, SizeChoice}) => {
    const choice = new SizeChoice(CAMERA_SIZES);
    return [[1000, 0], [600, 100], [1000, 200], [600, 1000], [1000, 1100], [1000, 3000],
            [1000, 3100], [300, 3200], [1000, 3300], [1000, 5300]].map(([kbps, now]) => {
      choice.choose(1000 * kbps, now);
      return choice.of(1280, 720).width;
    });
  }))");
  ASSERT_EQ(widths.size(), 10u) << widths;
  const int large = widths[0];
  const int small = widths[1];
  const int least = widths[7];
  EXPECT_GT(large, small);
  EXPECT_GT(small, least);
  EXPECT_EQ(widths, json({large, small, small, small, small, small, large, least, least, large}));
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
  ASSERT_TRUE(open(broker, "#token=" + text) == Browser::Opened::kYes);
  join("Ann");
  EXPECT_TRUE(browser_->wait_until("window.qvid.status.state === 'joined'")) << report();
}

TEST_F(Guest, ComesBackToABrokerThatWasReplaced) {
  auto broker = std::make_unique<BrokerProcess>();
  ASSERT_FALSE(broker->address().empty()) << broker->process().log();
  const std::string address = broker->address();
  Process ann(party(broker->url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  OPEN_OR_SKIP(*broker);
  join("Guest");
  ASSERT_TRUE(browser_->wait_until("window.qvid.report?.seats[0]?.shown > 5")) << report();
  EXPECT_EQ(tiles(), json({"Ann"}));
  browser_->evaluate("document.getElementById('share').click(); true");
  EXPECT_TRUE(browser_->wait_until("window.qvid.report.shared.pictures > 5")) << report();
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
  // What is shared goes on.
  browser_->evaluate("window.before = window.qvid.report.shared.pictures; true");
  EXPECT_TRUE(browser_->wait_until("window.qvid.report.shared.pictures > window.before + 5"))
      << report();
  // Ann has come back, too, and is there once; the page says that it is connected.
  EXPECT_TRUE(browser_->wait_until("window.qvid.report?.seats[0]?.shown > 5")) << report();
  EXPECT_EQ(tiles(), json({"Ann"})) << report();
  EXPECT_EQ(browser_->evaluate("document.getElementById('status').textContent"), "den: 2 are here");
  // Who goes leaves no tile behind.
  ann.signal(SIGINT);
  ann.wait();
  EXPECT_TRUE(browser_->wait_until("window.qvid.members.length === 0")) << report();
  EXPECT_TRUE(browser_->wait_until("document.querySelectorAll('.tile:not(.own)').length === 0"))
      << tiles();
}

// What a person sees must not say less than what runs: a device that is given after it is wanted no
// more is stopped, and one prompt stands for all presses.
TEST_F(Guest, HasNoDeviceThatItDoesNotShow) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  OPEN_OR_SKIP(broker);
  // The prompts wait until the test answers them.
  browser_->evaluate(R"(window.asked = []; window.streams = [];
    const real = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = (what) => new Promise((done) => asked.push(async () => {
      const stream = await real(what);
      streams.push(stream);
      done(stream);
    }));
    document.getElementById('with-camera').click(); true)");
  join("Guest");
  ASSERT_TRUE(browser_->wait_until("window.qvid.status.state === 'joined'")) << report();
  const std::string camera = "document.getElementById('camera')";
  EXPECT_EQ(browser_->evaluate(camera + ".disabled"), true);
  browser_->evaluate(camera + ".click(); asked[0](); true");
  EXPECT_TRUE(browser_->wait_until("window.qvid.own.camera")) << report();
  EXPECT_EQ(browser_->evaluate("asked.length"), 1);
  EXPECT_TRUE(browser_->wait_until(camera + ".getAttribute('aria-pressed') === 'true' && !" +
                                   camera + ".disabled"));
  browser_->evaluate(camera + ".click(); true");
  EXPECT_EQ(browser_->evaluate("streams[0].active || window.qvid.own.camera"), false);
  EXPECT_EQ(browser_->evaluate(camera + ".getAttribute('aria-pressed')"), "false");
  // It is left during the prompt.
  browser_->evaluate("document.getElementById('mute').click(); true");
  EXPECT_EQ(browser_->evaluate("asked.length"), 2);
  browser_->evaluate("document.getElementById('leave').click(); asked[1](); true");
  EXPECT_TRUE(browser_->wait_until("streams.length === 2 && !streams[1].active"));
  EXPECT_EQ(browser_->evaluate("window.qvid.own.microphone"), false);
}

TEST_F(Guest, IsToldThatANameOrAMessageIsTooLong) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  OPEN_OR_SKIP(broker);
  browser_->evaluate(
      "document.getElementById('name').value = '\u00fc'.repeat(33); "
      "document.getElementById('join').requestSubmit(); true");
  EXPECT_EQ(browser_->evaluate("document.getElementById('start-trouble').textContent"),
            "This name is too long. Please enter a shorter one.");
  join("Guest");
  ASSERT_TRUE(browser_->wait_until("window.qvid.status.state === 'joined'")) << report();
  browser_->evaluate(
      "document.getElementById('chat-text').value = '\u00fc'.repeat(1001); "
      "document.getElementById('chat-form').requestSubmit(); true");
  EXPECT_EQ(browser_->evaluate("document.getElementById('chat-text').value.length"), 1001);
  EXPECT_TRUE(
      browser_->wait_until("document.getElementById('notice').textContent.includes('too long')"));
}

}  // namespace
}  // namespace e2e
