// Shows that only what the dependencies allow is given to the decoder, in an order it can decode,
// that late units still mend the picture, and that memory is bounded.
#include "media/playout/frame_assembler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace qvid::media {
namespace {

struct Unit {
  std::uint8_t layer = 0;
  std::vector<UnitDependency> depends_on = {};
  std::int32_t needed_for = 0;
};

FrameHeaderMessage header_message(std::int64_t number, std::uint8_t units = 1) {
  return {.number = FrameNumber(number),
          .captured = {},
          .due = {},
          .units = units,
          .codec_header = Payload::copy_of(std::string_view("h"))};
}
UnitMessage unit_message(std::int64_t number, const Unit& u, std::size_t bytes = 10) {
  CodedUnit unit;
  unit.layer = u.layer;
  unit.depends_on = u.depends_on;
  unit.needed_for = u.needed_for;
  unit.data = PayloadBuilder(bytes).take();
  return {.number = FrameNumber(number), .unit = std::move(unit)};
}

class Assembler : public ::testing::Test {
 protected:
  void header(std::int64_t number) { assembler_.on_header(header_message(number)); }
  void unit(std::int64_t number, const Unit& u) { assembler_.on_unit(unit_message(number, u)); }
  void frame(std::int64_t number, const std::vector<Unit>& units) {
    header(number);
    for (const Unit& u : units) unit(number, u);
  }
  // "0.0 1.0 1.1": the units given, in order.
  std::string take(std::int64_t number) {
    std::string text;
    for (const ReceivedFrame& f : assembler_.take(FrameNumber(number))) {
      for (const CodedUnit& u : f.units) {
        text += std::to_string(f.number.value()) + "." + std::to_string(u.layer) + " ";
      }
    }
    if (!text.empty()) text.pop_back();
    return text;
  }

