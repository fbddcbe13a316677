// Shows who sees a broker's health on its own port, and that others see no difference between that and
// a page that is not there.
#include "app/broker/port_page.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

TEST(PortPage, HealthIsForThoseAllowed) {
  const paceline::Address here{.host = "127.0.0.1", .port = 1};
  const paceline::Address there{.host = "10.1.2.3", .port = 1};
  const paceline::Address far{.host = "2001:db8::1", .port = 1};
  EXPECT_EQ(port_page("/health", here, {}, false, {}).status, 200u);
  EXPECT_EQ(port_page("/health", here, {}, false, {}).text, "ok\n");
  EXPECT_EQ(port_page("/health", here, {}, true, {}).status, 503u);
  for (const auto& stranger : {there, far}) {
    EXPECT_EQ(port_page("/health", stranger, {}, false, {}).text,
              port_page("/no/such/page", stranger, {}, false, {}).text);
    EXPECT_EQ(port_page("/health", stranger, {}, true, {}).status, 404u);
  }
  const auto networks = parse_networks("10.0.0.0/8, fd00::/8");
  ASSERT_TRUE(networks) << networks.error().message;
  EXPECT_EQ(port_page("/health", there, *networks, false, {}).status, 200u);
  EXPECT_EQ(port_page("/health", here, *networks, false, {}).status, 404u);
  EXPECT_EQ(port_page("/metrics", there, *networks, false, {}).status, 404u);
}

TEST(PortPage, NetworksAreRead) {
  EXPECT_EQ(parse_networks("")->size(), 0u);
  EXPECT_EQ(parse_networks("127.0.0.1")->size(), 1u);
  EXPECT_EQ(parse_networks("127.0.0.0/8 ,::1/128")->size(), 2u);
  for (const char* bad : {"x", "10.0.0.0/8,,::1", ",", "10.0.0.0/99"}) {
    EXPECT_FALSE(parse_networks(bad)) << bad;
  }
}

}  // namespace
}  // namespace qvid::app
