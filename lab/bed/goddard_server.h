// Goddard's server (004 section 5.2.2): which frame goes when. In streaming mode frames of the scale
// that was asked for come due at its rate, in buffering mode 1.5 times as fast.
//
// A frame that its way has no room for stays due: behind a full socket the server is late, and catches
// up. (The thesis's TCP takes all at once, into a queue without end.) Bound: at most kMostBehind.
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lab/bed/adu.h"
#include "lab/bed/goddard.h"

namespace qvid::lab {

class GoddardServer {
 public:
  static constexpr Duration kMostBehind = Duration(5'000'000'000);

  explicit GoddardServer(const GoddardRules& rules = {}) : rules_(rules) {}

  void on_request(const GoddardRequest& request, Timestamp now) {
    if (request.kind != GoddardRequest::Kind::kStream) return;
    scale_ = std::clamp(request.scale, 0, static_cast<int>(kGoddardScales.size()) - 1);
    buffering_ = request.buffering;
    next_ = std::min(next_, std::max(now, sent_ + interval()));
  }
  // When the next frame is due; kNever: nothing was asked for.
  Timestamp next() const { return next_; }
  // That frame. Precondition: it is due.
  Adu frame(Timestamp now) const {
    return {.bytes = static_cast<std::uint32_t>(of_scale().frame.value()),
            .layer = static_cast<std::uint8_t>(scale_),
            .frame = number_,
            .produced = now};
  }
  // It is on its way.
  void sent(Timestamp now) {
    ++number_;
    sent_ = std::max(next_, now - kMostBehind);
    next_ = sent_ + interval();
  }

 private:
  const GoddardScale& of_scale() const { return kGoddardScales[static_cast<std::size_t>(scale_)]; }
  Duration interval() const {
    const Duration time = of_scale().rate.frame_time();
    return buffering_ ? from_seconds(to_seconds(time) / rules_.buffering_factor) : time;
  }

  GoddardRules rules_;
  int scale_ = 0;
  bool buffering_ = false;
  std::uint32_t number_ = 0;
  Timestamp sent_{};  // when the last frame was due
  Timestamp next_ = kNever;
};

}  // namespace qvid::lab
