// A link, at whose other end is a node that does what it should not.
#include "pubsub/cluster/node_link.h"

#include <gtest/gtest.h>

#include "tests/pubsub/fake_port.h"

namespace qps {
namespace {

class TrustingCluster : public ClusterPort {
 public:
  std::uint64_t claim(const std::string&, const std::string&, const std::string&,
                      Timestamp) override {
    return 1;
  }
  void release(const std::string&, const std::string&) override {}
  bool is_node(const Link&) const override { return true; }
  void wish(const FarName&, const FarWish&) override {}
  void lock(const std::string&, const std::optional<std::set<std::string>>&) override {}
  const std::set<std::string>* let_in(const std::string&) const override { return nullptr; }
  void administer(const Admin&) override {}
  nlohmann::json report(Timestamp) const override { return nlohmann::json::object(); }
  std::vector<std::string> other_nodes() const override { return {}; }
};

paceline::MessageArrived told(const std::string& text) {
  return {.stream = paceline::kFirstStream,
          .importance = {},
          .position = {},
          .payload = Payload::copy_of(std::string_view(text))};
}

TEST(NodeLink, ARoomWithoutEndEndsTheLink) {
  Broker broker;
  NodeLink link("b", "a", broker);
  link.set_rooms({"den"}, kBegin);
  link.on_up("t");
  ASSERT_FALSE(link.on_message(told(serialise(FromBroker(Linked{}))), kBegin));
  const auto member = [&](std::size_t number) {
    Member one{.name = "m" + std::to_string(number), .attributes = nlohmann::json::object()};
    return link.on_message(told(placed(1, serialise(FromBroker(one)))), kBegin);
  };
  for (std::size_t i = 0; i < NodeLink::kMaxMembers; ++i) ASSERT_FALSE(member(i)) << i;
  EXPECT_FALSE(member(0));  // that one is known
  EXPECT_TRUE(member(NodeLink::kMaxMembers));
  EXPECT_EQ(link.members(), NodeLink::kMaxMembers);
}

// What was put off before it was a node's session comes when it is one.
TEST(NodeLink, ANodeSaysWhoItIsOnce) {
  Timestamp now = kBegin;
  TrustingCluster cluster;
  FakePort port;
  Broker broker({.max_requests = 10, .local_admin = true});
  broker.set_cluster(cluster);
  Broker::Client* const client = broker.connect(port, "a node", true);
  const auto say = [&](const ToBroker& message) {
    broker.on_message(client, told(serialise(message)), now);
  };
  for (int i = 0; i < 10; ++i) {
    say(Admin{.action = AdminAction::kStats,
              .token = {},
              .room = {},
              .name = {},
              .reason = {},
              .after = {}});
  }
  say(Link{.node = "b", .token = "t"});
  say(Link{.node = "b", .token = "t"});
  EXPECT_FALSE(port.last<Linked>());
  for (int i = 0; i < 40; ++i) broker.poll(now += std::chrono::milliseconds(100));
  EXPECT_EQ(port.count<Linked>(), 1U);
  EXPECT_TRUE(port.closed);
  broker.disconnect(client, "closed", now);
}

}  // namespace
}  // namespace qps
