// Shows that units under way are found by unit and by message, whatever ends first.
#include "media/live/units_under_way.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace qvid::media {
namespace {

UnitKey layer_of(std::int64_t frame, std::uint8_t layer) { return {FrameNumber(frame), layer}; }

TEST(UnitsUnderWay, WhatWasNotHandedOnEndsAtOnce) {
  UnitsUnderWay units;
  units.add(layer_of(1, 0));
  EXPECT_TRUE(units.contains(layer_of(1, 0)));
  EXPECT_FALSE(units.message_of(layer_of(1, 0)));
  EXPECT_FALSE(units.take(UnitsUnderWay::kNotHandedOn - 1));
  units.end(layer_of(1, 0));
  EXPECT_FALSE(units.contains(layer_of(1, 0)));
  EXPECT_TRUE(units.all().empty());
}

TEST(UnitsUnderWay, WhatIsOverIsKnownUntilItsMessageEnds) {
  UnitsUnderWay units;
  units.add(layer_of(1, 0));
  units.hand_on(layer_of(1, 0), 70, 7);
  units.end(layer_of(1, 0));
  EXPECT_FALSE(units.contains(layer_of(1, 0)));
  EXPECT_TRUE(units.all().empty());
  const auto ended = units.take(70);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->unit, layer_of(1, 0));
  EXPECT_EQ(ended->ticket, 7u);
  EXPECT_FALSE(units.take(70));
}

TEST(UnitsUnderWay, AgreesWithTwoMaps) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    UnitsUnderWay units;
    std::map<UnitKey, std::uint64_t> message_of;
    std::map<std::uint64_t, UnitKey> unit_of;
    std::vector<std::uint64_t> messages;
    for (std::int64_t frame = 0; frame < 300; ++frame) {
      for (std::uint8_t layer = 0; layer < 2; ++layer) {
        const UnitKey unit = layer_of(frame, layer);
        units.add(unit);
        if (random() % 10 == 0) {  // refused
          units.end(unit);
          continue;
        }
        // A session numbers as it likes: the slots of messages that have ended are used again.
        const std::uint64_t message = random() % 8 << 32 | messages.size();
        messages.push_back(message);
        units.hand_on(unit, message, message + 1);
        message_of[unit] = message;
        unit_of[message] = unit;
      }
      while (random() % 5 < 3 && !unit_of.empty()) {
        const std::uint64_t which = messages[random() % messages.size()];
        const auto ended = units.take(which);
        const auto it = unit_of.find(which);
        ASSERT_EQ(ended.has_value(), it != unit_of.end());
        if (!ended) continue;
        EXPECT_EQ(ended->unit, it->second);
        EXPECT_EQ(ended->ticket, which + 1);
        message_of.erase(it->second);
        unit_of.erase(it);
      }
      const UnitKey asked = layer_of(frame - static_cast<std::int64_t>(random() % 20), 1);
      const auto it = message_of.find(asked);
      ASSERT_EQ(units.contains(asked), it != message_of.end());
      if (it != message_of.end()) {
        EXPECT_EQ(units.message_of(asked), it->second);
      }
    }
    EXPECT_EQ(units.all().size(), message_of.size());
  }
}

}  // namespace
}  // namespace qvid::media
