// Shows which of the ways that libproxy names is taken.
#include "app/options/desktop_proxy.h"

#include <gtest/gtest.h>

#include "transport/proxy/proxy_server.h"

namespace qvid::app {
namespace {

TEST(DesktopProxy, TheFirstWayThatCanBeUsed) {
  EXPECT_EQ(first_usable_way("http://a:3128\ndirect://\n"), "http://a:3128");
  EXPECT_EQ(first_usable_way("direct://\nhttp://a:3128\n"), "");
  EXPECT_EQ(first_usable_way("socks4://a:1\nsocks://b:1080\n"), "socks5://b:1080");
  EXPECT_EQ(first_usable_way("https://a:443\nsocks5://b:1080"), "socks5://b:1080");
  EXPECT_EQ(first_usable_way(""), "");
  EXPECT_EQ(first_usable_way("\n\nnonsense\n"), "");
  const auto read = paceline::parse_proxy(first_usable_way("socks://b:1080\n"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, paceline::ProxyServer::Kind::socks5);
}

}  // namespace
}  // namespace qvid::app
