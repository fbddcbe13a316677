// Shows that a link's picture stands in the page, and nowhere else, and that nothing else can be put there.
#include "app/web/link_preview.h"

#include <gtest/gtest.h>

#include <array>

#include "app/web/guest_page.h"

namespace qvid::app {
namespace {

constexpr std::string_view kPage = "<!doctype html>\n<head>\n<title>Qvid</title>\n</head>\n";
constexpr std::string_view kScript = "1";

std::array<WebAsset, 2> page_files() {
  return {{{"index.html", std::as_bytes(std::span(kPage)), "\"i\"", false},
           {"page.js", std::as_bytes(std::span(kScript)), "\"j\""}}};
}

std::string_view text_of(const WebAsset& file) {
  return {reinterpret_cast<const char*>(file.content.data()), file.content.size()};
}

TEST(LinkPreview, StandsInThePage) {
  const auto files = page_files();
  const LinkPreview preview(files, "https://example.org/a.png?x=1&y=2");
  ASSERT_EQ(preview.files().size(), 2u);
  EXPECT_EQ(text_of(preview.files()[0]),
            "<!doctype html>\n<head>\n<meta property=\"og:title\" content=\"Qvid\">\n"
            "<meta property=\"og:image\" content=\"https://example.org/a.png?x=1&amp;y=2\">\n"
            "<title>Qvid</title>\n</head>\n");
  EXPECT_NE(preview.files()[0].tag, files[0].tag) << "who has the page without it asks again";
  EXPECT_EQ(text_of(preview.files()[1]), "1");
  const auto page = guest_page("/den", preview.files());
  EXPECT_EQ(page.asset.size(), preview.files()[0].content.size());
  EXPECT_EQ(page.headers.find("Content-Encoding"), std::string_view::npos);
  EXPECT_NE(page.headers.find("Content-Security-Policy"), std::string_view::npos);
  EXPECT_NE(guest_page("/web/page.js", preview.files()).headers.find("Content-Encoding: gzip"),
            std::string_view::npos);
}

TEST(LinkPreview, IsOffWithoutAPicture) {
  const auto files = page_files();
  const LinkPreview preview(files, "");
  EXPECT_EQ(text_of(preview.files()[0]), kPage);
  EXPECT_EQ(preview.files()[0].tag, "\"i\"");
  EXPECT_TRUE(LinkPreview({}, "https://example.org/a.png").files().empty());
}

TEST(LinkPreview, TakesAddressesAlone) {
  EXPECT_FALSE(link_picture_trouble(""));
  EXPECT_FALSE(link_picture_trouble("https://example.org/a.png?x=1&y=2"));
  for (const std::string& wrong :
       {std::string("/a.png"), std::string("http://example.org/a.png"),
        std::string("https://example.org/\"><script>"), std::string("https://example.org/a b"),
        std::string("https://example.org/\n"), std::string("https://b\xc3\xa4r.example/"),
        "https://example.org/" + std::string(1024, 'x')}) {
    const auto trouble = link_picture_trouble(wrong);
    ASSERT_TRUE(trouble) << wrong;
    EXPECT_NE(trouble->find("https://"), std::string::npos) << *trouble;
  }
}

}  // namespace
}  // namespace qvid::app
