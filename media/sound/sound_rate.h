// Which rate Opus gets on a path of a given rate, and how long its packets are: sound is small beside
// the picture, and must never be what fills the path.
//
//   path      below 300   300    500    1000    2000 kbit/s
//   voice          16      24     32      48      48
//   rich           16      24     32      48      64          rich: music, or stereo
//   packets        20      20     20      10      10 ms
//
// A packet of 10 ms is heard 10 ms sooner, and costs as many headers again: 25 to 40 kbit/s.
//
// Down at once; up after the path has had room for a while, as far as it had room all that time: for
// kPatience, and for twice as long each time that the last rise did not last that long.
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "base/units.h"
#include "media/sound/sound_codec.h"

namespace qvid::media {

// Of a path that takes whatever there is of pictures beside it.
inline constexpr DataRate kAnySound = DataRate::from_kbps(1'000'000);

class SoundRate {
 public:
  static constexpr Duration kPatience = std::chrono::seconds(5);
  static constexpr Duration kMostPatience = std::chrono::seconds(80);

  // `longest`: packets are never longer.
  explicit SoundRate(bool rich = false, Duration longest = 20ms) : rich_(rich), longest_(longest) {}
  void set_rich(bool rich) { rich_ = rich; }  // from the next path on

  // The first path's is taken as it is.
  SoundCoding on_path(DataRate path, Timestamp now) {
    const std::size_t fit = fitting(path);
    if (!level_ || fit <= *level_) {
      if (level_ && fit < *level_ && risen_) {
        patience_ = now - *risen_ < kPatience ? std::min(2 * patience_, kMostPatience) : kPatience;
        risen_.reset();
      }
      level_ = fit;
      room_.reset();
      return coding();
    }
    if (!room_) room_ = Room{.since = now, .level = fit};
    room_->level = std::min(room_->level, fit);
    if (now - room_->since >= patience_) {
      level_ = room_->level;
      risen_ = now;
      room_.reset();
    }
    return coding();
  }

 private:
  struct Level {
    DataRate path;  // from there on
    DataRate voice;
    DataRate rich;
    Duration packet;
  };
  static constexpr DataRate kbps(std::int64_t rate) { return DataRate::from_kbps(rate); }
  static constexpr std::array<Level, 5> levels() {
    return {{{kbps(0), kbps(16), kbps(16), 20ms},
             {kbps(300), kbps(24), kbps(24), 20ms},
             {kbps(500), kbps(32), kbps(32), 20ms},
             {kbps(1000), kbps(48), kbps(48), 10ms},
             {kbps(2000), kbps(48), kbps(64), 10ms}}};
  }
  struct Room {
    Timestamp since{};
    std::size_t level = 0;  // the least of the time
  };

  static std::size_t fitting(DataRate path) {
    std::size_t level = 0;
    while (level + 1 < levels().size() && path >= levels()[level + 1].path) ++level;
    return level;
  }
  SoundCoding coding() const {
    const Level level = levels()[*level_];
    return {.rate = rich_ ? level.rich : level.voice, .packet = std::min(level.packet, longest_)};
  }

  bool rich_;
  const Duration longest_;
  std::optional<std::size_t> level_;
  std::optional<Room> room_;
  std::optional<Timestamp> risen_;
  Duration patience_ = kPatience;
};

}  // namespace qvid::media
