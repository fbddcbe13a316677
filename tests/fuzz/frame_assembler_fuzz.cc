// Any sequence of messages, takes and decode errors: what is given is decodable in the order given,
// and the bytes kept are those of messages that came, never negative, never beyond the bound.
//
// The input is a list of actions of two bytes: what (modulo 4: header, unit, take, decode error)
// with flags, and a frame number relative to the last one taken; a unit takes three bytes more:
// needed_for, and one dependency.
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "base/byte_io.h"
#include "media/playout/frame_assembler.h"
#include "tests/fuzz/require.h"

namespace {

using qvid::fuzz::require;

using namespace qvid;
using namespace qvid::media;

// Units decoded, by frame and layer.
using Decoded = std::set<std::pair<std::int64_t, std::uint8_t>>;

void check(const std::vector<ReceivedFrame>& frames, FrameNumber asked, Decoded& decoded) {
  FrameNumber before(-1'000'000);
  for (const ReceivedFrame& f : frames) {
    require(before < f.number && f.number <= asked && !f.units.empty());
    before = f.number;
    for (const CodedUnit& u : f.units) {
      for (const UnitDependency& d : u.depends_on) {
        require(decoded.contains({f.number.value() - d.frames_back, d.unit}));
      }
      require(decoded.insert({f.number.value(), u.layer}).second);
    }
  }
}

CodedUnit read_unit(ByteReader& in, unsigned what) {
  CodedUnit unit;
  unit.layer = static_cast<std::uint8_t>(what >> 2 & 7);
  unit.needed_for = in.u8();
  const UnitDependency d{.frames_back = in.u8(),
                         .unit = static_cast<std::uint8_t>(in.u8() % kMaxUnits)};
  const bool possible = d.frames_back > 0 || d.unit < unit.layer;
  if ((what & 32) != 0 && possible) unit.depends_on.push_back(d);
  unit.data = PayloadBuilder((what & 64) != 0 ? 4096 : 3).take();
  return unit;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FrameAssembler assembler;
  Decoded decoded;
  ByteReader in(std::as_bytes(std::span(data, size)));
  std::int64_t taken = 1000;
  ByteCount came;
  while (in.remaining() > 0) {
    const unsigned what = in.u8();
    // From 32 before to 223 after; with the highest bit far ahead or behind.
    const std::int64_t scale = (what & 128) != 0 ? 4 : 1;
    const FrameNumber number(taken + (static_cast<std::int64_t>(in.u8()) - 32) * scale);
    switch (what & 3) {
      case 0: {
        FrameHeaderMessage header;
        header.number = number;
        header.codec_header = PayloadBuilder(what >> 2 & 31).take();
        came += header.codec_header.byte_count();
        assembler.on_header(std::move(header));
        break;
      }
      case 1: {
        CodedUnit unit = read_unit(in, what);
        came += unit.data.byte_count();
        assembler.on_unit({.number = number, .unit = std::move(unit)});
        break;
      }
      case 2:
        if (number.value() < taken) break;
        taken = number.value();
        check(assembler.take(number), number, decoded);
        break;
      default:
        assembler.on_decode_error(number);
        for (std::uint8_t layer = 0; layer < kMaxUnits; ++layer) {
          decoded.erase({number.value(), layer});
        }
        break;
    }
    require(assembler.bytes() >= ByteCount() && assembler.bytes() <= came);
    require(assembler.bytes() <= FrameAssembler::kMaxBytes);
    if (const auto* next = assembler.next_header()) {
      require(assembler.header(next->number) == next);
    }
  }
  assembler.take(FrameNumber(taken + 2 * FrameAssembler::kBehind + FrameAssembler::kAhead * 5));
  require(assembler.bytes() == ByteCount());
  return 0;
}
