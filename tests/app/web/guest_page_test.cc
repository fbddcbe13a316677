// Shows which file a browser gets under which path, and with which rights.
#include "app/web/guest_page.h"

#include <gtest/gtest.h>

#include <array>

#include "app/broker/port_page.h"

namespace qvid::app::guest_page_test {
namespace {

const std::array<std::byte, 3> kContent{std::byte{1}, std::byte{2}, std::byte{3}};
const std::array<WebAsset, 3> kAssets{{{"index.html", kContent, "\"i\""},
                                       {"qvid.js", std::span(kContent).first(2), "\"j\""},
                                       {"qvid.wasm", std::span(kContent).first(1), "\"w\""}}};

TEST(GuestPage, ARoomsAddressIsThePage) {
  for (const char* path :
       {"/", "/den", "/Den%20of%20B%C3%A4ren", "/watch/live", "/watch/a/b.mp4"}) {
    const auto page = guest_page(path, kAssets);
    EXPECT_EQ(page.status, 200u) << path;
    EXPECT_EQ(page.type, "text/html; charset=utf-8") << path;
    EXPECT_EQ(page.asset.size(), 3u) << path;
  }
  EXPECT_EQ(guest_page("/web/qvid.js", kAssets).type, "text/javascript; charset=utf-8");
  EXPECT_EQ(guest_page("/web/qvid.wasm", kAssets).type, "application/wasm");
  EXPECT_EQ(guest_page("/web/qvid.wasm", kAssets).asset.size(), 1u);
  for (const char* path : {"/web/", "/web/other.js", "/web/../index.html", "/a/b", "/watch/", ""}) {
    const auto page = guest_page(path, kAssets);
    EXPECT_EQ(page.status, 404u) << path;
    EXPECT_TRUE(page.asset.empty()) << path;
  }
}

TEST(GuestPage, MayDoLittle) {
  const auto page = guest_page("/den", kAssets);
  const auto has = [&](std::string_view what) {
    EXPECT_NE(page.headers.find(what), std::string_view::npos) << what;
  };
  has("Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; ");
  has("connect-src 'self'; ");
  has("frame-ancestors 'none'\r\n");
  has("X-Content-Type-Options: nosniff\r\n");
  has("Referrer-Policy: no-referrer\r\n");
  has("Content-Encoding: gzip\r\n");
  EXPECT_EQ(page.headers.find("unsafe-inline"), std::string_view::npos);
  EXPECT_TRUE(page.headers.ends_with("\r\n"));
}

TEST(GuestPage, IsAskedForOnceAndThenKnown) {
  const auto page = guest_page("/web/qvid.js", kAssets);
  const auto first = paceline::http_answer(page, false);
  EXPECT_TRUE(first.text.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(first.text.find("\r\nETag: \"j\"\r\n"), std::string::npos);
  EXPECT_NE(first.text.find("\r\nContent-Length: 2\r\n"), std::string::npos);
  EXPECT_EQ(first.asset.size(), 2u);
  const auto again = paceline::http_answer(page, false, "\"x\", \"j\"");
  EXPECT_TRUE(again.text.starts_with("HTTP/1.1 304 Not Modified\r\n"));
  EXPECT_TRUE(again.asset.empty());
  EXPECT_TRUE(paceline::http_answer(page, true).asset.empty());
  EXPECT_EQ(tag_of(kContent).size(), 18u);
  EXPECT_NE(tag_of(kContent), tag_of({}));
}

TEST(GuestPage, OfAProgramWithoutItSaysSo) {
  const auto page = guest_page("/den", {});
  EXPECT_EQ(page.status, 404u);
  EXPECT_NE(page.text.find("without the page for browsers"), std::string::npos) << page.text;
}

TEST(GuestPage, OfAServerOfVideosLeadsToWhatItShows) {
  const auto page = watch_page("/", kAssets);
  const auto answer = paceline::http_answer(page, false);
  EXPECT_TRUE(answer.text.starts_with("HTTP/1.1 302 Found\r\n")) << answer.text;
  EXPECT_NE(answer.text.find("\r\nLocation: /watch/live\r\n"), std::string::npos) << answer.text;
  EXPECT_EQ(watch_page("/watch/live", kAssets).asset.size(), 3u);
  EXPECT_EQ(watch_page("/", {}).status, 404u);
}

TEST(GuestPage, IsNoHealth) {
  const paceline::Address here{.host = "127.0.0.1", .port = 1};
  const paceline::Address there{.host = "10.1.2.3", .port = 1};
  EXPECT_EQ(port_page("/den", there, {}, false, kAssets).status, 200u);
  EXPECT_EQ(port_page("/health", there, {}, false, kAssets).status, 404u);
  EXPECT_EQ(port_page("/health", here, {}, true, kAssets).status, 503u);
}

}  // namespace
}  // namespace qvid::app::guest_page_test
