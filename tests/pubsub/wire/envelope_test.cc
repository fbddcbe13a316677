// Shows that parts come back whole from fragments in any order, and what malformed ones do.
#include "pubsub/wire/envelope.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pubsub/wire/part_assembler.h"

namespace qps {
namespace {

Payload bytes_of(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 >> 3);
  return Payload::copy_of(bytes);
}

Envelope example() {
  return {.begins = true,
          .vital = true,
          .importance = 77,
          .due = Timestamp(std::chrono::microseconds(123456789)),
          .useful_for = std::chrono::milliseconds(933),
          .depends_on = {{1, 0}, {0, 2}}};
}

TEST(Envelope, PositionsGoThereAndBack) {
  for (const FragmentId id :
       {FragmentId{{0, 0}, 0}, FragmentId{{1, 15}, 63}, FragmentId{{kMaxItem, 3}, 4}}) {
    EXPECT_EQ(fragment_at(position_of(id)), id);
  }
  EXPECT_FALSE(fragment_at(position_of({{kMaxItem, 15}, 63}) + 1));
  EXPECT_LT(position_of({{5, 15}, 63}), position_of({{6, 0}, 0}));
}

TEST(Envelope, PartsComeBackWholeFromFragmentsInAnyOrder) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{8192},
                                 std::size_t{8193}, std::size_t{20'000}, std::size_t{2'000'000}}) {
    const Payload data = bytes_of(size);
    auto fragments = to_fragments(example(), data);
    ASSERT_LE(fragments.size(), kMaxFragments);
    for (const bool backwards : {false, true}) {
      PartAssembler assembler;
      int whole = 0;
      for (std::size_t i = 0; i < fragments.size(); ++i) {
        const std::size_t n = backwards ? fragments.size() - 1 - i : i;
        const std::uint64_t position = position_of({{3, 1}, static_cast<std::uint8_t>(n)});
        const auto part = assembler.on_message(position, fragments[n]);
        ASSERT_TRUE(part) << part.error().message;
        if (!*part) continue;
        ++whole;
        EXPECT_EQ((*part)->id, (PartId{3, 1}));
        EXPECT_EQ((*part)->envelope.depends_on, example().depends_on);
        EXPECT_EQ((*part)->envelope.due, example().due);
        EXPECT_EQ((*part)->envelope.useful_for, example().useful_for);
        EXPECT_TRUE((*part)->envelope.begins && (*part)->envelope.vital);
        EXPECT_EQ((*part)->envelope.importance, 77);
        EXPECT_TRUE(std::ranges::equal((*part)->data.bytes(), data.bytes())) << size;
      }
      EXPECT_EQ(whole, 1);
      EXPECT_EQ(assembler.bytes(), ByteCount());
    }
  }
}

TEST(Envelope, MalformedOnesAreErrors) {
  const Payload good = to_fragments(example(), bytes_of(10))[0];
  for (std::size_t cut = 0; cut < good.size() - 10; ++cut) {
    EXPECT_FALSE(parse_first_fragment(good.slice(0, cut))) << cut;
  }
  const auto with = [&](std::size_t at, std::uint8_t value) {
    std::vector<std::byte> bytes(good.bytes().begin(), good.bytes().end());
    bytes[at] = static_cast<std::byte>(value);
    return parse_first_fragment(Payload::copy_of(bytes));
  };
  EXPECT_FALSE(with(0, 2));  // version
  EXPECT_FALSE(with(1, 4));  // flags
  EXPECT_FALSE(with(3, 0));  // fragments
  EXPECT_FALSE(with(3, 65));
  EXPECT_FALSE(with(4, 255));  // due
  EXPECT_TRUE(with(2, 255));
}

TEST(PartAssembler, IsBounded) {
  PartAssembler assembler;
  const auto fragments = to_fragments(example(), bytes_of(100'000));
  for (std::int64_t item = 0; item < 10'000; ++item) {
    ASSERT_TRUE(assembler.on_message(position_of({{item, 0}, 0}), fragments[0]));
  }
  EXPECT_LE(assembler.bytes(), ByteCount::of(PartAssembler::kMaxIncomplete * 8192));
  EXPECT_FALSE(assembler.on_message(~std::uint64_t{0} >> 2, fragments[0]));
  // More fragments than it said.
  const auto one = to_fragments(example(), bytes_of(5));
  ASSERT_TRUE(assembler.on_message(position_of({{20'000, 0}, 9}), fragments[1]));
  ASSERT_TRUE(assembler.on_message(position_of({{20'000, 0}, 0}), fragments[0]));
  assembler.clear();
  EXPECT_EQ(assembler.bytes(), ByteCount());
}

}  // namespace
}  // namespace qps
