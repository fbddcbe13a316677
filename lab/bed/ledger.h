// What one receiver got, and when. Bounded: a frame's entry is made once, and frames beyond
// kMostFrames (two hours) are not counted.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lab/bed/adu.h"
#include "lab/bed/run_clock.h"
#include "lab/bed/run_result.h"
#include "lab/bed/run_spec.h"

namespace qvid::lab {

class Ledger {
 public:
  static constexpr std::uint32_t kMostFrames = 216'000;
  static constexpr std::size_t kMostDelays = 1'000'000;

  // `on_unit`, where there is one, is told of what on_adu is.
  Ledger(const RunClock& clock, const FlowSpec& spec, UnitListener on_unit = {});

  // Bytes of content that the receiver's application was handed.
  void on_bytes(std::int64_t bytes, Timestamp now);
  // A unit is there as a whole. Its bytes are counted by on_bytes, as they come.
  void on_adu(const Adu& adu, Timestamp now);

  // Adds to the flow's result; `frames` were captured.
  void fill(FlowResult& result, std::uint32_t frames) const;

 private:
  struct Frame {
    Timestamp captured{};
    std::uint8_t in_time = 0;  // one bit a layer
    std::array<std::uint32_t, kLayers> bytes{};
  };

  RunClock clock_;
  bool video_;
  Duration window_;
  UnitListener on_unit_;
  std::vector<std::int64_t> delivered_;  // by slot
  std::vector<float> delays_ms_;
  std::array<std::vector<float>, kLayers> layer_delays_ms_;
  std::vector<Frame> frames_;
  std::int64_t video_bytes_ = 0;  // in the measured time
};

}  // namespace qvid::lab
