// What an administrator has decided holds wherever one joins; and who is closed while it moves.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/pubsub/cluster/spanning_fixture.h"

namespace qps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct SpanningOrder : Spanning {
  Admin order(AdminAction action, const std::string& name = "") {
    Admin admin{
        .action = action, .token = {}, .room = "den", .name = name, .reason = {}, .after = {}};
    admin.on = true;
    return admin;
  }
  // As from an administrator of whichever node: done at a and at b.
  void done_at_both(const Admin& admin) {
    nodes["a"]->cluster.administer(admin);
    nodes["b"]->cluster.administer(admin);
    run(milliseconds(300));
  }
};

TEST_F(SpanningOrder, WhoIsHeldIsHeldAtTheNodeItMovesTo) {
  const auto ann = join("a", "Ann");
  auto bob = join("b", "Bob");
  bob->publish();
  run(milliseconds(300));
  done_at_both(order(AdminAction::kHold, "Bob"));
  bob->leave("its node is replaced");
  run(milliseconds(500));
  bob = join("a", "Bob");
  bob->publish();
  run(milliseconds(300));
  ASSERT_TRUE(ann->port.last<Member>());
  EXPECT_EQ(ann->port.last<Member>()->name, "Bob");
  EXPECT_EQ(ann->port.last<Member>()->held, (std::vector<std::string>{""}));
}

TEST_F(SpanningOrder, WhoIsBeingClosedMayMoveAllTheSame) {
  const auto ann = join("a", "Ann");
  Party before(broker("a"), now, "Bob", "den", {kKnowsOrder});
  run(milliseconds(400));
  before.say_text("no request");
  ASSERT_TRUE(before.port.closed);  // and its session has not ended yet
  EXPECT_TRUE(broker("a").show_far("b", "den", {.name = "Bob", .claim = 1'000'000}, now));
  run(milliseconds(400));
  EXPECT_FALSE(before.port.last<Removed>());
}

}  // namespace
}  // namespace qps
