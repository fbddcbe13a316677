// Goddard, 004's adaptive streaming client and server (section 5.2.2): what both know. A server has
// a video in seven scales; its client picks one, and another as the network has it.
//
//   client                                   server
//   pair, please          -- control -->     two datagrams, one behind the other
//   scale s, buffering    -- control -->     frames of s at 1.5 times their rate
//   scale s               -- control -->     frames of s at their rate
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"

namespace qvid::lab {

struct GoddardScale {
  ByteCount frame{};
  FrameRate rate{};

  constexpr DataRate bitrate() const { return DataRate::of(frame, rate.frame_time()); }
};

// 004 table 5.2: 80, 120, 240, 320, 640, 960 and 1920 kbit/s.
inline constexpr std::array<GoddardScale, 7> kGoddardScales = {{{1000_B, {10, 1}},
                                                                {1000_B, {15, 1}},
                                                                {2000_B, {15, 1}},
                                                                {2000_B, {20, 1}},
                                                                {4000_B, {20, 1}},
                                                                {4000_B, {30, 1}},
                                                                {8000_B, {30, 1}}}};

// 004 table 5.3.
struct GoddardRules {
  Duration pair_timeout = 2s;
  double buffering_factor = 1.5;  // of the scale's rate
  Duration reserve = 5s;          // of video, before it plays
  Duration loss_interval = 5s;
  double most_loss = 0.05;  // of frames in loss_interval: beyond, one scale down
  Duration rise_interval = 60s;
  double least_loss = 0.01;  // of frames in rise_interval: below, one scale up
  int limit_factor = 3;      // times rise_interval until a limit of scales is relaxed
};

// How long a session goes on with a frame: as long as the client has something else to play.
inline constexpr Duration kGoddardWindow = Duration(5'000'000'000);

// What a client tells its server. The newest counts.
struct GoddardRequest {
  enum class Kind : std::uint8_t { kPair, kStream };
  Kind kind = Kind::kPair;
  // Of kStream:
  int scale = 0;  // 0..6
  bool buffering = false;

  bool operator==(const GoddardRequest&) const = default;
};

}  // namespace qvid::lab
