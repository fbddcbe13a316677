#include "pubsub/broker/item_order.h"

#include <gtest/gtest.h>

#include <random>

namespace qps {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

struct ItemOrderTest : testing::Test {
  static PartId part(std::int64_t item, std::uint8_t number = 0) { return {item, number}; }
  void come(PartId id, std::vector<Dependency> needs, std::uint8_t fragment = 0,
            std::uint8_t fragments = 1) {
    ItemOrder::Fragment f{.id = {.part = id, .fragment = fragment},
                          .payload = Payload::copy_of("text"),
                          .size = ByteCount(4),
                          .envelope = {},
                          .came = now};
    if (fragment == 0) {
      f.envelope.emplace();
      f.envelope->fragments = fragments;
      f.envelope->depends_on = std::move(needs);
    }
    order.add(std::move(f));
    while (auto next = order.next(log, now)) {
      given.push_back(next->id);
      if (next->envelope) log.note(next->id.part, {.envelope = *next->envelope});
    }
  }
  std::vector<std::int64_t> items() const {
    std::vector<std::int64_t> all;
    for (const FragmentId& id : given) all.push_back(id.part.item);
    return all;
  }
  ItemOrder order;
  ItemLog log;
  std::vector<FragmentId> given;
  Timestamp now{std::chrono::seconds(5)};
};

TEST_F(ItemOrderTest, WhatNeedsNothingThatIsMissingIsGivenAtOnce) {
  come(part(100), {{.items_back = 3, .part = 0}});  // nobody here knows what was before
  come(part(101), {{.items_back = 1, .part = 0}});
  come(part(103), {});
  EXPECT_EQ(items(), (std::vector<std::int64_t>{100, 101, 103}));
}

TEST_F(ItemOrderTest, WhatCameTooEarlyWaitsForWhatItNeeds) {
  come(part(0), {});
  come(part(2), {{.items_back = 1, .part = 0}});
  come(part(3), {{.items_back = 1, .part = 0}});
  EXPECT_EQ(items(), (std::vector<std::int64_t>{0}));
  come(part(1), {{.items_back = 1, .part = 0}});
  EXPECT_EQ(items(), (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(order.waiting(), 0u);
}

TEST_F(ItemOrderTest, AFragmentWaitsForTheFirstOfItsPart) {
  come(part(0), {});
  come(part(1), {}, 2, 3);
  come(part(1), {}, 1, 3);
  EXPECT_EQ(given.size(), 1u);
  come(part(1), {{.items_back = 1, .part = 0}}, 0, 3);
  ASSERT_EQ(given.size(), 4u);
  EXPECT_EQ(given[1].fragment, 0);
}

TEST_F(ItemOrderTest, NothingWaitsForLong) {
  come(part(0), {});
  come(part(2), {{.items_back = 1, .part = 0}});
  now += ItemOrder::kPatience;
  come(part(5), {});
  EXPECT_EQ(items(), (std::vector<std::int64_t>{0, 2, 5}));
}

TEST_F(ItemOrderTest, WhatLaterOnesDidWithoutIsLeftOut) {
  come(part(0), {});
  come(part(2), {{.items_back = 1, .part = 0}});  // 1 is lost
  come(part(3), {{.items_back = 1, .part = 0}});
  come(part(4), {{.items_back = 4, .part = 0}});  // refers to what is there
  now += ItemOrder::kPatience;
  come(part(5), {{.items_back = 1, .part = 0}});
  EXPECT_EQ(items(), (std::vector<std::int64_t>{0, 4, 5}));
  EXPECT_EQ(order.waiting(), 0u);
}

TEST_F(ItemOrderTest, NoMoreWaitThanTheBound) {
  come(part(0), {});
  for (int i = 2; i < 400; ++i) come(part(i), {{.items_back = 1, .part = 1}});
  EXPECT_LE(order.waiting(), ItemOrder::kMost);
}

// However a stretch is shuffled, everything is given out, and nothing before what it needs.
TEST_F(ItemOrderTest, AnyOrderBecomesOneThatCanBeJudged) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    order = {};
    log = {};
    given.clear();
    come(part(0), {});
    std::vector<std::int64_t> rest(40);
    for (int i = 0; i < 40; ++i) rest[static_cast<std::size_t>(i)] = i + 1;
    for (std::size_t i = 0; i + 1 < rest.size(); ++i) {
      std::swap(rest[i], rest[std::min(rest.size() - 1, i + random() % 6)]);
    }
    for (const std::int64_t item : rest) come(part(item), {{.items_back = 1, .part = 0}});
    ASSERT_EQ(given.size(), 41u);
    for (std::int64_t i = 0; i <= 40; ++i) ASSERT_EQ(items()[static_cast<std::size_t>(i)], i);
  }
}

}  // namespace
}  // namespace qps
