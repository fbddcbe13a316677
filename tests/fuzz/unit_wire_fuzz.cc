// Any bytes as a message of a frame, at any position: refused, or within the bounds that the
// receiver relies on and written the same again.
//
// As the only part of a preview, too. The input is a 64-bit position and the payload.
#include <cstdint>
#include <span>
#include <variant>

#include "app/play/preview_frames.h"
#include "base/byte_io.h"
#include "media/unit/unit_wire.h"
#include "tests/fuzz/require.h"

namespace {

using qvid::fuzz::require;

using namespace qvid::media;

// A frame that, serialised, must give the message again.
CodedFrame frame_of(const FrameHeaderMessage& header) {
  CodedFrame frame;
  frame.captured = header.captured;
  frame.due = header.due;
  frame.header = header.codec_header;
  frame.units.resize(header.units);
  return frame;
}
CodedFrame frame_of(const UnitMessage& message) {
  CodedFrame frame;
  frame.units.push_back(message.unit);
  return frame;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  qvid::ByteReader in(std::as_bytes(std::span(data, size)));
  const std::uint64_t position = in.u64();
  const auto payload = qvid::Payload::copy_of(in.rest());
  const auto got = parse_frame_message(position, payload);
  const bool whole = qvid::app::PreviewFrames().on_message(position, payload).has_value();
  require(!whole);  // it is a header or a unit, and takes both
  if (!got) return 0;
  if (const auto* header = std::get_if<FrameHeaderMessage>(&*got)) {
    require(header_position(header->number) == position);
    require(header->units <= kMaxUnits);
    const WireFrame wire = serialise(frame_of(*header));
    require(wire.header.text() == payload.text());
    return 0;
  }
  const auto& message = std::get<UnitMessage>(*got);
  require(unit_position(message.number, message.unit.layer) == position);
  require(message.unit.layer < kMaxUnits && message.unit.needed_for >= 0);
  require(message.unit.depends_on.size() <= kMaxDependencies);
  for (const UnitDependency& d : message.unit.depends_on) {
    require(d.unit < kMaxUnits && (d.frames_back > 0 || d.unit < message.unit.layer));
  }
  // A varint may have been longer than needed, so it is what is read again that is the same.
  const WireFrame wire = serialise(frame_of(message));
  const auto again = parse_frame_message(position, wire.units[0]);
  require(static_cast<bool>(again));
  const auto& unit = std::get<UnitMessage>(*again).unit;
  require(unit.depends_on == message.unit.depends_on);
  require(unit.needed_for == message.unit.needed_for);
  require(unit.data.text() == message.unit.data.text());
  return 0;
}
