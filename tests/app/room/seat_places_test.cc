// Which place of its window each seat has, while a party moves from one membership to another.
#include "app/room/seat_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace qvid::app {
namespace {

using Of = SeatPlaces::Of;
constexpr std::uint32_t kViewer = 1;

qps::Seat seat(int number, const std::string& name) {
  return {.viewer = kViewer, .seat = number, .name = name, .about = {}};
}

class Places : public testing::Test {
 protected:
  // "2: Ann"; empty: nothing is shown anew.
  static std::string text(const std::optional<qps::Seat>& shown) {
    return shown ? std::to_string(shown->seat) + ": " + shown->name : "";
  }
  std::string on_seat(int number, const std::string& name, Of of = Of::kNow) {
    return text(places_.on_seat(seat(number, name), of));
  }
  // Where a part of that seat goes, and whom it begins to show; -1: nowhere.
  std::pair<int, std::string> on_part(int number, Of of = Of::kNow) {
    const auto part = places_.on_part(kViewer, number, of);
    return part ? std::pair(part->place, text(part->show)) : std::pair(-1, std::string());
  }
  std::vector<std::string> settle() {
    std::vector<std::string> all;
    for (const qps::Seat& each : places_.settle()) all.push_back(text(each));
    return all;
  }
  using At = std::pair<int, std::string>;

  SeatPlaces places_;
};

TEST_F(Places, AreTheSeatsOwnWhereNobodyMoves) {
  EXPECT_EQ(on_seat(0, "Ann"), "0: Ann");
  EXPECT_EQ(on_seat(2, "Bob"), "2: Bob");
  EXPECT_EQ(on_part(2), At(2, ""));
  EXPECT_EQ(on_seat(2, "Cid"), "2: Cid");
  EXPECT_EQ(on_seat(2, ""), "2: ");
  EXPECT_EQ(on_part(1), At(-1, ""));
  EXPECT_EQ(on_part(0, Of::kFormer), At(-1, ""));
  EXPECT_TRUE(places_.has_moved());
}

TEST_F(Places, GoOnWithTheFormerMembershipUntilTheNewOneBegins) {
  on_seat(0, "Ann");
  on_seat(1, "Bob");
  places_.moved();
  EXPECT_EQ(on_part(0, Of::kFormer), At(0, ""));
  // Told in another order: everybody stays where he is seen.
  EXPECT_EQ(on_seat(0, "Bob"), "");
  EXPECT_EQ(on_seat(1, "Ann"), "");
  EXPECT_EQ(on_part(1, Of::kFormer), At(1, ""));
  EXPECT_FALSE(places_.has_moved(kViewer));
  EXPECT_EQ(on_part(0), At(1, "1: Bob"));
  EXPECT_EQ(on_part(0), At(1, ""));
  EXPECT_EQ(on_part(1, Of::kFormer), At(-1, ""));  // of Bob, who comes from there now
  EXPECT_EQ(on_part(0, Of::kFormer), At(0, ""));
  EXPECT_EQ(on_part(1), At(0, "0: Ann"));
  EXPECT_TRUE(places_.has_moved(kViewer));
  EXPECT_TRUE(settle().empty());
  EXPECT_EQ(on_part(1), At(0, ""));
  EXPECT_EQ(on_seat(1, "Cid"), "0: Cid");
}

TEST_F(Places, FollowWhatTheFormerMembershipStillTells) {
  on_seat(0, "Ann");
  places_.moved();
  EXPECT_EQ(on_seat(0, "Bob", Of::kFormer), "0: Bob");
  EXPECT_EQ(on_seat(0, "Bob"), "");
  on_part(0);
  EXPECT_EQ(on_seat(0, "", Of::kFormer), "");
  EXPECT_EQ(on_seat(5, "Cid", Of::kFormer), "");  // one more that would have to go at once
}

TEST_F(Places, AreEmptiedAndGivenWhenTheFormerMembershipIsOver) {
  on_seat(0, "Ann");
  on_seat(1, "Bob");
  on_seat(2, "Cid");
  places_.moved();
  EXPECT_EQ(on_seat(0, "Bob"), "");
  EXPECT_EQ(on_seat(1, "Dan"), "");  // somebody has gone, and all places are somebody's
  on_part(0);
  EXPECT_EQ(settle(), (std::vector<std::string>{"0: Dan", "2: "}));
  EXPECT_TRUE(places_.has_moved());
  EXPECT_EQ(on_part(1), At(0, ""));
  EXPECT_EQ(on_part(0), At(1, ""));
  EXPECT_EQ(on_seat(2, "Eve"), "2: Eve");
}

TEST_F(Places, OfWhoWaitsAreGivenAtTheEnd) {
  on_seat(0, "Ann");
  places_.moved();
  EXPECT_EQ(on_seat(0, "Ann"), "");
  EXPECT_EQ(settle(), (std::vector<std::string>{"0: Ann"}));
}

TEST_F(Places, OfASeatThatIsTakenByAnotherWhileItWaits) {
  on_seat(0, "Ann");
  on_seat(1, "Bob");
  places_.moved();
  EXPECT_EQ(on_seat(0, "Ann"), "");
  EXPECT_EQ(on_seat(0, "Bob"), "");
  EXPECT_EQ(on_part(0), At(1, "1: Bob"));
  EXPECT_EQ(on_part(0, Of::kFormer), At(0, ""));
  EXPECT_EQ(on_seat(0, ""), "1: ");
}

// Seats of anybody, at any time: no place has two of the new membership's seats.
TEST_F(Places, AreEachOneSeats) {
  unsigned random = 1;
  const auto next = [&](unsigned most) {
    random = random * 1'664'525 + 1'013'904'223;
    return static_cast<int>((random >> 16) % most);
  };
  constexpr unsigned kSeats = 5;
  for (int round = 0; round < 200; ++round) {
    places_.settle();
    places_.moved();
    for (int i = 0; i < 100; ++i) {
      const Of of = next(3) == 0 ? Of::kFormer : Of::kNow;
      const std::string name = next(4) == 0 ? "" : std::string(1, static_cast<char>('A' + next(6)));
      if (const auto shown = places_.on_seat(seat(next(kSeats), name), of)) {
        EXPECT_LT(shown->seat, 2 * static_cast<int>(kSeats));
      }
      std::vector<int> used;
      for (unsigned number = 0; number < kSeats; ++number) {
        const auto at = on_part(static_cast<int>(number));
        if (at.first >= 0) used.push_back(at.first);
      }
      std::ranges::sort(used);
      EXPECT_EQ(std::ranges::adjacent_find(used), used.end());
    }
  }
}

}  // namespace
}  // namespace qvid::app
