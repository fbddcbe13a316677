// A guest with a browser in a room of a broker, for the tests of the page.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/browser.h"

namespace e2e {

class GuestFixture : public testing::Test {
 protected:
  // A party with a moving picture and a voice.
  static std::vector<std::string> party(const std::string& url, const std::string& name) {
    return {program(), "call",         url,      "--insecure", "--headless", "--source",
            "test",    "--name",       name,     "--size",     "320x180",    "--rate",
            "15",      "--microphone", "speech", "--speaker",  "none"};
  }

  void SetUp() override {
    if (!has_browser()) {
      SKIP_FOR_WANT("there is no Chromium here");
    }
    browser_ = std::make_unique<Browser>();
    ASSERT_EQ(browser_->trouble(), "");
  }

  Browser::Opened open(const BrokerProcess& broker, const std::string& fragment = "") {
    return browser_->open_page("http://" + broker.address() + "/den" + fragment);
  }
  void join(const std::string& name) { join(*browser_, name); }
  static void join(Browser& browser, const std::string& name) {
    browser.evaluate("document.getElementById('name').value = '" + name +
                     "'; document.getElementById('join').requestSubmit(); true");
  }
  // The names under the tiles of others.
  nlohmann::json tiles() {
    return browser_->evaluate(
        "[...document.querySelectorAll('.tile:not(.own) figcaption')].map((c) => "
        "c.textContent.split(' \u00b7 ')[0])");
  }
  nlohmann::json report() { return browser_->evaluate("window.qvid"); }

  std::unique_ptr<Browser> browser_;
};

#define OPEN_OR_SKIP(broker) OPEN_PAGE_OR_SKIP(*browser_, "http://" + (broker).address() + "/den")

}  // namespace e2e
