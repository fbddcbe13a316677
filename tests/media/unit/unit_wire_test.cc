// Shows that frames come back from their messages as they were sent, and that what is cut short,
// impossible or absurd is an Error.
#include "media/unit/unit_wire.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/byte_io.h"

namespace qvid::media {
namespace {

constexpr std::uint64_t kMaxMicroseconds = std::uint64_t{1} << 50;

Payload text(std::string_view s) { return Payload::copy_of(s); }

CodedFrame some_frame() {
  CodedFrame frame;
  frame.number = FrameNumber(7);
  frame.captured = Timestamp(1h + 123us);
  frame.due = Timestamp(1h + 456us);
  frame.header = text("codec");
  CodedUnit base;
  base.depends_on = {{4, 0}, {255, 7}};
  base.needed_for = 59;
  base.data = text("base");
  CodedUnit enhancement;
  enhancement.layer = 3;
  enhancement.depends_on = {{0, 0}, {1, 3}};
  enhancement.data = text("");
  frame.units = {base, enhancement};
  return frame;
}

struct RawHeader {
  std::uint64_t captured = 0;
  std::uint64_t due = 0;
  std::uint8_t units = 2;
};
Payload raw(const RawHeader& header) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.u8(0);
  out.u64(header.captured);
  out.u64(header.due);
  out.u8(header.units);
  return Payload::copy_of(bytes);
}

struct RawUnit {
  std::uint8_t layer = 1;
  std::uint64_t needed_for = 0;
  std::vector<UnitDependency> depends_on;
};
Payload raw(const RawUnit& unit) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  out.u8(1);
  out.u8(unit.layer);
  out.varint(unit.needed_for);
  out.u8(static_cast<std::uint8_t>(unit.depends_on.size()));
  for (const UnitDependency& d : unit.depends_on) {
    out.u8(d.frames_back);
    out.u8(d.unit);
  }
  return Payload::copy_of(bytes);
}

bool accepted(std::uint64_t position, const Payload& payload) {
  const auto got = parse_frame_message(position, payload);
  EXPECT_TRUE(got || !got.error().message.empty());
  return static_cast<bool>(got);
}
// At the place that goes with its layer.
bool accepted(const RawUnit& unit) {
  return accepted(unit_position(FrameNumber(9), unit.layer), raw(unit));
}

TEST(UnitWire, PositionsPutOlderFramesAndHeadersFirst) {
  EXPECT_EQ(header_position(FrameNumber(0)), 0u);
  EXPECT_EQ(unit_position(FrameNumber(0), 0), 1u);
  EXPECT_EQ(unit_position(FrameNumber(2), 7), 40u);
  EXPECT_LT(unit_position(FrameNumber(2), 7), header_position(FrameNumber(3)));
  EXPECT_LE(unit_position(FrameNumber(kMaxFrameNumber), 7), kVarintMax);
}

TEST(UnitWire, AHeaderComesBack) {
  const WireFrame wire = serialise(some_frame());
  const auto got = parse_frame_message(header_position(FrameNumber(7)), wire.header);
  ASSERT_TRUE(got);
  const auto& header = std::get<FrameHeaderMessage>(*got);
  EXPECT_EQ(header.number, FrameNumber(7));
  EXPECT_EQ(header.captured, wire.frame.captured);
  EXPECT_EQ(header.due, wire.frame.due);
  EXPECT_EQ(header.units, 2);
  EXPECT_EQ(header.codec_header.text(), "codec");
  // Shared, not copied.
  EXPECT_EQ(header.codec_header.data() + 5, wire.header.data() + wire.header.size());
}

TEST(UnitWire, UnitsComeBack) {
  const WireFrame wire = serialise(some_frame());
  ASSERT_EQ(wire.units.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const CodedUnit& sent = wire.frame.units[i];
    const auto got = parse_frame_message(unit_position(FrameNumber(7), sent.layer), wire.units[i]);
    ASSERT_TRUE(got);
    const auto& message = std::get<UnitMessage>(*got);
    EXPECT_EQ(message.number, FrameNumber(7));
    EXPECT_EQ(message.unit.layer, sent.layer);
    EXPECT_EQ(message.unit.depends_on, sent.depends_on);
    EXPECT_EQ(message.unit.needed_for, sent.needed_for);
    EXPECT_EQ(message.unit.data.text(), sent.data.text());
  }
}

