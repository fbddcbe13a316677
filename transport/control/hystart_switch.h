// Whether a socket's slow start goes on without HyStart, which takes the queue that others make for
// its own (Linux: reno has none). Once slow start is over, for good: to change again at each loss
// would make the kernel's cubic forget which window was too much.
#pragma once

#include <optional>

#include "transport/control/controller.h"

namespace paceline {

class HyStartSwitch {
 public:
  // Whether HyStart is to be off, where that changes now; `wanted` by the controller.
  std::optional<bool> change(const SocketSample& sample, bool wanted) {
    // The kernel may undo this loss, but not behind a change of its congestion control.
    if (sample.slow_start_over && sample.repairs) return {};
    over_ |= sample.slow_start_over;
    const bool off = wanted && !over_;
    if (off == off_) return {};
    return off_ = off;
  }

 private:
  bool off_ = false;
  bool over_ = false;
};

}  // namespace paceline
