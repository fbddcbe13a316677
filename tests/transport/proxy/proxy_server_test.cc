#include "transport/proxy/proxy_server.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using Kind = ProxyServer::Kind;

TEST(ParseProxy, ReadsUrls) {
  const struct {
    const char* text;
    Kind kind;
    const char* host;
    std::uint16_t port;
    const char* user;
    const char* password;
  } good[] = {
      {"http://proxy.example:3128", Kind::http, "proxy.example", 3128, "", ""},
      {"proxy.example:3128", Kind::http, "proxy.example", 3128, "", ""},
      {"HTTP://proxy.example/", Kind::http, "proxy.example", 80, "", ""},
      {"http://ann:pass@10.0.0.1:8080", Kind::http, "10.0.0.1", 8080, "ann", "pass"},
      {"ann:pass@proxy:8080", Kind::http, "proxy", 8080, "ann", "pass"},
      {"http://ann:p%40s%3as@proxy", Kind::http, "proxy", 80, "ann", "p@s:s"},
      {"http://ann:p@ss@proxy:1", Kind::http, "proxy", 1, "ann", "p@ss"},
      {"http://ann@proxy:1", Kind::http, "proxy", 1, "ann", ""},
      {"socks5://[::1]:9050", Kind::socks5, "::1", 9050, "", ""},
      {"socks5h://ann:a://b@proxy", Kind::socks5, "proxy", 1080, "ann", "a://b"},
  };
  for (const auto& g : good) {
    const auto proxy = parse_proxy(g.text);
    ASSERT_TRUE(proxy) << g.text << ": " << proxy.error().message;
    EXPECT_EQ(proxy->kind, g.kind) << g.text;
    EXPECT_EQ(proxy->address.host, g.host) << g.text;
    EXPECT_EQ(proxy->address.port, g.port) << g.text;
    EXPECT_EQ(proxy->user, g.user) << g.text;
    EXPECT_EQ(proxy->password, g.password) << g.text;
    EXPECT_EQ(proxy->text().find("pass"), std::string::npos);
  }
}

TEST(ParseProxy, RefusesWithoutTellingThePassword) {
  for (const char* text :
       {"", "http://", "https://ann:secret@proxy", "ftp://ann:secret@proxy", "http://ann:secret@",
        "http://ann:secret%zz@proxy", "http://ann:secret%0a@proxy", "http://ann:secret@proxy:x",
        "ann:secret@", "socks4://ann:secret@proxy:1", "http://ann:secret@a/b"}) {
    const auto proxy = parse_proxy(text);
    ASSERT_FALSE(proxy) << text;
    EXPECT_EQ(proxy.error().message.find("secret"), std::string::npos) << proxy.error().message;
    EXPECT_NE(proxy.error().message.find("write http://"), std::string::npos);
  }
  EXPECT_FALSE(parse_proxy("http://ann:" + std::string(256, 'x') + "@proxy"));
}

TEST(NoProxy, NamesHostsDomainsAndNetworks) {
  const struct {
    const char* exceptions;
    const char* host;
    bool exempt;
  } cases[] = {
      {"", "a.example", false},
      {"*", "a.example", true},
      {"example.org", "example.org", true},
      {"example.org", "a.example.org", true},
      {"example.org", "badexample.org", false},
      {".example.org", "a.Example.ORG.", true},
      {"*.example.org", "a.b.example.org", true},
      {"x.org, example.org", "example.org", true},
      {"x.org example.org", "example.org", true},
      {"10.0.0.0/8", "10.1.2.3", true},
      {"10.0.0.0/8", "11.1.2.3", false},
      {"10.0.0.0/8", "::ffff:10.1.2.3", true},
      {"10.0.0.0/8", "10.example.org", false},
      {"10.0.0.0/99,a/b", "10.1.2.3", false},
      {"10.1.2.3", "10.1.2.3", true},
      {"fd00::/8", "fd12::1", true},
      {"fd00::/8", "fe80::1", false},
      {"[fd12::1]", "fd12::1", true},
      {",,. ,", "a.example", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(is_exempt(c.exceptions, {.host = c.host, .port = 1}), c.exempt)
        << c.exceptions << " " << c.host;
  }
}

TEST(ChooseProxy, TheOptionGoesBeforeTheEnvironment) {
  const Address far{.host = "a.example", .port = 7400};
  const Address here{.host = "127.0.0.1", .port = 7400};
  const Address link{.host = "fe80::1%lo", .port = 7400};
  ProxySettings settings;
  EXPECT_FALSE(*choose_proxy(settings, far));
  settings.environment = "http://env:1";
  settings.variable = "HTTPS_PROXY";
  auto chosen = choose_proxy(settings, far);
  ASSERT_TRUE(chosen && *chosen);
  EXPECT_EQ((*chosen)->server.text(), "http://env:1");
  EXPECT_EQ((*chosen)->from, "HTTPS_PROXY");
  EXPECT_FALSE(*choose_proxy(settings, here));
  EXPECT_FALSE(*choose_proxy(settings, {.host = "localhost", .port = 1}));
  EXPECT_FALSE(*choose_proxy(settings, link));
  settings.exceptions = ".example";
  EXPECT_FALSE(*choose_proxy(settings, far));
  settings.option = "socks5://option";
  chosen = choose_proxy(settings, here);
  ASSERT_TRUE(chosen && *chosen);
  EXPECT_EQ((*chosen)->server.text(), "socks5://option:1080");
  EXPECT_FALSE(choose_proxy(settings, link)) << "no proxy reaches a link of this machine";
  settings.option = "direct";
  settings.exceptions.clear();
  EXPECT_FALSE(*choose_proxy(settings, far));
}

TEST(ChooseProxy, SaysWhoseFaultItIs) {
  const auto chosen = choose_proxy({.option = {},
                                    .variable = "ALL_PROXY",
                                    .environment = "https://u:secret@p",
                                    .exceptions = {}},
                                   {.host = "a.example", .port = 1});
  ASSERT_FALSE(chosen);
  EXPECT_TRUE(chosen.error().message.starts_with("ALL_PROXY: ")) << chosen.error().message;
  EXPECT_EQ(chosen.error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace paceline
