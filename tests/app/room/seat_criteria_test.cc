#include "app/room/seat_criteria.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace qvid::app {
namespace {

TEST(SeatCriteria, NobodyIsTheBrokersOwnOrder) { EXPECT_EQ(criteria_for({}), ""); }

TEST(SeatCriteria, NamesAreQuoted) {
  EXPECT_EQ(criteria_for({"Ann", "O'Neil"}), "ORDER BY name IN ('Ann','O''Neil') DESC");
}

TEST(SeatCriteria, ItIsNoLongerThanABrokerTakes) {
  const std::string criteria = criteria_for(std::vector<std::string>(64, std::string(64, '\'')));
  EXPECT_LE(criteria.size(), qps::kMaxCriterion);
  EXPECT_GT(criteria.size(), qps::kMaxCriterion - 140);
  EXPECT_TRUE(criteria.ends_with("') DESC"));
}

}  // namespace
}  // namespace qvid::app
