// How much the encoder is asked for, by how long it takes: a machine that cannot keep up gives a
// smaller picture in time rather than a full one late; or, where detail is preferred, as of a screen
// with text, fewer pictures.
//
//     level   size   rate   cost: pixels a second    detail: size   rate   cost
//       0     1      1      1                                1      1      1
//       1     3/4    1      9/16                             1      1/2    1/2
//       2     1/2    1      1/4                              1      1/4    1/4
//       3     1/2    1/2    1/8                              3/4    1/4    9/64
//
//     load      = mean time to encode a frame / frame time of the level, over kWindow
//     down      load > 0.9, or places were skipped at more than a tenth of the window's frames
//     predicted = load * cost(level - 1) / cost(level)
//     up        predicted < 0.6 in every window for as long as wait(level - 1)
//
// Between 0.6 and 0.9 nothing happens, so that a climb is not undone by what it adds. wait is 10 s;
// a level that fails within 30 s of a climb to it waits twice as long the next time, up to 5 min,
// and 10 s again after it has failed later than that.
//
// Why the simple model is enough: x264's time goes with pixels, and what it misses the back-off
// repairs. Pure: `now` goes in. Bound: one window's sums. Thread: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "base/units.h"
#include "media/live/adaptation_policy.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

struct EncodingLevel {
  double scale = 1.0;        // of each side
  int places_per_frame = 1;  // of the regulated timeline
  constexpr double cost() const { return scale * scale / places_per_frame; }
};
using EncodingLevels = std::array<EncodingLevel, 4>;
inline constexpr EncodingLevels kEncodingLevels = {EncodingLevel{1.0, 1}, EncodingLevel{0.75, 1},
                                                   EncodingLevel{0.5, 1}, EncodingLevel{0.5, 2}};
inline constexpr EncodingLevels kDetailLevels = {EncodingLevel{1.0, 1}, EncodingLevel{1.0, 2},
                                                 EncodingLevel{1.0, 4}, EncodingLevel{0.75, 4}};

// What was measured at a level that was too much.
struct Overload {
  Duration encoding{};    // mean of a frame
  Duration frame_time{};  // that there was for it
};

class OverloadPolicy {
 public:
  static constexpr Duration kWindow = 1s;
  static constexpr int kLeastFrames = 5;  // of a window, however long that takes
  static constexpr double kTooMuch = 0.9;
  static constexpr double kEnoughRoom = 0.6;
  static constexpr double kSkippedTooOften = 0.1;
  static constexpr Duration kFirstWait = 10s;
  static constexpr Duration kLongestWait = 5min;
  static constexpr Duration kFailedSoon = 30s;
  // Without a frame for longer, nothing was asked of the encoder: a pause, a machine asleep. What
  // was measured before is forgotten.
  static constexpr Duration kIdle = 2s;

  // `rate`: of level 0.
  explicit OverloadPolicy(FrameRate rate, Preference prefer = Preference::kMotion)
      : rate_(rate), levels_(prefer == Preference::kDetail ? &kDetailLevels : &kEncodingLevels) {
    wait_.fill(kFirstWait);
  }

  // A frame was encoded at `level()` in `encoding`, and is ready `now`. `skipped`: places of the
  // timeline passed before it for want of time. Returns whether the level has changed.
  bool on_frame(Duration encoding, bool skipped, Timestamp now);

  std::size_t level() const { return level_; }
  const EncodingLevel& at(std::size_t level) const { return (*levels_)[level]; }
  // Why the level above is not used. Precondition: level() > 0.
  const Overload& overload() const { return overload_[level_ - 1]; }

 private:
  bool judge(Timestamp now);
  void change_to(std::size_t level, Timestamp now);
  Duration frame_time(std::size_t level) const { return rate_.time_of(at(level).places_per_frame); }

  FrameRate rate_;
  const EncodingLevels* levels_;
  std::size_t level_ = 0;
  std::array<Duration, kEncodingLevels.size()> wait_{};      // before a climb to that level
  std::array<Overload, kEncodingLevels.size()> overload_{};  // when it failed last
  Timestamp climbed_ = Timestamp::min();  // to the running level; min: it was fallen to
  Timestamp calm_since_{};                // the next level has seemed possible
  // The window.
  bool begun_ = false;
  Timestamp began_{};
  Timestamp last_{};
  Duration encoding_{};  // sum
  int frames_ = 0;
  int skipped_ = 0;  // frames before which places were skipped
};

// For a person: "480x360 at 15 fps: encoding takes 41 ms of 33".
std::string describe_limit(PictureSize size, double frames_per_second, const Overload& overload);

}  // namespace qvid::media
