// Shows the policy as a table: what goes before what, by preference and role.
#include "media/live/adaptation_policy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace qvid::media {
namespace {

CodedUnit unit(std::uint8_t layer, std::int32_t needed_for, bool sync = false) {
  CodedUnit u;
  u.layer = layer;
  u.needed_for = needed_for;
  if (!sync) u.depends_on = {{1, layer}};
  return u;
}
// By rank: 0, 1, 2.
CodedUnit ranked(std::uint8_t layer, int rank) {
  return unit(layer, rank == 0 ? 30 : rank == 1 ? 1 : 0);
}

struct Row {
  Preference prefer;
  // Importance of ranks 0, 1 and 2.
  int base[3];
  int layer1[3];
  int layer7[3];
};
class Table : public testing::TestWithParam<Row> {};

TEST_P(Table, IsThis) {
  const AdaptationPolicy policy(GetParam().prefer);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(policy.importance(ranked(0, rank)), GetParam().base[rank]) << rank;
    EXPECT_EQ(policy.importance(ranked(1, rank)), GetParam().layer1[rank]) << rank;
    EXPECT_EQ(policy.importance(ranked(7, rank)), GetParam().layer7[rank]) << rank;
  }
  EXPECT_EQ(policy.importance(unit(0, 59, true)), 241);
  EXPECT_LT(policy.importance(unit(0, 59, true)), kHeaderImportance);
  EXPECT_LT(kHeaderImportance, kControlImportance);
}
INSTANTIATE_TEST_SUITE_P(
    AdaptationPolicy, Table,
    testing::Values(Row{Preference::kMotion, {240, 236, 232}, {216, 212, 208}, {72, 68, 64}},
                    Row{Preference::kDetail, {240, 176, 112}, {232, 168, 104}, {184, 120, 56}},
                    Row{Preference::kBalanced, {240, 216, 192}, {224, 200, 176}, {128, 104, 80}}),
    [](const auto& row) { return std::string(name_of(row.param.prefer)); });

TEST(AdaptationPolicy, MotionPutsEveryBaseUnitBeforeAnyEnhancement) {
  const AdaptationPolicy policy;
  for (std::uint8_t layer = 1; layer < kMaxUnits; ++layer) {
    EXPECT_GT(policy.importance(ranked(0, 2)), policy.importance(unit(layer, 59, true)));
  }
}

TEST(AdaptationPolicy, DetailPutsWholeFramesBeforeMoreFrames) {
  const AdaptationPolicy policy(Preference::kDetail);
  EXPECT_GT(policy.importance(ranked(7, 0)), policy.importance(ranked(0, 1)));
  EXPECT_GT(policy.importance(ranked(7, 1)), policy.importance(ranked(0, 2)));
}

TEST(AdaptationPolicy, BalancedTakesTurns) {
  const AdaptationPolicy policy(Preference::kBalanced);
  const std::vector<CodedUnit> order = {ranked(0, 0), ranked(1, 0), ranked(0, 1),
                                        ranked(1, 1), ranked(0, 2), ranked(1, 2)};
  for (std::size_t i = 1; i < order.size(); ++i) {
    EXPECT_GT(policy.importance(order[i - 1]), policy.importance(order[i])) << i;
  }
}

TEST(AdaptationPolicy, ALayerTooManyCountsAsTheLast) {
  const AdaptationPolicy policy;
  EXPECT_EQ(policy.importance(ranked(255, 0)), policy.importance(ranked(7, 0)));
}

TEST(AdaptationPolicy, PreferencesHaveNames) {
  for (const auto prefer : {Preference::kMotion, Preference::kDetail, Preference::kBalanced}) {
    EXPECT_EQ(parse_preference(name_of(prefer)), prefer);
  }
  EXPECT_FALSE(parse_preference("Motion"));
  EXPECT_FALSE(parse_preference(""));
}

}  // namespace
}  // namespace qvid::media
