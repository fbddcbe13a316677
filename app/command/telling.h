// When a window of a call is told anew of members, voices and connections: at once where there is news, else as often
// as an eye follows. It takes a tenth of what a drawing takes, and pictures come a hundred times a second.
//
// Thread: on_news() any, the rest one.
#pragma once

#include <atomic>
#include <optional>

#include "base/units.h"

namespace qvid::app {

class Telling {
 public:
  // Of who speaks how loud, and of what is counted.
  static constexpr Duration kLongest = std::chrono::milliseconds(50);

  // Something changed, and the window is woken for it.
  void on_news() { news_ = true; }
  // The window's turn, once what it shows was fetched. `shows_unknown`: a picture of a tile that it was not told of.
  // True: it is told now.
  bool on_turn(bool shows_unknown, Timestamp now) {
    const bool news = news_.exchange(false);
    if (!news && !shows_unknown && told_ && now - *told_ < kLongest) return false;
    told_ = now;
    return true;
  }

 private:
  std::atomic<bool> news_ = false;
  std::optional<Timestamp> told_;
};

}  // namespace qvid::app
