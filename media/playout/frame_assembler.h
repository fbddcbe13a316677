// Collects what comes of each frame and says, at a frame's decode time, what to decode.
//
// Rules: a unit is decoded when its frame's header has come and all it depends on was decoded;
// units of a layer are decoded in the order of frames. A unit that comes too late to be shown is
// decoded late if a frame still to come may need it, before that frame: so the picture recovers
// within a group of pictures. Only the frame asked for is shown.
//
// Bounds: frames from kBehind before to `ahead` after the one last asked for, `max_bytes` in all;
// what comes beyond is dropped and counted. Pure. Thread: one at a time.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/payload.h"
#include "media/codec/decoder.h"
#include "media/unit/timeline_frames.h"
#include "media/unit/unit_wire.h"

namespace qvid::media {

class FrameAssembler {
 public:
  static constexpr std::int64_t kBehind = kMaxReferenceDistance;
  static constexpr std::int64_t kAhead = kMaxWindow + 64;
  static constexpr ByteCount kMaxBytes = ByteCount(64 * 1024 * 1024);

  // Live: the first frame to come sets the place that numbers count from.
  FrameAssembler() = default;
  // Numbers count from 0, and up to `ahead` frames may wait.
  FrameAssembler(std::int64_t ahead, ByteCount max_bytes)
      : ahead_(ahead), max_bytes_(max_bytes), any_(true) {}

  void on_header(FrameHeaderMessage header);
  // `arrival`: noted for base units.
  void on_unit(UnitMessage message, Timestamp arrival = {});

  // What to decode now so that frame `number` can be shown, in order; the last is `number` itself
  // if anything of it can be decoded. Numbers asked for rise.
  std::vector<ReceivedFrame> take(FrameNumber number);

  // Decoding of these layers failed: what depends on them will not be decoded.
  void on_decode_error(FrameNumber number,
                       std::bitset<kMaxUnits> layers = std::bitset<kMaxUnits>().set());

  // The next frame after the last one taken, or after that one, whose header has come.
  const FrameHeaderMessage* next_header() const { return header_after(taken_); }
  const FrameHeaderMessage* header_after(FrameNumber number) const;
  const FrameHeaderMessage* header(FrameNumber number) const;
  // How many units of the frame have come.
  std::size_t units_received(FrameNumber number) const;
  // When the base unit came; empty where it has not, or is forgotten with its frame.
  std::optional<Timestamp> base_arrival(FrameNumber number) const;

  bool came(FrameNumber number, std::uint8_t layer) const;
  // Its header and every unit that it tells of have come, and what they depend on was decoded: to
  // wait gives nothing more.
  bool complete(FrameNumber number) const;
  // Its header and base have come, and the base can be decoded.
  bool showable(FrameNumber number) const;

  std::int64_t dropped() const { return dropped_; }  // out of bounds, or twice
  ByteCount bytes() const { return bytes_; }

 private:
  struct Slot {
    std::optional<FrameHeaderMessage> header;
    std::array<std::optional<CodedUnit>, kMaxUnits> units;
    std::bitset<kMaxUnits> came;
    std::bitset<kMaxUnits> decoded;
    Timestamp base_arrival;  // if the base came
  };
  Slot* slot_for(FrameNumber number, ByteCount bytes);
  bool any_showable() const;
  bool decodable(FrameNumber number, const CodedUnit& unit, std::bitset<kMaxUnits> in_frame) const;
  void release(std::optional<CodedUnit>& unit);
  void forget_old();

  std::int64_t ahead_ = kAhead;
  ByteCount max_bytes_ = kMaxBytes;
  std::map<FrameNumber, Slot> slots_;
  std::array<FrameNumber, kMaxUnits> last_decoded_;
  std::array<bool, kMaxUnits> any_decoded_{};
  FrameNumber taken_{-1};
  bool any_ = false;
  ByteCount bytes_;
  std::int64_t dropped_ = 0;
};

}  // namespace qvid::media
