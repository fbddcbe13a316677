// Shows what a table makes of a struct and a row: what is written when, what is taken, and how what
// is not taken is named.
#include "pubsub/wire/message_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace qps {
namespace {

using namespace std::chrono_literals;

struct Greet {
  std::string name;
  int times = 1;
  std::optional<std::uint32_t> room{};
  qvid::Duration wait = 5ms;
};
struct Point {
  std::int64_t x = 0;
};
struct Draw {
  std::vector<Point> points;
};
struct Bow {};

constexpr Nested kPoint{record<Point>(required("x", &Point::x, Number<std::int64_t>{}))};
constexpr MessageTable kTable(
    "type",
    message<Greet>("greet", required("name", &Greet::name, Text{.most = 3}),
                   optional("times", &Greet::times, Number<int>{1, 10}),
                   optional("room", &Greet::room, Number<std::uint32_t>{}),
                   defaulted("wait_ms", &Greet::wait, Milliseconds{10ms})),
    message<Draw>("draw", required("points", &Draw::points, ListOf{kPoint, 1, 2})),
    message<Bow>("bow"));

std::string refused(std::string_view text) {
  const auto read = kTable.parse(text, "wrong");
  return read ? "taken" : read.error().message;
}

TEST(MessageTable, WritesWhatARowSays) {
  EXPECT_EQ(kTable.serialise(Greet{.name = "Ann"}), R"({"name":"Ann","type":"greet","wait_ms":5})");
  EXPECT_EQ(kTable.serialise(Greet{.name = "", .times = 2, .room = 0, .wait = 0ms}),
            R"({"name":"","room":0,"times":2,"type":"greet","wait_ms":0})");
  EXPECT_EQ(kTable.serialise(Draw{{{1}, {2}}}), R"({"points":[{"x":1},{"x":2}],"type":"draw"})");
  EXPECT_EQ(kTable.serialise(Bow{}), R"({"type":"bow"})");
}

TEST(MessageTable, ReadsItAgainWithDefaultsForWhatIsMissing) {
  const auto greet = std::get<Greet>(*kTable.parse(R"({"type":"greet","name":"Bob"})", ""));
  EXPECT_EQ(greet.name, "Bob");
  EXPECT_EQ(greet.times, 1);
  EXPECT_EQ(greet.room, std::nullopt);
  EXPECT_EQ(greet.wait, 5ms);
  EXPECT_EQ(std::get<Greet>(*kTable.parse(R"({"type":"greet","name":"","room":7})", "")).room, 7u);
  const auto draw =
      std::get<Draw>(*kTable.parse(R"({"type":"draw","points":[{"x":3,"y":1}],"z":[]})", ""));
  ASSERT_EQ(draw.points.size(), 1u);
  EXPECT_EQ(draw.points[0].x, 3);
}

TEST(MessageTable, NamesWhatItDoesNotTake) {
  EXPECT_EQ(refused("[]"), "wrong: no JSON object of at most 16384 bytes");
  EXPECT_EQ(refused(std::string(kMaxControlMessage + 1, ' ')),
            "wrong: no JSON object of at most 16384 bytes");
  EXPECT_EQ(refused("{}"), "wrong: 'type' is missing or no text");
  EXPECT_EQ(refused(R"({"type":"jump\n"})"), "wrong: unknown type 'jump?'");
  EXPECT_EQ(refused(R"({"type":")" + std::string(33, 'a') + R"("})"), "wrong: unknown type '...'");
  for (const char* name : {"", R"(,"name":7)", R"(,"name":"Anna")"}) {
    EXPECT_EQ(refused(R"({"type":"greet")" + std::string(name) + "}"),
              "wrong: 'name' of 'greet' is missing or not as it must be");
  }
  // One that may be missing must be right where it is there.
  for (const char* field :
       {R"("times":0)", R"("times":11)", R"("times":null)", R"("room":-1)", R"("wait_ms":11)",
        R"("wait_ms":1.0)", R"("times":18446744073709551615)"}) {
    EXPECT_NE(refused(R"({"type":"greet","name":"",)" + std::string(field) + "}"), "taken");
  }
  for (const char* points : {"[]", "{}", "[1]", "[{}]", R"([{"x":1},{"x":1},{"x":1}])"}) {
    EXPECT_EQ(refused(R"({"type":"draw","points":)" + std::string(points) + "}"),
              "wrong: 'points' of 'draw' is missing or not as it must be");
  }
}

}  // namespace
}  // namespace qps
