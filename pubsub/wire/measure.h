// What a client says that wants to know the rate of the way between it and a server, and what it is
// told; brokers and servers of videos understand the same:
//
//   {"type":"measure","way":"up","stream":2,"name":"den","token":"..."}     "down": without a stream
//   {"type":"measuring","stream":2,"bytes":33554432,"ms":2000}              let in; none: not now
//
// Up, the client sends what it likes on its stream, no more and no longer than it was told, and it is
// forgotten. Down, the server sends filling on the stream that it names.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace qps {

inline constexpr std::size_t kMaxMeasuredName = 1024;  // bytes
inline constexpr qvid::ByteCount kMostMeasured{32 * 1024 * 1024};
inline constexpr qvid::Duration kMeasuringTime = std::chrono::seconds(2);

enum class Way { kUp, kDown };  // seen from the client

struct Measure {
  Way way = Way::kDown;
  std::uint32_t stream = 0;  // of the client, on its way up
  std::string name = {};     // a room, or a video; empty: any
  std::string token = {};    // or a passphrase; of who has not shown it yet
};
struct Measuring {
  std::uint32_t stream = 0;
  qvid::ByteCount bytes{};  // at the most, 0..kMostMeasured; zero: others measure, or it has enough
  qvid::Duration time{};    // at the most, 0..kMeasuringTime
};

}  // namespace qps
