// What a load test measures: delays as a histogram, of each layer how much arrived of what was sent,
// and how long a viewer had to wait for the next base part.
//
// Counted are the items that were sent in [begin, end); what was sent before is the warm-up. Where
// N viewers watch, an item is expected N times. Memory does not grow with time. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/duration_histogram.h"
#include "base/units.h"
#include "lab/load/load_pattern.h"

namespace qvid::lab {

class LoadStatistics {
 public:
  static constexpr std::size_t kLayers = LoadPattern::kLayers;

  void begin(Timestamp at) { begin_ = at; }
  void end(Timestamp at) { end_ = at; }

  // An item is sent, to so many viewers.
  void on_item(Timestamp sent, std::size_t viewers);
  // A part arrived whole at one of them, which is counted from 0.
  void on_part(std::size_t viewer, std::size_t layer, Timestamp sent, ByteCount size,
               Timestamp now);

  // Of those counted: base parts, and all.
  const DurationHistogram& base() const { return base_; }
  const DurationHistogram& all() const { return all_; }
  std::int64_t parts() const { return all_.count(); }
  ByteCount bytes() const { return bytes_; }
  // 0..1; 0 where nothing was expected.
  double lost(std::size_t layer) const;
  double lost() const;
  // From one base part to the next, at the viewer where that was longest, within [begin, end). Of
  // who got one before it began: until the end, where no more came.
  Duration longest_gap() const;

 private:
  bool counts(Timestamp sent) const { return sent >= begin_ && sent < end_; }
  // What of it is within [begin, end); nothing where there is no `from`.
  Duration gap(Timestamp from, Timestamp to) const;

  Timestamp begin_ = kNever;
  Timestamp end_ = kNever;
  std::int64_t expected_ = 0;  // of each layer
  std::array<std::int64_t, kLayers> arrived_{};
  ByteCount bytes_;
  DurationHistogram base_;
  DurationHistogram all_;
  std::vector<Timestamp> last_;  // base part, of each viewer; kNever: none yet
  Duration longest_gap_{};
};

}  // namespace qvid::lab
