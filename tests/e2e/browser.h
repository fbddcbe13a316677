// A headless Chromium of a test, with a camera and a microphone that are none, driven by its debugging
// protocol.
//
// Thread: the test's; calls wait. An answer that does not come within kPatience is an exception, which
// fails the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"

namespace e2e {

// Whether there is one here.
bool has_browser();

// Ends a test for want of a browser, or of a program with the page in it: `./run test web` has both.
#define SKIP_FOR_WANT(why)                                      \
  if (std::getenv("QVID_NEEDS_PAGE") != nullptr) FAIL() << why; \
  GTEST_SKIP() << why

class Browser {
 public:
  // `more`: further words of its command line.
  explicit Browser(const std::vector<std::string>& more = {});
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Empty, or why it does not work.
  const std::string& trouble() const { return trouble_; }
  void open(const std::string& url);
  // Of a program under test: until its page runs, or it says that it was built without one.
  enum class Opened { kYes, kWithoutPage, kNo };
  Opened open_page(const std::string& url);
  // The value of an expression, as JSON; of a promise, once it is there.
  nlohmann::json evaluate(const std::string& expression);
  // Until the expression is true. False: time ran out.
  bool wait_until(const std::string& expression, Milliseconds at_most = kPatience);
  // A key of the keyboard, down and up: "Tab", "Enter", "Escape", "ArrowRight", " ", "a".
  void press(const std::string& key);
  void type(const std::string& text);
  // What a screen reader is told: the nodes of Accessibility.getFullAXTree.
  nlohmann::json accessible();
  // Scripts of the test's own may be added to pages that are opened from now on.
  void allow_scripts();
  // The languages of a person, as "de-DE,en"; of pages that are opened from now on.
  void prefer(const std::string& languages);
  // What its pages have logged as errors.
  std::string log() const { return process_.log(); }

 private:
  class Socket;
  nlohmann::json call(const std::string& method, nlohmann::json parameters);

  qvid::TemporaryFolder folder_;
  Process process_;
  std::string trouble_;
  std::unique_ptr<Socket> socket_;
  int last_id_ = 0;
};

// Skips where the program has no page; anything else that is not the page is a failure.
#define OPEN_PAGE_OR_SKIP(browser, url)                                                 \
  do {                                                                                  \
    const Browser::Opened opened = (browser).open_page(url);                            \
    if (opened == Browser::Opened::kWithoutPage) {                                      \
      SKIP_FOR_WANT("this program has no page: ./run build web, and build it");         \
    }                                                                                   \
    ASSERT_TRUE(opened == Browser::Opened::kYes)                                        \
        << (browser).evaluate("document.documentElement.outerHTML") << (browser).log(); \
  } while (false)

}  // namespace e2e
