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
  // As from an administrator of that node.
  void done_at(const std::string& node, const Admin& admin) {
    FakePort port;
    Broker::Client* const who = broker(node).connect(port, "an administrator", true);
    broker(node).on_message(who,
                            {.stream = paceline::kFirstStream,
                             .importance = {},
                             .position = {},
                             .payload = Payload::copy_of(std::string_view(serialise(admin)))},
                            now);
    run(milliseconds(300));
    ASSERT_TRUE(port.last<Answer>());
    EXPECT_EQ(port.last<Answer>()->error, "");
    broker(node).disconnect(who, "done", now);
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

TEST_F(SpanningOrder, ALockedRoomIsLockedWhereNobodyOfItIs) {
  const auto ann = join("a", "Ann");
  auto bob = join("b", "Bob");
  done_at("a", order(AdminAction::kLock));
  EXPECT_TRUE(ann->port.last<Locked>());
  ASSERT_TRUE(bob->port.last<Locked>());
  EXPECT_TRUE(bob->port.last<Locked>()->on);
  const auto eve = join("c", "Eve");
  ASSERT_TRUE(eve->port.last<JoinRefused>());
  EXPECT_NE(eve->port.last<JoinRefused>()->reason.find("is locked"), std::string::npos);
  // Who was in may come back at any node.
  bob->leave("its node is replaced");
  run(milliseconds(300));
  bob = join("c", "Bob");
  EXPECT_TRUE(bob->port.last<Joined>());
  // And so may everybody when it is open again, wherever that was said.
  Admin open = order(AdminAction::kLock);
  open.on = false;
  done_at("c", open);
  EXPECT_FALSE(ann->port.last<Locked>()->on);
  const auto ida = join("b", "Ida");
  EXPECT_TRUE(ida->port.last<Joined>());
}

TEST_F(SpanningOrder, WhoIsKickedFromALockedRoomIsLetInNowhere) {
  const auto ann = join("a", "Ann");
  const auto bob = join("b", "Bob");
  done_at("a", order(AdminAction::kLock));
  done_at("a", order(AdminAction::kKick, "Bob"));
  ASSERT_TRUE(bob->port.last<Removed>());
  bob->leave("kicked");
  run(milliseconds(300));
  const auto again = join("c", "Bob");
  EXPECT_TRUE(again->port.last<JoinRefused>());
}

TEST_F(SpanningOrder, ALockThatIsSaidWhileTheStoreIsAwayHoldsWhenItIsBack) {
  const auto ann = join("a", "Ann");
  nodes["a"]->reached = false;
  done_at("a", order(AdminAction::kLock));
  EXPECT_EQ(nodes["b"]->cluster.directory().let_in("den"), nullptr);
  nodes["a"]->reached = true;
  run(seconds(3));
  ASSERT_NE(nodes["b"]->cluster.directory().let_in("den"), nullptr);
  const auto eve = join("b", "Eve");
  EXPECT_TRUE(eve->port.last<JoinRefused>());
}

// The news of a lock may be slower than the claim of a name.
TEST_F(SpanningOrder, WhoCameInAfterTheLockIsPutOut) {
  const auto ann = join("a", "Ann");
  const auto bob = join("b", "Bob");
  const auto before = nodes["b"]->cluster.directory().names().at("den").at("Bob").revision;
  broker("b").lock_as_elsewhere("den", std::set<std::string>{"Ann"}, before + 1, now);
  run(milliseconds(300));
  EXPECT_FALSE(bob->port.last<Removed>());
  broker("b").lock_as_elsewhere("den", std::nullopt, before + 2, now);
  broker("b").lock_as_elsewhere("den", std::set<std::string>{"Ann"}, before - 1, now);
  run(milliseconds(300));
  EXPECT_TRUE(bob->port.last<Removed>());
  EXPECT_FALSE(ann->port.last<Removed>());
}

TEST_F(SpanningOrder, TheLockOfARoomThatHasEndedEnds) {
  const auto ann = join("a", "Ann");
  done_at("a", order(AdminAction::kLock));
  ann->leave("goes home");
  run(seconds(5));
  EXPECT_TRUE(join("b", "Eve")->port.last<JoinRefused>());
  run(seconds(12));
  EXPECT_EQ(nodes["c"]->cluster.directory().let_in("den"), nullptr);
  EXPECT_TRUE(join("b", "Eve")->port.last<Joined>());
}

TEST_F(SpanningOrder, ALockOutlivesAStoreThatIsLost) {
  const auto ann = join("a", "Ann");
  done_at("a", order(AdminAction::kLock));
  store.lose_all();
  for (auto& [name, node] : nodes) node->connected = false;
  run(seconds(3));
  EXPECT_FALSE(ann->port.last<Removed>());
  ASSERT_NE(nodes["c"]->cluster.directory().let_in("den"), nullptr);
  EXPECT_TRUE(join("c", "Eve")->port.last<JoinRefused>());
}

}  // namespace
}  // namespace qps