TEST(UnitWire, ThePayloadKnowsNoNumber) {
  const WireFrame wire = serialise(some_frame());
  const auto got = parse_frame_message(unit_position(FrameNumber(1000), 0), wire.units[0]);
  ASSERT_TRUE(got);
  EXPECT_EQ(std::get<UnitMessage>(*got).number, FrameNumber(1000));
}

TEST(UnitWire, EveryTruncationIsRefused) {
  const Payload header = raw(RawHeader{});
  for (std::size_t size = 0; size < header.size(); ++size) {
    EXPECT_FALSE(accepted(0, header.slice(0, size))) << size;
  }
  const RawUnit unit{.layer = 1, .needed_for = 300, .depends_on = {{0, 0}, {9, 1}}};
  const Payload whole = raw(unit);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(accepted(unit_position(FrameNumber(0), 1), whole.slice(0, size))) << size;
  }
  EXPECT_TRUE(accepted(0, header));
  EXPECT_TRUE(accepted(unit));
}

TEST(UnitWire, TimesHaveABound) {
  EXPECT_TRUE(accepted(0, raw(RawHeader{.captured = kMaxMicroseconds, .due = kMaxMicroseconds})));
  EXPECT_FALSE(accepted(0, raw(RawHeader{.captured = kMaxMicroseconds + 1})));
  EXPECT_FALSE(accepted(0, raw(RawHeader{.due = kMaxMicroseconds + 1})));
  EXPECT_FALSE(accepted(0, raw(RawHeader{.due = ~std::uint64_t{0}})));
}

TEST(UnitWire, AFrameHasAtMostEightUnits) {
  EXPECT_TRUE(accepted(0, raw(RawHeader{.units = 8})));
  EXPECT_FALSE(accepted(0, raw(RawHeader{.units = 9})));
}

TEST(UnitWire, FrameNumbersHaveABound) {
  EXPECT_TRUE(accepted(header_position(FrameNumber(kMaxFrameNumber)), raw(RawHeader{})));
  EXPECT_FALSE(accepted(header_position(FrameNumber(kMaxFrameNumber + 1)), raw(RawHeader{})));
  EXPECT_FALSE(accepted(~std::uint64_t{0} - 15, raw(RawHeader{})));
}

TEST(UnitWire, PlaceAndLayerMustAgree) {
  for (std::uint64_t place = 0; place < kPlacesPerFrame; ++place) {
    EXPECT_EQ(accepted(32 + place, raw(RawHeader{})), place == 0);
    EXPECT_EQ(accepted(32 + place, raw(RawUnit{.layer = 1, .depends_on = {}})), place == 2);
    // Places that no layer has.
    EXPECT_EQ(accepted(32 + place, raw(RawUnit{.layer = static_cast<std::uint8_t>(place - 1),
                                               .depends_on = {}})),
              place >= 1 && place <= kMaxUnits);
  }
}

TEST(UnitWire, AUnitNeedsLowerLayersOfItsFrameOnly) {
  for (std::uint8_t unit = 0; unit < 20; ++unit) {
    EXPECT_EQ(accepted(RawUnit{.layer = 3, .depends_on = {{0, unit}}}), unit < 3);
    EXPECT_EQ(accepted(RawUnit{.layer = 3, .depends_on = {{1, unit}}}), unit < kMaxUnits);
  }
  EXPECT_FALSE(accepted(RawUnit{.layer = 0, .depends_on = {{0, 0}}}));
}

TEST(UnitWire, DependenciesAndNeedHaveABound) {
  EXPECT_TRUE(accepted(
      RawUnit{.depends_on = std::vector<UnitDependency>(kMaxDependencies, UnitDependency{1, 0})}));
  EXPECT_FALSE(accepted(RawUnit{
      .depends_on = std::vector<UnitDependency>(kMaxDependencies + 1, UnitDependency{1, 0})}));
  EXPECT_TRUE(accepted(RawUnit{.needed_for = kMaxReferenceDistance * 256, .depends_on = {}}));
  EXPECT_FALSE(accepted(RawUnit{.needed_for = kMaxReferenceDistance * 256 + 1, .depends_on = {}}));
  EXPECT_FALSE(accepted(RawUnit{.needed_for = kVarintMax, .depends_on = {}}));
}

TEST(UnitWire, OtherKindsAreRefused) {
  for (int kind = 2; kind < 256; ++kind) {
    const std::string bytes(64, static_cast<char>(kind));
    EXPECT_FALSE(accepted(0, text(bytes)));
    EXPECT_FALSE(accepted(1, text(bytes)));
  }
  EXPECT_FALSE(accepted(0, Payload()));
}

}  // namespace
}  // namespace qvid::media
