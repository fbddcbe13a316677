// Which size of segments each end wants for its content (003): this end by SegmentPolicy, the other
// as it says. A client has the sockets made, so a server tells it what it wants, and a client tells
// nothing.
//
// Pure. Thread: one at a time.
#pragma once

#include <optional>
#include <utility>

#include "transport/control/controller.h"
#include "transport/send/segment_policy.h"
#include "transport/session/session_config.h"

namespace paceline {

class SegmentWish {
 public:
  // `allowed`: small segments may be wanted at all.
  SegmentWish(Side side, bool allowed) : side_(side), allowed_(allowed) {}

  // `gap`: the longest time without an acknowledgement since the last call. Beside a competitor
  // full segments are wanted: the kernels share a line by segments.
  void update(Duration gap, const ControllerSignals& controller, Timestamp now) {
    policy_.on_gap(gap, now);
    const bool small = allowed_ && !controller.competing && policy_.update(controller.window, now);
    if (small == small_) return;
    small_ = small;
    tell();
  }
  void on_peer(const Segments& peer) { peer_small_ = peer.segment != 0 && allowed_; }
  // What was told may have gone down with its channel.
  void tell() { due_ = side_ == Side::kServer; }
  // What is to be told now.
  std::optional<Segments> take_due() {
    if (!std::exchange(due_, false)) return std::nullopt;
    return Segments{small_ ? kSmallSegment : 0};
  }

  // This end's content wants a channel with small segments.
  bool small() const { return small_; }
  // One of both ends' does: the client should keep one.
  bool small_by_any() const { return small_ || peer_small_; }

 private:
  const Side side_;
  const bool allowed_;
  SegmentPolicy policy_;
  bool small_ = false;
  bool peer_small_ = false;
  bool due_ = false;
};

}  // namespace paceline
