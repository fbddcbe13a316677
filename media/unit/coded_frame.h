// What a scalable codec makes of a picture: a header and up to eight droppable units.
//
// The interface is for codecs in general (000 section 5.1: header, base layer, up to seven
// enhancement layers). Whoever schedules, sends, forwards or assembles frames works from the fields
// here alone and never looks into a payload.
//
// Model: the header of a frame must arrive for any of its units to be of use. A unit is decodable
// when its frame's header is there and every unit it depends on was decoded. A unit without
// dependencies is a synchronisation point of its layer.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/payload.h"
#include "base/sequence.h"
#include "base/units.h"

namespace qvid::media {

inline constexpr std::size_t kMaxUnits = 8;
// How far back a unit may depend, in frames. Bounds what a receiver remembers.
inline constexpr int kMaxReferenceDistance = 255;

// Position of a frame in the temporal hierarchy: T0 is needed by later frames of every class, T1 by
// T2, T2 by none. Frames of a class may be dropped when all classes above it have been.
enum class TemporalClass : std::uint8_t { kT0 = 0, kT1 = 1, kT2 = 2 };

// A unit that another one needs: of the frame `frames_back` earlier (0 = the same frame).
struct UnitDependency {
  std::uint8_t frames_back = 0;
  std::uint8_t unit = 0;  // index in that frame
  bool operator==(const UnitDependency&) const = default;
};

// One unit of a video.
struct UnitKey {
  FrameNumber frame;
  std::uint8_t layer = 0;
  auto operator<=>(const UnitKey&) const = default;
};

struct CodedUnit {
  std::uint8_t layer = 0;  // index in the frame, 0 = base; lower is more important
  std::vector<UnitDependency> depends_on;
  // How many frames after this one may depend on this unit, directly or not, counted to the planned
  // end of the layer's group of pictures. 0 for a unit nobody refers to. (GOP-aware expiry.)
  std::int32_t needed_for = 0;
  Payload data;

  bool is_sync_point() const { return depends_on.empty(); }
};

struct CodedFrame {
  FrameNumber number;
  Timestamp captured{};  // when the device gave the picture
  Timestamp due{};       // one frame time before it leaves (unit_wire.h)
  TemporalClass temporal_class = TemporalClass::kT0;
  Payload header;
  std::vector<CodedUnit> units;  // by layer, at most kMaxUnits
};

}  // namespace qvid::media
