// What a cluster of brokers carries: against rooms that are counted by hand.
#include "app/broker/capacity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/pubsub/cluster/spanning_fixture.h"

namespace qvid::app {
namespace {

const CapacityCosts kCosts{.part_us = 10,
                           .gbit_s = 1,
                           .node_memory = 50_MiB,
                           .client_memory = 1_MiB,
                           .news_us = 5,
                           .write_us = 100,
                           .tell_us = 4};

double used(const Capacity& c, const std::string& what) {
  for (const CapacityUse& use : c.uses) {
    if (use.what == what) return use.used;
  }
  ADD_FAILURE() << "nothing is said of " << what;
  return 0;
}

TEST(Capacity, ARoomOfNineOnOneNode) {
  const Capacity c = capacity_of({.publishers = 9, .rate = DataRate::from_kbps(1000)}, {}, kCosts);
  EXPECT_DOUBLE_EQ(used(c, "line in"), 9);
  EXPECT_DOUBLE_EQ(used(c, "line out"), 9 * 8);
  // 81 tracks in and out, of 120 parts and a megabit each.
  EXPECT_DOUBLE_EQ(used(c, "processor"), 81 * (120 * 10e-6 + 1e-3));
  EXPECT_DOUBLE_EQ(used(c, "memory"), 50 + 9);
  EXPECT_EQ(c.told, 0);
  EXPECT_EQ(c.copies, 0);
  for (const CapacityUse& use : c.uses) EXPECT_FALSE(use.what.starts_with("directory")) << use.what;
}

// As in tests/e2e: a fragment crosses a pair of nodes once, whoever watches behind.
TEST(Capacity, OneWhoIsWatchedOnThreeNodes) {
  const Capacity c =
      capacity_of({.publishers = 1, .viewers = 299}, {.nodes = 3, .regions = 3}, kCosts);
  EXPECT_DOUBLE_EQ(c.copies, 2);
  EXPECT_DOUBLE_EQ(c.link_mbps, 2);
  EXPECT_DOUBLE_EQ(c.between_regions_mbps, 2);
  EXPECT_DOUBLE_EQ(c.links, 2);
  EXPECT_NEAR(used(c, "line out"), 299.0 / 3 + 2.0 / 3, 1e-9);
  EXPECT_NEAR(used(c, "clients and links"), 102, 1e-9);
}

TEST(Capacity, OfManyWhoShowThemselvesThoseWatchedCross) {
  const RoomShape few{.publishers = 100, .watched = 1};
  const ClusterShape two{.nodes = 2};
  // 50 members at a node watch one of a hundred each: some 39 different ones, half of them there.
  EXPECT_NEAR(capacity_of(few, two, kCosts).link_mbps, 100 * (1 - std::pow(.99, 50)), 1e-3);
  const RoomShape all{.publishers = 100};
  EXPECT_DOUBLE_EQ(capacity_of(all, two, kCosts).link_mbps, 100);
}

TEST(Capacity, ARoomIsOnNoMoreNodesThanItHasMembers) {
  const Capacity c = capacity_of({.publishers = 2}, {.rooms = 1000, .nodes = 100}, kCosts);
  EXPECT_EQ(c.spread, 2);
  EXPECT_DOUBLE_EQ(c.copies, 1);
  // A node has twenty rooms; in each there is one other node, sometimes the same.
  EXPECT_NEAR(c.links, 18, 1);
}

TEST(Capacity, LeasesGrowWithTheSquareOfFewNodesAndWithTheNumberOfMany) {
  const auto told = [](double nodes) {
    return capacity_of({}, {.nodes = nodes, .joins = 0}, kCosts).told;
  };
  EXPECT_DOUBLE_EQ(told(10), 10 * 10 / .875);
  EXPECT_DOUBLE_EQ(told(1000), 200 * 1000 / .875);
  const Capacity many = capacity_of({}, {.nodes = 1000, .joins = 0}, kCosts);
  EXPECT_DOUBLE_EQ(used(many, "directory: servers"), 200 / .875 * (100e-6 + 1000 * 4e-6));
}

TEST(Capacity, ATreeOfFourReachesFiveNodesInAHopAndTwentyOneInTwo) {
  const auto hops = [](double nodes) {
    return capacity_of({.publishers = 1, .viewers = 1000}, {.nodes = nodes}, kCosts).tree_hops;
  };
  EXPECT_EQ(hops(1), 0);
  EXPECT_EQ(hops(5), 1);
  EXPECT_EQ(hops(6), 2);
  EXPECT_EQ(hops(21), 2);
  EXPECT_EQ(hops(22), 3);
}

TEST(Capacity, WhatDoesNotFitTogetherIsSaid) {
  EXPECT_EQ(check_capacity({}, {}), "");
  EXPECT_NE(check_capacity({.publishers = 0}, {}).find("--viewers"), std::string::npos);
  EXPECT_NE(check_capacity({}, {.nodes = 2, .spread = 3}).find("spread"), std::string::npos);
  EXPECT_NE(check_capacity({}, {.nodes = 2, .regions = 3}).find("regions"), std::string::npos);
  EXPECT_NE(check_capacity({.viewers = 1e6}, {.rooms = 1e6}).find("more than"), std::string::npos);
}

TEST(Capacity, NobodyWhoShowsHimselfCostsNoLine) {
  const Capacity c = capacity_of({.publishers = 0, .viewers = 20}, {.nodes = 2}, kCosts);
  EXPECT_EQ(used(c, "line out"), 0);
  EXPECT_EQ(c.copies, 0);
}

// The product's broker and cluster, and what is calculated of them.
class CapacityOfBrokers : public qps::Spanning {};

TEST_F(CapacityOfBrokers, ThreeHundredViewersCostEachLinkWhatIsCalculated) {
  const auto ann = join("a", "Ann");
  ann->publish();
  std::vector<std::unique_ptr<qps::Party>> viewers;
  for (int i = 0; i < 300; ++i) {
    const char* const node[] = {"a", "b", "c"};
    viewers.push_back(std::make_unique<qps::Party>(broker(node[i % 3]), now,
                                                   "viewer " + std::to_string(i), "den"));
    if (i % 10 == 0) run(100ms);  // no more join at once than a broker lets in
  }
  run(2s);
  for (const auto& viewer : viewers) viewer->watch({"Ann"});
  run(1s);
  crossed.clear();
  constexpr int kItems = 10, kParts = 4;
  for (int item = 0; item < kItems; ++item) {
    for (int part = 0; part < kParts; ++part) ann->item(item, static_cast<std::uint8_t>(part));
    run(50ms);
    for (const auto& viewer : viewers) viewer->end_all();
  }
  const Capacity c = capacity_of({.publishers = 1, .viewers = 300}, {.nodes = 3}, kCosts);
  int all = 0;
  for (const auto& [ends, fragments] : crossed) {
    EXPECT_EQ(fragments, kItems * kParts) << ends.first << " sees who is at " << ends.second;
    all += fragments;
  }
  EXPECT_DOUBLE_EQ(all, c.copies * kItems * kParts);
}

}  // namespace
}  // namespace qvid::app
