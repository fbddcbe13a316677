// A load test's parts that decide: who watches whom, what is sent, and what is counted.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "lab/load/load_plan.h"
#include "lab/load/load_report.h"

namespace qvid::lab {
namespace {

Timestamp at(Duration d) { return Timestamp(1h + d); }

TEST(LoadPlan, SpreadsSubscribersOverRoomsAndPublishers) {
  const auto plan = plan_load({.publishers = 3, .subscribers = 12, .rooms = 2, .seats = 2});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->publishers.size(), 6u);
  ASSERT_EQ(plan->subscribers.size(), 12u);
  for (const auto& publisher : plan->publishers) EXPECT_EQ(publisher.viewers, 4u);
  for (const auto& subscriber : plan->subscribers) {
    ASSERT_EQ(subscriber.watches.size(), 2u);
    EXPECT_NE(subscriber.watches[0], subscriber.watches[1]);
    for (const std::size_t publisher : subscriber.watches) {
      EXPECT_EQ(plan->publishers[publisher].room, subscriber.room);
    }
  }
}

TEST(LoadPlan, TakesAsManyRoomsAsAreNeeded) {
  const auto plan = plan_load({.publishers = 1, .subscribers = 1000, .rooms = 0, .seats = 0});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->rooms, 5u);
  std::map<std::size_t, std::size_t> members;
  for (const auto& publisher : plan->publishers) ++members[publisher.room];
  for (const auto& subscriber : plan->subscribers) ++members[subscriber.room];
  for (const auto& [room, count] : members) EXPECT_LE(count, kMostRoomMembers);
}