  FrameAssembler assembler_;
};

TEST_F(Assembler, GivesAFrameThatIsWhole) {
  frame(0, {{.layer = 0}, {.layer = 1, .depends_on = {{0, 0}}}});
  ASSERT_NE(assembler_.next_header(), nullptr);
  EXPECT_EQ(assembler_.next_header()->number, FrameNumber(0));
  EXPECT_EQ(assembler_.units_received(FrameNumber(0)), 2u);
  EXPECT_EQ(take(0), "0.0 0.1");
  EXPECT_EQ(assembler_.next_header(), nullptr);
  EXPECT_EQ(take(0), "");
}

TEST_F(Assembler, NumbersNeedNotStartAtZero) {
  frame(1'000'000, {{}});
  EXPECT_EQ(take(1'000'000), "1000000.0");
}

TEST_F(Assembler, WithoutHeaderOrBaseThereIsNothing) {
  unit(0, {});
  EXPECT_EQ(assembler_.next_header(), nullptr);
  EXPECT_EQ(take(0), "");
  header(1);
  unit(1, {.layer = 1, .depends_on = {{0, 0}}});
  EXPECT_EQ(take(1), "");
}

TEST_F(Assembler, WhatDependsOnALostUnitIsNotGiven) {
  frame(0, {{.needed_for = 3}});
  header(1);
  frame(2, {{.depends_on = {{1, 0}}}});
  frame(3, {{.depends_on = {{3, 0}}}});
  EXPECT_EQ(take(0), "0.0");
  EXPECT_EQ(take(1), "");
  EXPECT_EQ(take(2), "");
  EXPECT_EQ(take(3), "3.0");
}

TEST_F(Assembler, ALateUnitIsDecodedBeforeTheFrameThatNeedsIt) {
  header(0);
  EXPECT_EQ(take(0), "");
  unit(0, {.needed_for = 2});
  frame(1, {{.depends_on = {{1, 0}}}});
  EXPECT_EQ(take(1), "0.0 1.0");
}

TEST_F(Assembler, ALateUnitNobodyNeedsIsLeft) {
  header(0);
  EXPECT_EQ(take(0), "");
  unit(0, {.needed_for = 0});
  frame(1, {{}});
  EXPECT_EQ(take(1), "1.0");
}

TEST_F(Assembler, ALayerNeverGoesBack) {
  header(0);
  frame(1, {{}});
  EXPECT_EQ(take(1), "1.0");
  unit(0, {.needed_for = 10});  // late, and frame 1 has been decoded
  frame(2, {{.depends_on = {{2, 0}}}});
  EXPECT_EQ(take(2), "");
}

TEST_F(Assembler, LayersRecoverOneByOne) {
  frame(0, {{.layer = 0, .needed_for = 5}});
  frame(1, {{.layer = 0, .depends_on = {{1, 0}}, .needed_for = 4}});
  EXPECT_EQ(take(1), "0.0 1.0");
  unit(0, {.layer = 1, .needed_for = 5});  // only the enhancement is late
  frame(2, {{.layer = 0, .depends_on = {{1, 0}}}, {.layer = 1, .depends_on = {{2, 1}}}});
  EXPECT_EQ(take(2), "0.1 2.0 2.1");
}

TEST_F(Assembler, ASyncPointEndsATrouble) {
  frame(0, {{.needed_for = 9}});
  EXPECT_EQ(take(0), "0.0");
  assembler_.on_decode_error(FrameNumber(0));
  frame(1, {{.depends_on = {{1, 0}}, .needed_for = 8}});
  frame(2, {{.depends_on = {{1, 0}}, .needed_for = 7}});
  EXPECT_EQ(take(1), "");
  EXPECT_EQ(take(2), "");
  frame(3, {{.needed_for = 9}});
  frame(4, {{.depends_on = {{1, 0}}}});
  EXPECT_EQ(take(3), "3.0");
  EXPECT_EQ(take(4), "4.0");
}

TEST_F(Assembler, WhatComesTwiceIsDropped) {
  frame(0, {{}});
  const ByteCount once = assembler_.bytes();
  frame(0, {{}});
  EXPECT_EQ(assembler_.dropped(), 2);
  EXPECT_EQ(assembler_.bytes(), once);
  EXPECT_EQ(take(0), "0.0");
  unit(0, {});
  EXPECT_EQ(assembler_.dropped(), 3);
  EXPECT_EQ(take(1), "");
}

TEST_F(Assembler, FramesOutOfBoundsAreDropped) {
  frame(1000, {{}});
  EXPECT_EQ(take(1000), "1000.0");
  header(1000 - FrameAssembler::kBehind);
  frame(1000 + FrameAssembler::kAhead, {{}});
  EXPECT_EQ(assembler_.dropped(), 0);
  header(1000 - FrameAssembler::kBehind - 1);
  header(1000 + FrameAssembler::kAhead + 1);
  EXPECT_EQ(assembler_.dropped(), 2);
}

TEST_F(Assembler, GoesOnAfterAnOutageLongerThanItsBounds) {
  frame(0, {{}});
  EXPECT_EQ(take(0), "0.0");
  const std::int64_t later = 10 * FrameAssembler::kAhead;
  frame(later, {{}});
  ASSERT_NE(assembler_.next_header(), nullptr);
  EXPECT_EQ(assembler_.next_header()->number, FrameNumber(later));
  EXPECT_EQ(take(later), std::to_string(later) + ".0");
}

// The last thing before it was a header whose base never comes: nobody asks for that frame.
TEST_F(Assembler, GoesOnAfterALongOutageThatCutAFrame) {
  frame(0, {{}});
  EXPECT_EQ(take(0), "0.0");
  header(1);
  frame(3, {{.depends_on = {{2, 0}}}});  // nor can this one be decoded
  const std::int64_t later = 10 * FrameAssembler::kAhead;
  frame(later, {{}});
  ASSERT_NE(assembler_.next_header(), nullptr);
  EXPECT_EQ(assembler_.next_header()->number, FrameNumber(later));
  EXPECT_EQ(take(later), std::to_string(later) + ".0");
}

// What can be shown is not passed over for what is far ahead.
TEST_F(Assembler, WhatCanBeShownIsWaitedFor) {
  frame(0, {{}});
  header(2);
  frame(1, {{}});
  frame(10 * FrameAssembler::kAhead, {{}});
  EXPECT_EQ(assembler_.next_header()->number, FrameNumber(0));
  EXPECT_EQ(assembler_.dropped(), 2);
}

TEST_F(Assembler, BytesAreBounded) {
  header(0);
  const ByteCount one = 1_MiB;
  for (std::int64_t n = 0; n < 100; ++n) {
    assembler_.on_unit(unit_message(n, {.needed_for = 1000}, one.size()));
    EXPECT_LE(assembler_.bytes(), FrameAssembler::kMaxBytes);
  }
  EXPECT_EQ(assembler_.bytes(), 63_MiB + 1_B);
  EXPECT_EQ(assembler_.dropped(), 37);
}

TEST_F(Assembler, WhatIsOfNoUseIsForgotten) {
  for (std::int64_t n = 0; n < 2000; ++n) {
    frame(n, {{.needed_for = 5}, {.layer = 1, .depends_on = {{1, 1}}, .needed_for = 5}});
    take(n);
    ASSERT_LE(assembler_.bytes().value(), 6 * 10 + FrameAssembler::kBehind + 2);
  }
  take(5000);
  EXPECT_EQ(assembler_.bytes(), 0_B);
}

// Frames of two layers, in a hierarchy or a chain; messages are lost, late, doubled and out of
// order. Whatever happens, all that is given is decodable in the order given, and nothing is given
// twice.
class Disorder : public Assembler, public ::testing::WithParamInterface<unsigned> {
 protected:
  static std::vector<Unit> units_of(std::int64_t n, std::mt19937& random) {
    std::vector<Unit> units;
    for (std::uint8_t layer = 0; layer < 2; ++layer) {
      Unit unit{
          .layer = layer, .depends_on = {}, .needed_for = static_cast<std::int32_t>(random() % 9)};
      const auto back = static_cast<std::uint8_t>(1 + random() % 4);
      if (random() % 8 != 0 && n > 0) unit.depends_on.push_back({back, layer});
      if (layer == 1 && random() % 2 == 0) unit.depends_on.push_back({0, 0});
      units.push_back(unit);
    }
    return units;
  }

