// Requests for synchronisation points, by layer: at most one is granted in kInterval. A request
// within the interval is remembered and granted when it is over, so that many viewers who join or
// lose frames at once cost one key frame and not one each.
//
// A synchronisation point that the encoder makes of itself grants what was asked before it.
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

  // Layers beyond kMaxUnits are ignored.
  void ask(std::uint8_t layer) {
    if (layer < kMaxUnits) layers_[layer].asked = true;
  }
  // Whether the next frame shall be one in that layer: if so, it is granted. layer < kMaxUnits.
  bool take(std::uint8_t layer, Timestamp now) {
    Layer& l = layers_[layer];
    if (!l.asked || (l.granted && now - *l.granted < kInterval)) return false;
    grant(l, now);
    return true;
  }
  // One was made, asked for or not. layer < kMaxUnits.
  void on_sync_point(std::uint8_t layer, Timestamp now) {
    if (layers_[layer].asked) grant(layers_[layer], now);
  }

 private:
  struct Layer {
    bool asked = false;
    std::optional<Timestamp> granted;  // the last request that was
  };
  static void grant(Layer& l, Timestamp now) {
    l.asked = false;
    l.granted = now;
  }

  std::array<Layer, kMaxUnits> layers_;
};

}  // namespace qvid::media