TEST(LoadPlan, SaysWhichOptionIsWrong) {
  const std::pair<LoadRequest, std::string> bad[] = {
      {{.publishers = 0, .subscribers = 1, .rooms = 0, .seats = 1}, "--publishers"},
      {{.publishers = 1, .subscribers = 0, .rooms = 0, .seats = 1}, "--subscribers"},
      {{.publishers = 250, .subscribers = 1, .rooms = 0, .seats = 1}, "--publishers 250"},
      {{.publishers = 1, .subscribers = 1000, .rooms = 4, .seats = 1}, "at least 5"},
      {{.publishers = 1, .subscribers = 2, .rooms = 3, .seats = 1}, "--rooms 3"},
      {{.publishers = 1, .subscribers = 20'000, .rooms = 0, .seats = 1}, "20000"},
      {{.publishers = 200, .subscribers = 2, .rooms = 1, .seats = 0}, "--seats"}};
  for (const auto& [request, text] : bad) {
    const auto plan = plan_load(request);
    ASSERT_FALSE(plan) << text;
    EXPECT_NE(plan.error().message.find(text), std::string::npos) << plan.error().message;
  }
}

TEST(LoadPattern, SendsTheRateInLayers) {
  const FrameRate items{.numerator = 30, .denominator = 1};
  LoadPattern pattern(DataRate::from_bps(1'000'000), items);
  std::array<std::size_t, LoadPattern::kLayers> bytes{};
  for (int i = 0; i < 300; ++i) {
    const LoadPattern::Item item = pattern.next(at(items.time_of(i)));
    EXPECT_EQ(item.number, i);
    for (std::size_t layer = 0; layer < bytes.size(); ++layer) {
      bytes[layer] += item.parts[layer].size;
    }
  }
  // 10 s
  EXPECT_NEAR(static_cast<double>(bytes[0] + bytes[1] + bytes[2] + bytes[3]), 1'250'000, 1);
  for (std::size_t layer = 0; layer < bytes.size(); ++layer) {
    EXPECT_NEAR(static_cast<double>(bytes[layer]), LoadPattern::kShares[layer] * 1'250'000, 1000);
  }
}

TEST(LoadPattern, BeginsEveryTwoSecondsAndWhenAsked) {
  const FrameRate items{.numerator = 10, .denominator = 1};
  LoadPattern pattern(DataRate::from_bps(500'000), items);
  std::vector<int> beginnings;
  for (int i = 0; i < 50; ++i) {
    if (i == 27) pattern.request_begin();
    const LoadPattern::Item item = pattern.next(at(items.time_of(i)));
    const qps::Envelope& base = item.parts[0].envelope;
    if (base.begins) beginnings.push_back(i);
    EXPECT_EQ(base.depends_on.empty(), base.begins);
    EXPECT_TRUE(base.vital);
    EXPECT_EQ(base.due, at(items.time_of(i)));
    for (std::size_t layer = 1; layer < LoadPattern::kLayers; ++layer) {
      const qps::Envelope& detail = item.parts[layer].envelope;
      EXPECT_EQ(detail.begins, base.begins);
      EXPECT_LT(detail.importance, item.parts[layer - 1].envelope.importance);
      ASSERT_EQ(detail.depends_on.size(), 1u);
      EXPECT_EQ(detail.depends_on[0],
                (qps::Dependency{.items_back = 0, .part = static_cast<std::uint8_t>(layer - 1)}));
    }
  }
  EXPECT_EQ(beginnings, (std::vector{0, 20, 27, 47}));
}

TEST(LoadStatistics, CountsWhatWasSentWhileItWasMeasured) {
  LoadStatistics s;
  s.on_item(at(0s), 2);  // the warm-up
  s.on_part(0, 0, at(0s), 100_B, at(1s));
  EXPECT_EQ(s.parts(), 0);
  s.begin(at(1s));
  for (int i = 0; i < 4; ++i) s.on_item(at(1s + i * 1ms), 2);
  for (int i = 0; i < 4; ++i) {
    for (std::size_t viewer = 0; viewer < 2; ++viewer) {
      s.on_part(viewer, 0, at(1s + i * 1ms), 100_B, at(1s + i * 1ms + 10ms));
    }
    s.on_part(0, 1, at(1s + i * 1ms), 50_B, at(1s + i * 1ms + 20ms));
  }
  s.end(at(2s));
  s.on_item(at(2s), 2);
  s.on_part(0, 0, at(2s), 100_B, at(3s));
  s.on_part(0, 7, at(1s), 100_B, at(3s));  // another's, in the same room
  EXPECT_EQ(s.parts(), 12);
  EXPECT_EQ(s.bytes(), 1000_B);
  EXPECT_DOUBLE_EQ(s.lost(0), 0);
  EXPECT_DOUBLE_EQ(s.lost(1), 0.5);
  EXPECT_DOUBLE_EQ(s.lost(2), 1);
  EXPECT_DOUBLE_EQ(s.lost(), 20.0 / 32);
  EXPECT_EQ(s.base().most(), 10ms);
  EXPECT_EQ(s.all().most(), 20ms);
}

TEST(LoadStatistics, TellsTheLongestGapOfAnyViewer) {
  LoadStatistics s;
  const auto base = [&](std::size_t viewer, Duration when) {
    s.on_part(viewer, 0, at(when), 100_B, at(when));
  };
  base(0, 0s);
  base(1, 0s);
  base(0, 5s);  // the warm-up
  EXPECT_EQ(s.longest_gap(), 0s);
  s.begin(at(10s));
  base(1, 10s + 300ms);
  EXPECT_EQ(s.longest_gap(), 300ms) << "what was before does not count";
  base(0, 10s + 200ms);
  s.on_part(1, 1, at(11s), 100_B, at(11s));  // no base
  base(1, 11s);
  EXPECT_EQ(s.longest_gap(), 700ms);
  s.end(at(12s));
  EXPECT_EQ(s.longest_gap(), 1800ms) << "the other got no more";
  base(0, 20s);  // beyond
  base(1, 20s);
  EXPECT_EQ(s.longest_gap(), 1800ms);
}

TEST(LoadReport, TellsWhetherMemoryGrows) {
  LoadReport r;
  for (int i = 0; i < 8; ++i) {
    // What a broker needs once all are there, and 1 % more towards the end.
    const int resident = i < 2 ? 10 : i < 6 ? 100 : 101;
    r.memory.push_back({.at = std::chrono::seconds(i),
                        .resident = ByteCount::of(static_cast<std::size_t>(resident))});
  }
  EXPECT_NEAR(r.memory_growth(), 0.01, 1e-9);
  r.memory.pop_back();
  EXPECT_EQ(r.memory_growth(), 0) << "too few to tell";
}

TEST(LoadReport, DerivesWhatACoreWouldTake) {
  LoadReport r;
  r.measured = 10s;
  r.bytes = ByteCount(250'000'000);  // 200 Mbit/s
  EXPECT_EQ(r.viewers_per_core(), 0);
  r.broker = {.pid = 1, .cpu = 0.25, .resident = {}, .resident_each = {}};
  EXPECT_DOUBLE_EQ(r.cpu_per_gbit(), 1.25);
  EXPECT_DOUBLE_EQ(r.viewers_per_core(), 800);
  EXPECT_EQ(json_of(r)["broker"]["viewers_per_core"], 800.0);
  EXPECT_NE(text_of(r).find("800 viewers"), std::string::npos) << text_of(r);
}

}  // namespace
}  // namespace qvid::lab
