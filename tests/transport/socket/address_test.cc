#include "transport/socket/address.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(AddressTest, ReadsHostsWithAndWithoutAPort) {
  const struct {
    const char* text;
    const char* host;
    std::uint16_t port;
  } good[] = {{"127.0.0.1", "127.0.0.1", 4433},
              {"127.0.0.1:80", "127.0.0.1", 80},
              {"example.org:65535", "example.org", 65535},
              {"[::1]", "::1", 4433},
              {"[::1]:0", "::1", 0}};
  for (const auto& g : good) {
    const auto address = parse_address(g.text, 4433);
    ASSERT_TRUE(address) << g.text;
    EXPECT_EQ(address->host, g.host);
    EXPECT_EQ(address->port, g.port);
    const auto again = parse_address(address->text(), 1);
    ASSERT_TRUE(again) << address->text();
    EXPECT_EQ(again->host, address->host);
    EXPECT_EQ(again->port, address->port);
  }
}

TEST(AddressTest, RefusesWhatIsNone) {
  for (const char* bad :
       {"", ":80", "a:", "a:b", "a:65536", "a:-1", "a:1 ", "a b:1", "[::1", "7400", "7400:1",
        "[7400]", "[]:1", "[::1]x", "[::1]:", "::1", "a:1:2", "a]:1", "\n:1"}) {
    const auto address = parse_address(bad, 4433);
    ASSERT_FALSE(address) << bad;
    EXPECT_NE(address.error().message.find("host:port"), std::string::npos);
  }
  EXPECT_FALSE(parse_address(std::string(254, 'a'), 1));
}

TEST(AddressTest, KnowsThisMachine) {
  for (const char* here :
       {"127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1", "localhost", "LocalHost"}) {
    EXPECT_TRUE((Address{.host = here, .port = 1}.is_loopback())) << here;
  }
  for (const char* elsewhere :
       {"0.0.0.0", "::", "128.0.0.1", "10.0.0.1", "fe80::1", "127.0.0.1.example",
        "localhost.example", "local", "", "::ffff:8.8.8.8", "127.1"}) {
    EXPECT_FALSE((Address{.host = elsewhere, .port = 1}.is_loopback())) << elsewhere;
  }
}

}  // namespace
}  // namespace paceline