  void check(const std::vector<ReceivedFrame>& frames, std::int64_t asked) {
    std::int64_t before = -1;
    for (const ReceivedFrame& f : frames) {
      const std::int64_t n = f.number.value();
      ASSERT_GT(n, before);
      ASSERT_LE(n, asked);
      ASSERT_FALSE(f.units.empty());
      ASSERT_FALSE(f.header.empty());
      before = n;
      for (const CodedUnit& u : f.units) {
        const auto last = last_.find(u.layer);
        ASSERT_TRUE(last == last_.end() || last->second < n) << "layer goes back";
        last_[u.layer] = n;
        for (const UnitDependency& d : u.depends_on) {
          ASSERT_TRUE(decoded_.contains({n - d.frames_back, d.unit})) << "base is missing";
        }
        ASSERT_TRUE(decoded_.insert({n, u.layer}).second) << "given twice";
      }
    }
  }

  std::set<std::pair<std::int64_t, int>> decoded_;
  std::map<int, std::int64_t> last_;
};

TEST_P(Disorder, AllThatIsGivenIsDecodable) {
  std::mt19937 random(GetParam());
  std::multimap<std::int64_t, std::pair<std::int64_t, int>> arrivals;  // when -> frame, unit or -1
  std::map<std::int64_t, std::vector<Unit>> sent;
  constexpr std::int64_t kFrames = 400;
  for (std::int64_t n = 0; n < kFrames; ++n) {
    sent[n] = units_of(n, random);
    for (int part = -1; part < 2; ++part) {
      if (random() % 10 == 0) continue;  // lost
      const std::int64_t late = random() % 4 == 0 ? random() % 8 : 0;
      arrivals.insert({n + late, {n, part}});
      if (random() % 20 == 0) arrivals.insert({n + late + 1, {n, part}});
    }
  }
  std::size_t given = 0;
  for (std::int64_t now = 0; now < kFrames; ++now) {
    const auto [from, to] = arrivals.equal_range(now);
    for (auto it = from; it != to; ++it) {
      const auto [n, part] = it->second;
      if (part < 0)
        header(n);
      else
        unit(n, sent[n][static_cast<std::size_t>(part)]);
    }
    if (random() % 10 == 0) continue;  // a frame that nobody asks for
    const auto frames = assembler_.take(FrameNumber(now));
    given += frames.size();
    ASSERT_NO_FATAL_FAILURE(check(frames, now));
    ASSERT_GE(assembler_.bytes(), 0_B);
    if (!frames.empty() && random() % 20 == 0) {
      const FrameNumber failed = frames.back().number;
      assembler_.on_decode_error(failed);
      for (int layer = 0; layer < 2; ++layer) decoded_.erase({failed.value(), layer});
    }
  }
  EXPECT_GT(given, 50u);  // the test is of something
}

INSTANTIATE_TEST_SUITE_P(Seeds, Disorder, ::testing::Range(0u, 40u));

}  // namespace
}  // namespace qvid::media
