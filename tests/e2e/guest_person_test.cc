// What a person with the page does beside seeing and hearing: choosing devices, writing to one alone, talking
// for a moment, and finding it all as it was.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/browser.h"
#include "tests/e2e/guest_fixture.h"
#include "tests/e2e/wav.h"
#include "tests/media/sound/speech_like.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

using nlohmann::json;

class GuestPerson : public GuestFixture {};

TEST_F(GuestPerson, WritesToOneAlone) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann(watch(broker.url(), "Ann van Lee"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  Process bob(watch(broker.url(), "Bob"));
  ASSERT_TRUE(bob.wait_for_log("joined the room")) << bob.log();
  OPEN_OR_SKIP(broker);
  join("Guest");
  ASSERT_TRUE(browser_->wait_until("window.qvid.members.length === 2")) << report();
  const auto say = [&](const std::string& text) {
    browser_->evaluate("document.getElementById('chat-text').value = '" + text +
                       "'; document.getElementById('chat-form').requestSubmit(); true");
  };
  say("@Ann van Lee: between us");
  EXPECT_TRUE(logs(ann, "between us")) << ann.log();
  EXPECT_TRUE(
      browser_->wait_until("document.getElementById('chat-lines').textContent.includes("
                           "'Guest to Ann van Lee: between us')"));
  // To nobody, and so not to all.
  say("@Zoe a secret");
  EXPECT_TRUE(browser_->wait_until("document.getElementById('notice').textContent.includes('Zoe')"))
      << report();
  say("to all");
  EXPECT_TRUE(logs(bob, "to all")) << bob.log();
  EXPECT_EQ(bob.log().find("between us"), std::string::npos) << bob.log();
  EXPECT_EQ(bob.log().find("a secret"), std::string::npos) << bob.log();
}

TEST_F(GuestPerson, TalksWhileTheSpaceBarIsHeld) {
  const qvid::TemporaryFolder folder;
  write_wav((folder / "mouth.wav").string(),
            qvid::media::speech_like(4UL * kWavRate, 1, 120, 0.5F));
  browser_ = std::make_unique<Browser>(std::vector<std::string>{
      "--use-file-for-fake-audio-capture=" + (folder / "mouth.wav").string()});
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann(watch(broker.url(), "Ann", {"--speaker", (folder / "ear.wav").string()}));
  OPEN_OR_SKIP(broker);
  browser_->evaluate("document.getElementById('with-microphone').click(); true");
  ASSERT_TRUE(browser_->wait_until("window.qvid.own.microphone")) << report();
  join("Guest");
  const auto says = [&] {
    browser_->evaluate("window.before = window.qvid.report; true");
    return browser_->wait_until(
        "window.qvid.report.sent.packets > window.before.sent.packets + 50");
  };
  // Of two reports one after the other.
  const auto is_silent = [&] {
    return browser_->wait_until(
        "window.qvid.report !== window.before && "
        "(window.qvid.report.sent.packets === window.before.sent.packets || "
        "((window.before = window.qvid.report), false))");
  };
  ASSERT_TRUE(browser_->wait_until("window.qvid.report?.sent.packets > 0")) << report();
  ASSERT_TRUE(says()) << report();
  browser_->press("m");
  ASSERT_TRUE(browser_->wait_until("window.qvid.own.muted")) << report();
  ASSERT_TRUE(is_silent()) << report();
  // Who speaks then is told.
  EXPECT_TRUE(
      browser_->wait_until("document.getElementById('notice').textContent.includes("
                           "'hold space to talk')"))
      << report();
  const auto space = [&](const std::string& event) {
    browser_->evaluate("document.activeElement.dispatchEvent(new KeyboardEvent('" + event +
                       "', {key: ' ', bubbles: true, cancelable: true})); true");
  };
  browser_->evaluate("document.activeElement.blur(); true");
  space("keydown");
  EXPECT_TRUE(says()) << report();
  EXPECT_EQ(browser_->evaluate("window.qvid.own.talking && window.qvid.own.muted"), true);
  space("keyup");
  EXPECT_TRUE(is_silent()) << report();
  EXPECT_EQ(browser_->evaluate("!window.qvid.own.talking && window.qvid.own.muted"), true);
}

TEST_F(GuestPerson, FindsDevicesAndLoudnessAsTheyWere) {
  browser_ = std::make_unique<Browser>(
      std::vector<std::string>{"--use-fake-device-for-media-stream=device-count=2"});
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann(party(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  OPEN_OR_SKIP(broker);
  const std::string device = "document.getElementById('camera-device')";
  const auto turn_on = [&] {
    browser_->evaluate("document.getElementById('with-camera').click(); true");
    return browser_->wait_until("window.qvid.own.camera && " + device + ".length === 2");
  };
  const std::string used = "document.getElementById('preview').srcObject?.getTracks()[0].label";
  ASSERT_TRUE(turn_on()) << report();
  const std::string first = browser_->evaluate(used);
  browser_->evaluate("{ const list = " + device + R"(; list.selectedIndex = 1 - list.selectedIndex;
    list.dispatchEvent(new Event('change')); } true)");
  ASSERT_TRUE(browser_->wait_until("(" + used + " ?? '" + first + "') !== '" + first + "'"))
      << first;
  const std::string second = browser_->evaluate(used);
  join("Guest");
  ASSERT_TRUE(browser_->wait_until("window.qvid.report?.heard.length > 0")) << report();
  browser_->evaluate(R"({ const slider = document.querySelector('#people input');
    slider.value = 150;
    for (const one of ['input', 'change']) slider.dispatchEvent(new Event(one)); } true)");
  EXPECT_TRUE(browser_->wait_until("window.qvid.report.heard[0]?.volume === 1.5")) << report();

  browser_->evaluate("document.getElementById('leave').click(); true");
  ASSERT_TRUE(logs(ann, "Guest left")) << ann.log();
  ASSERT_TRUE(open(broker) == Browser::Opened::kYes);
  ASSERT_TRUE(turn_on()) << report();
  EXPECT_EQ(browser_->evaluate(used), second);
  EXPECT_EQ(browser_->evaluate(device + ".selectedOptions[0].label"), second);
  join("Guest");
  EXPECT_TRUE(browser_->wait_until("window.qvid.report?.heard[0]?.volume === 1.5")) << report();
}

}  // namespace
}  // namespace e2e
