// Which rate Opus gets on a path of a given rate: sound is small beside the picture, and must never
// be what fills the path.
//
//   path    below 300   300    500    1000    2000 kbit/s
//   voice        16      24     32      48      48
//   rich         16      24     32      48      64          rich: music, or stereo
//
// Down at once; up after the path has had room for kPatience, as far as it had room all that time.
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <optional>

#include "base/units.h"

namespace qvid::media {

class SoundRate {
 public:
  static constexpr Duration kPatience = std::chrono::seconds(5);

  explicit SoundRate(bool rich = false) : rich_(rich) {}

  // The first path's is taken as it is.
  DataRate on_path(DataRate path, Timestamp now) {
    const DataRate fit = fitting(path);
    if (!rate_ || fit <= *rate_) {
      rate_ = fit;
      room_.reset();
      return *rate_;
    }
    if (!room_) room_ = Room{.since = now, .rate = fit};
    room_->rate = std::min(room_->rate, fit);
    if (now - room_->since >= kPatience) {
      rate_ = room_->rate;
      room_.reset();
    }
    return *rate_;
  }

 private:
  struct Room {
    Timestamp since{};
    DataRate rate{};  // the least of the time
  };

  DataRate fitting(DataRate path) const {
    if (path < DataRate::from_kbps(300)) return DataRate::from_kbps(16);
    if (path < DataRate::from_kbps(500)) return DataRate::from_kbps(24);
    if (path < DataRate::from_kbps(1000)) return DataRate::from_kbps(32);
    if (path < DataRate::from_kbps(2000) || !rich_) return DataRate::from_kbps(48);
    return DataRate::from_kbps(64);
  }

  bool rich_;
  std::optional<DataRate> rate_;
  std::optional<Room> room_;
};

}  // namespace qvid::media
