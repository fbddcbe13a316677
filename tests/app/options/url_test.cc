// Shows which addresses of videos are taken, what they mean, and that the others get a way out.
#include "app/options/url.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace qvid::app {
namespace {

struct Case {
  std::string typed;
  std::string host;
  std::uint16_t port;
  std::string name;
};

TEST(Url, ReadsWhatAPersonTypes) {
  const Case cases[] = {
      {"qvid://host", "host", kDefaultPort, "live"},
      {"qvid://host/", "host", kDefaultPort, "live"},
      {"qvid://host/live", "host", kDefaultPort, "live"},
      {"qvid://host:80/live", "host", 80, "live"},
      {"qvid://192.0.2.1:65535/a/b.mkv", "192.0.2.1", 65535, "a/b.mkv"},
      {"qvid://[::1]/live", "::1", kDefaultPort, "live"},
      {"qvid://[2001:db8::7]:7401/live", "2001:db8::7", 7401, "live"},
      {"qvid://[fe80::1%25eth0]:7401/live", "fe80::1%eth0", 7401, "live"},
      {"qvid://[fe80::1%eth0]", "fe80::1%eth0", kDefaultPort, "live"},
      {"qvid://host//tmp/clip.mp4", "host", kDefaultPort, "/tmp/clip.mp4"},
      {"qvid://host/a%20b%2Fc", "host", kDefaultPort, "a b/c"},
      {"qvid://host/%c3%A4", "host", kDefaultPort, "\xc3\xa4"},
      {"qvid://host/100%25", "host", kDefaultPort, "100%"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.typed);
    const auto url = parse_url(c.typed);
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->address.host, c.host);
    EXPECT_EQ(url->address.port, c.port);
    EXPECT_EQ(url->name, c.name);
  }
}

TEST(Url, WithoutANameHasTheOneThatIsMeant) {
  const auto url = parse_url("qvid://host", "call");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->name, "call");
  EXPECT_EQ(parse_url("qvid://host/den", "call")->name, "den");
  EXPECT_EQ((Url{.address = url->address, .name = {}, .fingerprint = {}}.text()),
            "qvid://host:7400");
}

TEST(Url, IsPrintedAsItCanBeTyped) {
  for (const std::string typed : {"qvid://host:7400/live", "qvid://[::1]:80/a%20b/%25c.mkv",
                                  "qvid://host:7400/%0A%1B", "qvid://[fe80::1%25eth0]:80/live"}) {
    const auto url = parse_url(typed);
    ASSERT_TRUE(url) << typed;
    EXPECT_EQ(url->text(), typed);
  }
}

TEST(Url, RefusesWithAWayOut) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "is no URL"},
      {"live", "is no URL"},
      {"host:7400", "is no URL"},
      {"http://host/live", "unknown scheme http"},
      {"QVID://host/live", "unknown scheme QVID"},
      {"qvid://", "names no host"},
      {"qvid:///live", "names no host"},
      {"qvid://:7400/live", "names no host"},
      {"qvid://host:/live", "names no host"},
      {"qvid://host:65536/live", "names no host"},
      {"qvid://host:0/live", "port that is none (1 to 65535)"},
      {"qvid://7400/live", "names no host"},
      {"qvid://host:-1/live", "names no host"},
      {"qvid://host:80x/live", "names no host"},
      {"qvid://ho st/live", "names no host"},
      {"qvid://::1/live", "names no host"},
      {"qvid://[::1/live", "names no host"},
      {"qvid://[]/live", "names no host"},
      {"qvid://[::1]80/live", "names no host"},
      {"qvid://" + std::string(254, 'a') + "/live", "names no host"},
      {"qvid://host/%", "broken % code"},
      {"qvid://host/%4", "broken % code"},
      {"qvid://host/%zz", "broken % code"},
      {"qvid://host/%-1", "broken % code"},
      {"qvid://host/a%00b", "broken % code"},
      {std::string("qvid://host/a\0b", 15), "broken % code"},
      {"qvid://host/" + std::string(kMaxName + 1, 'a'), "too long a name"},
  };
  for (const auto& [typed, why] : cases) {
    SCOPED_TRACE(typed);
    const auto url = parse_url(typed);
    ASSERT_FALSE(url);
    const std::string& message = url.error().message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
    EXPECT_NE(message.find("write qvid://host[:port]/live"), std::string::npos) << message;
    EXPECT_LT(message.size(), 500u);
  }
}

TEST(Url, TakesTheLongestName) {
  const auto url = parse_url("qvid://host/" + std::string(kMaxName, 'a'));
  ASSERT_TRUE(url);
  EXPECT_EQ(url->name.size(), kMaxName);
}

TEST(Url, IsWrittenInFull) {
  for (const std::string text :
       {"qvid://host:7400/live", "qvid://[::1]:80/live", "qvid://host:1/a/b.mkv"}) {
    const auto url = parse_url(text);
    ASSERT_TRUE(url);
    EXPECT_EQ(url->text(), text);
  }
}

}  // namespace
}  // namespace qvid::app
