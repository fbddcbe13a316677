#include "lab/bed/progressive.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lab/bed/run_result.h"

namespace qvid::lab {

std::vector<Timestamp> arrivals(const StoredVideo& video, std::span<const std::int64_t> slots) {
  std::vector<Timestamp> times;
  times.reserve(video.frame_bytes.size());
  std::size_t slot = 0;
  std::int64_t before = 0;  // bytes that had come when the slot began
  std::int64_t needed = 0;
  for (const std::int64_t bytes : video.frame_bytes) {
    needed += bytes;
    for (; slot < slots.size() && before + slots[slot] < needed; ++slot) before += slots[slot];
    if (slot == slots.size()) {
      times.push_back(kNever);
      continue;
    }
    const Duration since = kSlot * (needed - before) / std::max<std::int64_t>(1, slots[slot]);
    times.push_back(Timestamp(kSlot * static_cast<Duration::rep>(slot) + since));
  }
  return times;
}

media::StreamingMeasures play_progressively(const StoredVideo& video,
                                            std::span<const std::int64_t> slots, Timestamp opened,
                                            Timestamp end) {
  const std::vector<Timestamp> arrived = arrivals(video, slots);
  const std::size_t frames = arrived.size();
  const Duration frame_time = video.rate.frame_time();
  const auto reserve =
      static_cast<std::size_t>(std::lround(to_seconds(kReserve) * video.rate.per_second()));
  media::StreamingMeasures measures;
  std::size_t received = 0;
  // Tells of all that has come by then; false: the end is before it.
  const auto receive_until = [&](Timestamp at) {
    for (; received < frames && arrived[received] <= std::min(at, end); ++received) {
      measures.received(FrameNumber(static_cast<std::int64_t>(received)), arrived[received]);
    }
    return at < end;
  };

  measures.opened(opened);
  bool runs = false;
  Timestamp at = opened;  // of the frame, if it has come
  for (std::size_t i = 0; i < frames; ++i, at += frame_time) {
    if (runs && arrived[i] > at) {
      if (!receive_until(at)) break;
      measures.stalled(at);
      runs = false;
    }
    if (!runs) {
      at = std::max(at, arrived[std::min(i + std::max<std::size_t>(1, reserve), frames) - 1]);
      if (!receive_until(at)) break;
      measures.resumed(at);
      runs = true;
    }
    if (!receive_until(at)) break;
    measures.shown(frame_time, video.layers - 1, at);
    if (i + 1 == frames && receive_until(at + frame_time)) measures.ended(at + frame_time);
  }
  receive_until(end);
  return measures;
}

}  // namespace qvid::lab
