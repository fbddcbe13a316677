// Requests for synchronisation points, by layer: at most one is granted in kInterval. A request
// within the interval is remembered and granted when it is over, so that many viewers who join or
// lose frames at once cost one key frame and not one each.
//
// A synchronisation point that the encoder makes of itself grants what was asked before it.
//
// Where all who watch are new to it, as those of a party that has moved to another node, they come within
// moments, and not at once: then the first kOpenings requests of a layer within kOpening are granted
// kOpeningInterval apart. Else whoever came behind the first key frame would see nothing for kInterval.
// `./run lab cluster` needs it.
//
// Pure: `now` goes in. Thread: one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/units.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

class SyncRequests {
 public:
  static constexpr Duration kInterval = 500ms;
  static constexpr Duration kOpening = 1s;
  static constexpr Duration kOpeningInterval = 50ms;
  static constexpr int kOpenings = 4;

  void open(Timestamp now) {
    opening_until_ = now + kOpening;
    for (Layer& l : layers_) l.openings = kOpenings;
  }

  // Layers beyond kMaxUnits are ignored.
  void ask(std::uint8_t layer) {
    if (layer < kMaxUnits) layers_[layer].asked = true;
  }
  // Whether the next frame shall be one in that layer: if so, it is granted. layer < kMaxUnits.
  bool take(std::uint8_t layer, Timestamp now) {
    Layer& l = layers_[layer];
    const bool opening = now < opening_until_ && l.openings > 0;
    const Duration interval = opening ? kOpeningInterval : kInterval;
    if (!l.asked || (l.granted && now - *l.granted < interval)) return false;
    grant(l, now);
    if (opening) --l.openings;
    return true;
  }
  // One was made, asked for or not. layer < kMaxUnits.
  void on_sync_point(std::uint8_t layer, Timestamp now) {
    if (layers_[layer].asked) grant(layers_[layer], now);
  }

 private:
  struct Layer {
    bool asked = false;
    int openings = 0;
    std::optional<Timestamp> granted;  // the last request that was
  };
  static void grant(Layer& l, Timestamp now) {
    l.asked = false;
    l.granted = now;
  }

  std::array<Layer, kMaxUnits> layers_;
  Timestamp opening_until_{};
};

}  // namespace qvid::media
