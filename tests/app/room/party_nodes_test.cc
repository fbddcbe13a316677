#include "app/room/party_nodes.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

const Url kUrl{.address = {.host = "127.0.0.1", .port = 7400}, .name = "den", .fingerprint = {}};

TEST(PartyNodes, WithoutOthersItComesBackToTheUrl) {
  PartyNodes nodes(kUrl, false);
  EXPECT_FALSE(nodes.has_others());
  nodes.go_on();
  EXPECT_EQ(nodes.at().address.port, 7400);
  EXPECT_TRUE(nodes.at_url());
}

TEST(PartyNodes, OneAfterTheOtherAndTheUrlAgain) {
  PartyNodes nodes(kUrl, false);
  nodes.told({"127.0.0.1:7401", "127.0.0.1:7402"});
  std::vector<int> ports;
  for (int i = 0; i < 4; ++i) {
    nodes.go_on();
    EXPECT_EQ(nodes.at().name, "den");
    ports.push_back(nodes.at().address.port);
  }
  EXPECT_EQ(ports, (std::vector<int>{7401, 7402, 7400, 7401}));
}

TEST(PartyNodes, WithTlsANodeWithoutAKeyIsNotBelieved) {
  PartyNodes nodes(kUrl, true);
  const std::string key = "sha256:" + std::string(43, 'A');
  nodes.told({"127.0.0.1:7401", "not an address:::", "127.0.0.1:7403#sha256:no key",
              "127.0.0.1:7402#" + key});
  nodes.go_on();
  EXPECT_EQ(nodes.at().address.port, 7402);
  EXPECT_EQ(nodes.at().fingerprint, key);
  EXPECT_FALSE(nodes.at_url());
}

}  // namespace
}  // namespace qvid::app
