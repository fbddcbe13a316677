#include "app/command/web_link.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace qvid::app {
namespace {

TEST(WebLink, HasWhatLetsInBehindTheHash) {
  EXPECT_EQ(web_link(true, {.host = "192.0.2.7", .port = 7400}, "call", "four words & one/two"),
            "https://192.0.2.7:7400/call#token=four%20words%20%26%20one/two");
  EXPECT_EQ(web_link(false, {.host = "::1", .port = 80}, "watch/live", ""),
            "http://[::1]:80/watch/live");
}

TEST(WebLink, IsACodeOfTwoRowsToALine) {
  // Dark above, dark below, both; and nothing.
  const ui::QrCode code{.side = 2, .dark = {true, false, true, true}};
  const std::string text = terminal_text(code);
  // Four rows of margin, the code, four of margin: ten rows.
  EXPECT_EQ(std::ranges::count(text, '\n'), 5);
  const std::string side(ui::QrCode::kQuiet, ' ');
  EXPECT_NE(text.find("m" + side + "\u2588\u2584" + side + "\x1b"), std::string::npos) << text;
  // An odd number of rows ends within a line.
  EXPECT_EQ(std::ranges::count(terminal_text({.side = 1, .dark = {true}}), '\n'), 5);
  EXPECT_EQ(terminal_text({}), "");
}

}  // namespace
}  // namespace qvid::app
