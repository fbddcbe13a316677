// What of a text is a link.
#include "ui/text/links.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace qvid::ui {
namespace {

using Links = std::vector<std::string>;

Links links_of(const std::string& text) {
  Links links;
  std::size_t at = 0;
  for (const TextPart& part : split_links(text)) {
    EXPECT_EQ(part.begin, at) << "all of it, in its order";
    EXPECT_LT(part.begin, part.end);
    at = part.end;
    if (part.link) links.push_back(text.substr(part.begin, part.end - part.begin));
  }
  EXPECT_EQ(at, text.size());
  return links;
}

TEST(Links, AreWordsThatBeginWithAScheme) {
  EXPECT_EQ(links_of("see https://a.org/x?y=1, or (http://b.org)."),
            (Links{"https://a.org/x?y=1", "http://b.org"}));
  EXPECT_EQ(links_of("https://a.org"), Links{"https://a.org"});
  EXPECT_EQ(links_of("https://en.wikipedia.org/wiki/C_(language)"),
            Links{"https://en.wikipedia.org/wiki/C_(language)"});
  EXPECT_EQ(links_of("\"https://a.org/\" <http://b.org/c>!"),
            (Links{"https://a.org/", "http://b.org/c"}));
}

TEST(Links, WhatIsNoLinkIsText) {
  for (const char* text : {"", "http", "http://", "https:///etc/passwd", "https://.",
                           "file:///etc/passwd", "xhttp://a", "javascript:alert(1)",
                           "https://\xd0\xb0pple.com", "HTTP://a", "ftp://a.org", "https://?"}) {
    EXPECT_EQ(links_of(text), Links{}) << text;
    EXPECT_FALSE(is_link(text)) << text;
  }
  EXPECT_TRUE(is_link("https://a.org/x?y=1"));
  EXPECT_FALSE(is_link("https://a.org x"));
  EXPECT_FALSE(is_link("https://a.org\n"));
  EXPECT_FALSE(is_link("-https://a.org"));
}

}  // namespace
}  // namespace qvid::ui
