// Many nodes and one directory in virtual time.
#include "lab/load/cluster_simulation.h"

#include <gtest/gtest.h>

namespace qvid::lab {
namespace {

TEST(ClusterSimulation, ServersThatHaveTimeLetEverybodyIn) {
  const ClusterOutcome o = simulate(
      {.nodes = 20,
       .members = 100,
       .joins = 20,
       .duration = 5s,
       .costs = {.write = std::chrono::microseconds(50), .tell = std::chrono::microseconds(5)}});
  EXPECT_NEAR(static_cast<double>(o.claims.count()), 100, 3);
  EXPECT_LE(o.claims.most(), 100ms);
  EXPECT_EQ(o.refused, 0);
  EXPECT_EQ(o.silent, 0);
  EXPECT_EQ(o.most_dead, 0);
  EXPECT_EQ(o.lost, 0);
  // Twenty nodes' leases, twenty names that come and twenty that go a second, told to twenty.
  EXPECT_NEAR(o.told, (20 / .875 + 40) * 20, 60);
  EXPECT_NEAR(o.busy, (20 / .875 + 40) * (50e-6 + 20 * 5e-6), .001);
  EXPECT_LT(o.back, 2s);
}

TEST(ClusterSimulation, ServersThatAreTooSlowAreNoticed) {
  const ClusterOutcome o =
      simulate({.nodes = 20,
                .members = 20,
                .joins = 5,
                .duration = 10s,
                .costs = {.tell = 5ms}});  // 30 changes a second, told to twenty
  EXPECT_GT(o.busy, 1);
  EXPECT_GT(o.silent, .1);
  EXPECT_GT(o.refused, 0);
}

}  // namespace
}  // namespace qvid::lab
