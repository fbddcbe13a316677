// Whose place a newcomer takes among those that have not greeted.
#include "transport/session/greeting_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "transport/socket/address_group.h"

namespace paceline {
namespace {

using Guest = GreetingPlaces::Guest;

struct GreetingPlacesTest : testing::Test {
  // Comes in, whoever has to go for it; empty: it may not.
  std::optional<Guest> come(const std::string& host, bool known = false) {
    const std::string group = address_group(host);
    const auto room = places.make_room(group, known, now);
    if (!room.is_there) return std::nullopt;
    if (room.leaves) {
      gone.push_back(*room.leaves);
      places.remove(*room.leaves);
    }
    return places.add(group, known, now);
  }
  explicit GreetingPlacesTest(qvid::Duration undisturbed = {})
      : places({.all = 10, .each = 4, .kept = 3, .undisturbed = undisturbed}) {}
  GreetingPlaces places;
  qvid::Timestamp now{std::chrono::seconds(1)};
  std::vector<Guest> gone;
};

TEST_F(GreetingPlacesTest, OneAddressLosesItsOwnOldest) {
  const auto other = come("192.0.2.9");
  const auto first = come("192.0.2.1");
  for (int i = 0; i < 3; ++i) come("192.0.2.1");
  EXPECT_TRUE(gone.empty());
  EXPECT_TRUE(come("192.0.2.1"));
  EXPECT_EQ(gone, std::vector{*first});
  EXPECT_EQ(places.size(), 5u);
  EXPECT_TRUE(other);
}

TEST_F(GreetingPlacesTest, ABlockOfIpv6IsOneAddress) {
  const auto first = come("2001:db8::1");
  for (int i = 2; i < 6; ++i) come("2001:db8::" + std::to_string(i));
  EXPECT_EQ(gone, std::vector{*first});
  EXPECT_EQ(address_group("2001:db8:0:0:ffff::1"), address_group("2001:db8::2"));
  EXPECT_NE(address_group("2001:db8:0:1::1"), address_group("2001:db8::1"));
  EXPECT_EQ(address_group("::ffff:192.0.2.1"), "192.0.2.1");
}

TEST_F(GreetingPlacesTest, WhoHasTheMostLosesOneWhenAllAreTaken) {
  const auto honest = come("192.0.2.1");
  const auto first = come("192.0.2.2");
  for (int i = 0; i < 3; ++i) come("192.0.2.2");
  for (int i = 0; i < 2; ++i) come("192.0.2.3");
  EXPECT_TRUE(gone.empty());
  EXPECT_TRUE(come("192.0.2.4"));
  EXPECT_EQ(gone, std::vector{*first});
  EXPECT_NE(first, honest);
}

TEST_F(GreetingPlacesTest, SomeAreKeptForThoseThatHoldSessions) {
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(come("192.0.2." + std::to_string(i)));
  EXPECT_EQ(places.size(), 7u);
  const auto before = gone.size();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(come("198.51.100.1", true));
  EXPECT_EQ(gone.size(), before);
  EXPECT_EQ(places.size(), 10u);
  // Beyond these, too, strangers give way to them.
  const auto known = come("198.51.100.2", true);
  EXPECT_EQ(gone.size(), before + 1);
  for (int i = 0; i < 30; ++i) come("203.0.113." + std::to_string(i));
  EXPECT_EQ(std::ranges::count(gone, *known), 0);
  EXPECT_LE(places.size(), 10u);
}

TEST_F(GreetingPlacesTest, WhoHasGreetedStays) {
  const auto first = come("192.0.2.1");
  places.keep(*first);
  const auto second = come("192.0.2.1");
  for (int i = 0; i < 3; ++i) come("192.0.2.1");
  EXPECT_EQ(gone, std::vector{*second});
  for (Guest guest = 1; guest < 20; ++guest) places.keep(guest);
  EXPECT_FALSE(come("192.0.2.1"));
}

struct GreetingHerdTest : GreetingPlacesTest {
  GreetingHerdTest() : GreetingPlacesTest(std::chrono::milliseconds(100)) {}
};

// A server's clients that all come back at once: who was first is heard, and not put out by the rest.
TEST_F(GreetingHerdTest, NobodyGoesBeforeHeHasHadTimeToGreet) {
  const auto first = come("192.0.2.1");
  now += std::chrono::milliseconds(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(come("192.0.2.1"));
  now += std::chrono::milliseconds(98);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(come("192.0.2.1"));
  for (int i = 0; i < 20; ++i) come("192.0.2." + std::to_string(10 + i));
  EXPECT_TRUE(gone.empty());
  EXPECT_EQ(places.size(), 7u);
  now += std::chrono::milliseconds(1);
  EXPECT_TRUE(come("192.0.2.1"));
  EXPECT_EQ(gone, std::vector{*first});
  // Who has greeted makes room at once.
  EXPECT_FALSE(come("192.0.2.1", true));
  places.remove(*first + 1);
  EXPECT_TRUE(come("192.0.2.1", true));
}

}  // namespace
}  // namespace paceline
