// Stored video over plain TCP, as browsers play it: the file as it is, all layers of each frame in
// the order of the file, over one connection. What Qvid's stored video is compared with.
//
//   it begins          when kReserve of video is there, or all of the rest
//   a frame is shown   one frame time after the one before, if all of it has come
//   else time stands   until kReserve is there again (re-buffering)
//
// Every picture has all layers: what the link lacks becomes waiting, not coarser pictures.
// Model: bytes of a slot of the receiver (100 ms) have come evenly in it, so that times are good to
// less than a slot. Decoding takes no time. Pure; everything counts since the run's begin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "lab/bed/stored_video.h"
#include "media/stored/streaming_measures.h"

namespace qvid::lab {

inline constexpr Duration kReserve = Duration(2'000'000'000);

// When each frame was whole; kNever: not by the end of the slots. `slots`: bytes that the
// application got in each, from the run's begin.
std::vector<Timestamp> arrivals(const StoredVideo& video, std::span<const std::int64_t> slots);

// What the viewer got who asked at `opened`, until `end` or the end of the video.
media::StreamingMeasures play_progressively(const StoredVideo& video,
                                            std::span<const std::int64_t> slots, Timestamp opened,
                                            Timestamp end);

}  // namespace qvid::lab
