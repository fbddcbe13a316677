// The page for guests, for who has no mouse, does not see it well or not at all, or speaks no English;
// and what a moderator does there.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/guest_fixture.h"

namespace e2e {
namespace {

using nlohmann::json;

// What in the page is hard to read or says nothing, a line each. Contrast: WCAG 2.1, 4.5 to 1; a text on
// a tile may stand on a white picture.
constexpr const char* kFaults = R"((() => {
  const least = 4.5;
  const color = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return {rgb: [r, g, b], a};
  };
  const over = (top, below) => top.rgb.map((c, i) => c * top.a + below[i] * (1 - top.a));
  const ground = (at) => {
    if (!at) return [255, 255, 255];
    const own = color(getComputedStyle(at).backgroundColor);
    return over(own, at.matches('.tile') ? [255, 255, 255] : ground(at.parentElement));
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255).map(
        (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (text, at) => {
    const below = ground(at);
    const [a, b] = [light(over(color(text), below)), light(below)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const faults = [];
  const read = (what, text, at) => {
    const found = contrast(text, at);
    if (found < least) faults.push(`${what}: contrast ${found.toFixed(1)}`);
  };
  for (const one of document.querySelectorAll('body *')) {
    if (one.getClientRects().length === 0 || one.disabled || one.matches('.initial')) continue;
    const said = [...one.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
    if (said.length > 0) read(said[0].data.trim(), getComputedStyle(one).color, one);
    if (one.placeholder) {
      read(one.placeholder, getComputedStyle(one, '::placeholder').color, one);
    }
    const silent = one.matches('img:not([alt]), canvas:not([aria-label]), video:not([aria-label])');
    if (silent) faults.push(`${one.localName} of ${one.parentElement.id} has no words`);
  }
  return faults;
})())";

class GuestAccess : public GuestFixture {
 protected:
  // Tab, until that element has the keys.
  bool tab_to(const std::string& id) {
    constexpr int kMost = 40;
    for (int i = 0; i < kMost && focused() != id; ++i) browser_->press("Tab");
    return focused() == id;
  }
  json focused() { return browser_->evaluate("document.activeElement.id"); }

  // Of what is seen: what a screen reader can press and has no words for, and kFaults.
  void expect_accessible(const std::string& when) {
    EXPECT_EQ(browser_->evaluate(kFaults), json::array()) << when;
    int controls = 0;
    for (const json& node : browser_->accessible()) {
      if (node.value("ignored", false)) continue;
      const std::string role = node.value("/role/value"_json_pointer, "");
      const bool control = role == "button" || role == "textbox" || role == "checkbox" ||
                           role == "slider" || role == "combobox" || role == "image" ||
                           role == "DisclosureTriangle";
      if (!control) continue;
      ++controls;
      EXPECT_NE(node.value("/name/value"_json_pointer, ""), "") << when << ": " << node;
    }
    EXPECT_GT(controls, 0) << when;
  }
};

TEST_F(GuestAccess, IsAllThereByTheKeyboardAlone) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann(party(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  OPEN_OR_SKIP(broker);
  ASSERT_EQ(focused(), "name");
  browser_->type("Guest");
  ASSERT_TRUE(tab_to("with-camera"));
  browser_->press(" ");
  ASSERT_TRUE(browser_->wait_until("window.qvid.own.camera")) << report();
  ASSERT_TRUE(tab_to("join-button"));
  browser_->press("Enter");
  ASSERT_TRUE(browser_->wait_until("window.qvid.status.state === 'joined'")) << report();
  EXPECT_EQ(focused(), "call-title");

  ASSERT_TRUE(tab_to("camera"));
  browser_->press("Enter");
  EXPECT_TRUE(browser_->wait_until("!window.qvid.own.camera")) << report();
  browser_->press("m");
  EXPECT_TRUE(browser_->wait_until(
      "window.qvid.own.microphone && !document.getElementById('mute').disabled"))
      << report();
  browser_->press("m");
  EXPECT_TRUE(browser_->wait_until("window.qvid.own.muted")) << report();

  // While one writes, keys are letters.
  browser_->press("t");
  ASSERT_EQ(focused(), "chat-text");
  browser_->type("come, mum");
  browser_->press("Enter");
  EXPECT_TRUE(logs(ann, "come, mum")) << ann.log();
  EXPECT_EQ(browser_->evaluate("window.qvid.own.muted && !window.qvid.own.camera"), true);
  browser_->press("Escape");
  EXPECT_EQ(focused(), "chat-button");
  EXPECT_EQ(browser_->evaluate("document.getElementById('chat').hidden"), true);

  ASSERT_TRUE(browser_->wait_until("window.qvid.report.heard.length > 0")) << report();
  browser_->press("u");
  const std::string open = "document.querySelector('#people details').open";
  while (browser_->evaluate("document.activeElement.localName") == "button") browser_->press("Tab");
  browser_->press("Enter");
  ASSERT_TRUE(browser_->wait_until(open));
  browser_->press("Tab");
  ASSERT_EQ(browser_->evaluate("document.activeElement.type"), "range");
  browser_->press("ArrowRight");
  EXPECT_TRUE(browser_->wait_until("window.qvid.report.heard[0].volume > 1")) << report();
  browser_->press("Tab");
  browser_->press("Enter");
  EXPECT_TRUE(browser_->wait_until("window.qvid.report.heard[0].volume === 0")) << report();
  browser_->press("Escape");
  EXPECT_EQ(focused(), "people-button");

  browser_->press("l");
  EXPECT_EQ(browser_->evaluate("document.querySelectorAll('.one-large > .large').length"), 1);
  ASSERT_TRUE(tab_to("leave"));
  browser_->press("Enter");
  EXPECT_TRUE(browser_->wait_until("!document.getElementById('over').hidden")) << report();
  EXPECT_EQ(focused(), "over-title");
  EXPECT_TRUE(logs(ann, "Guest left")) << ann.log();
}

TEST_F(GuestAccess, HasWordsForAllAndCanBeRead) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann(party(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  OPEN_OR_SKIP(broker);
  join("");
  expect_accessible("before a call, without a name");
  browser_->evaluate("document.getElementById('with-camera').click(); true");
  ASSERT_TRUE(browser_->wait_until("window.qvid.own.camera")) << report();
  join("Guest");
  ASSERT_TRUE(browser_->wait_until("document.querySelector('.tile:not(.own) .link')")) << report();
  expect_accessible("in a call");
  browser_->evaluate(R"(document.getElementById('people-button').click();
    document.querySelector('#people details').open = true; true)");
  expect_accessible("with the people");
  browser_->evaluate("document.getElementById('chat-button').click(); true");
  expect_accessible("with the chat");
  // Who comes and goes is said.
  Process bob(watch(broker.url(), "Bob"));
  EXPECT_TRUE(
      browser_->wait_until("document.getElementById('notice').textContent.includes('Bob joined')"));
  browser_->evaluate("document.getElementById('leave').click(); true");
  ASSERT_TRUE(browser_->wait_until("!document.getElementById('over').hidden"));
  expect_accessible("after it");
}

TEST_F(GuestAccess, SpeaksThePersonsLanguage) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  browser_->prefer("xx,de-AT,en");
  OPEN_OR_SKIP(broker);
  EXPECT_EQ(browser_->evaluate("document.documentElement.lang"), "de");
  EXPECT_EQ(browser_->evaluate("document.querySelector('#join button').textContent"), "Beitreten");
  join("");
  EXPECT_EQ(browser_->evaluate("document.getElementById('start-trouble').textContent"),
            "Bitte gib deinen Namen ein.");
}

// Everybody on the machine of such a broker moderates.
TEST_F(GuestAccess, MutesForAllAndRemoves) {
  BrokerProcess broker("127.0.0.1:0", {"--local-admin"});
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann(party(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  OPEN_OR_SKIP(broker);
  join("Guest");
  ASSERT_TRUE(browser_->wait_until("window.qvid.members.length === 1")) << report();
  // The button of Ann's that says this.
  const auto press = [&](const std::string& words) {
    return browser_->evaluate(
        "(() => { const b = [...document.querySelectorAll('#people li button')]"
        ".find((one) => one.textContent === '" +
        words + "' && !one.hidden); b?.click(); return Boolean(b); })()");
  };
  ASSERT_EQ(press("Mute for all"), true) << report();
  EXPECT_TRUE(browser_->wait_until("window.qvid.members[0].held")) << report();
  EXPECT_EQ(press("Let speak"), true);
  EXPECT_TRUE(browser_->wait_until("!window.qvid.members[0].held")) << report();
  ASSERT_EQ(press("Remove..."), true);
  ASSERT_EQ(press("Remove from the room"), true) << "it is asked once more";
  EXPECT_TRUE(browser_->wait_until("window.qvid.members.length === 0")) << report();
  EXPECT_NE(ann.wait(), 0) << ann.log();
}

}  // namespace
}  // namespace e2e
