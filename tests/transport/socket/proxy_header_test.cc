#include "transport/socket/proxy_header.h"

#include <gtest/gtest.h>

#include "transport/socket/network.h"

namespace paceline::proxy_header_test {
namespace {

using State = ProxyHeader::State;
using std::string_literals::operator""s;

const std::string kSignature = "\r\n\r\n\0\r\nQUIT\n"s;

std::string binary(char command, char family, const std::string& rest) {
  return kSignature + command + family + static_cast<char>(rest.size() >> 8) +
         static_cast<char>(rest.size() & 0xff) + rest;
}

const std::string kTcp4 = "\xc0\x00\x02\x01\x0a\x00\x00\x01\xdc\x04\x01\xbb"s;
const std::string kTcp6 = "\x20\x01\x0d\xb8"s + std::string(11, '\0') + "\x07"s +
                          std::string(16, '\1') + "\x00\x50\x01\xbb"s;

TEST(ProxyHeader, SaysWhoTheClientIs) {
  const struct {
    std::string header;
    std::string client;  // empty: the proxy itself
  } good[] = {
      {binary(0x21, 0x11, kTcp4), "192.0.2.1:56324"},
      {binary(0x21, 0x11, kTcp4 + "\x03\x00\x01x"s), "192.0.2.1:56324"},
      {binary(0x21, 0x21, kTcp6), "[2001:db8::7]:80"},
      {binary(0x20, 0x00, ""), ""},
      {binary(0x20, 0x11, kTcp4), ""},
      {binary(0x21, 0x00, "xyz"), ""},
      {binary(0x21, 0x31, std::string(216, 'x')), ""},
      {"PROXY TCP4 192.0.2.1 10.0.0.1 56324 443\r\n", "192.0.2.1:56324"},
      {"PROXY TCP6 2001:db8::7 ::1 80 443\r\n", "[2001:db8::7]:80"},
      {"PROXY UNKNOWN\r\n", ""},
      {"PROXY UNKNOWN a b c d\r\n", ""},
  };
  for (const auto& g : good) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{5000}}) {
      ProxyHeader header;
      const std::string bytes = g.header + "\x16\x03\x01";
      std::size_t used = 0;
      while (header.state() == State::reading && used < bytes.size()) {
        used += header.receive(std::string_view(bytes).substr(used, piece));
      }
      ASSERT_EQ(header.state(), State::done) << testing::PrintToString(g.header);
      EXPECT_EQ(used, g.header.size());
      EXPECT_EQ(header.client() ? header.client()->text() : "", g.client);
    }
  }
}

TEST(ProxyHeader, RefusesWhatIsNone) {
  for (const std::string& bytes :
       {"\x16\x03\x01"s, "PACELINE"s, "PROXY TCP4 192.0.2.1 10.0.0.1 x 443\r\n"s,
        "PROXY TCP6 192.0.2.1 10.0.0.1 1 443\r\n"s, "PROXY TCP4 host 10.0.0.1 1 443\r\n"s,
        "PROXY TCP4\r\n"s, "PROXY \r\n"s, "PROXY " + std::string(200, 'x'),
        binary(0x22, 0x11, kTcp4), binary(0x11, 0x11, kTcp4), binary(0x21, 0x11, "short"),
        binary(0x21, 0x21, kTcp4), binary(0x21, 0x11, std::string(3000, 'x'))}) {
    ProxyHeader header;
    header.receive(bytes);
    EXPECT_EQ(header.state(), State::failed) << testing::PrintToString(bytes.substr(0, 60));
    EXPECT_FALSE(header.client());
  }
}

TEST(Network, HasWhatBeginsAlike) {
  const struct {
    const char* network;
    const char* address;
    bool has;
  } cases[] = {{"10.0.0.0/8", "10.255.0.1", true},
               {"10.0.0.0/8", "11.0.0.1", false},
               {"10.1.2.3/31", "10.1.2.2", true},
               {"10.1.2.3/31", "10.1.2.4", false},
               {"10.1.2.3", "10.1.2.3", true},
               {"10.1.2.3", "10.1.2.2", false},
               {"0.0.0.0/0", "255.1.1.1", true},
               {"0.0.0.0/0", "2001:db8::1", false},
               {"::/0", "10.0.0.1", true},
               {"fd00::/9", "fd7f::1", true},
               {"fd00::/9", "fd80::1", false},
               {"10.0.0.0/8", "::ffff:10.0.0.1", true},
               {"::ffff:10.0.0.0/104", "10.9.9.9", true}};
  for (const auto& c : cases) {
    const auto network = Network::parse(c.network);
    ASSERT_TRUE(network) << c.network;
    EXPECT_EQ(network->has(boost::asio::ip::make_address(c.address)), c.has)
        << c.network << " " << c.address;
  }
  for (const char* bad : {"", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "host/8", "::/129",
                          "10.0.0.0/8x", "*"}) {
    EXPECT_FALSE(Network::parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace paceline::proxy_header_test
