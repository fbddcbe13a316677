// What a viewer of stored video got: start-up, re-buffering, quality over time, jitter of frame
// reception, seek response. Source: the measures of Goddard (004 section 5.2.3), with layers in the
// place of its media scales.
//
//   start-up       from opened to the first resumed; the first picture may be there before
//   re-buffering   stalled to resumed: time stands still because there is nothing to show
//   level          layers of a picture shown: 1 base alone .. all; 0 a frame that was lost
//   frame rate     pictures shown / (time played + time stalled)
//   reception      interval of two received frames / (frames lost between them + 1);
//                  jitter is theta (standard deviation) against mu (mean) of these
//   adaptation     from a change of the link until the level stays within half a layer of where it
//                  ends up, for kSettled
//
// Invariant: played + stalled + paused + seeking + start-up is the time from opened to now. Events
// come in the order of time; what makes no sense in a state is left aside. Bound: kMaxSeconds means
// of a second of playing, kMaxSeeks responses; later ones are not noted. Pure. Thread: one at a
// time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/sequence.h"
#include "base/units.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

class StreamingMeasures {
 public:
  static constexpr std::size_t kMaxSeconds = 4 * 3600;
  static constexpr std::size_t kMaxSeeks = 1000;
  static constexpr std::size_t kSettled = 5;  // seconds

  struct Summary {
    std::optional<Duration> first_picture;  // from opened; empty: none was shown
    std::optional<Duration> start_up;       // from opened to the first time that it plays
    Duration played{};
    Duration paused{};
    Duration stalled{};
    std::int64_t stalls = 0;  // re-buffering events
    std::int64_t pictures = 0;
    std::int64_t lost = 0;
    double frame_rate = 0;                      // a second
    double mean_level = 0;                      // layers shown, over the time shown or lost
    std::array<double, kMaxUnits + 1> share{};  // of that time, by level
    std::int64_t switches = 0;                  // of the level, between pictures
    Duration reception_mean{};                  // mu
    Duration reception_deviation{};             // theta
    std::vector<Duration> seek_responses;       // from a seek to its first picture
  };

  // The viewer asks for the video.
  void opened(Timestamp at);
  // A frame can be decoded from now on: its base is there. Numbers of one run of frames rise; a
  // lower one is left aside.
  void received(FrameNumber number, Timestamp at);
  // A picture with layers 0..`layer` is on the screen; `frame_time` is how long it is meant to
  // stay.
  void shown(Duration frame_time, int layer, Timestamp at);
  void lost(Duration frame_time);
  void stalled(Timestamp at);
  void resumed(Timestamp at);  // time runs, for the first time or again
  void paused(Timestamp at);   // by the viewer
  void seek(Timestamp at);     // frames are numbered anew from here on
  void ended(Timestamp at);    // a seek may follow

  Summary summary(Timestamp now) const;
  // The mean level of each second of playing or standing still since the first picture. A second
  // without a picture repeats the one before.
  const std::vector<float>& levels() const { return levels_; }
  // Of a link that changed at `changed`, judged by what is known until `until`. Empty: the level
  // did not settle, or there are not kSettled seconds.
  std::optional<Duration> adaptation_time(Timestamp changed, Timestamp until) const;

 private:
  enum class State : std::uint8_t {
    kIdle,
    kOpening,
    kPlaying,
    kStalled,
    kPaused,
    kSeeking,
    kEnded
  };
  void enter(State state, Timestamp at);
  void close_seconds(Timestamp at);

  State state_ = State::kIdle;
  Timestamp since_{};
  Timestamp opened_{};
  std::array<Duration, 7> time_in_{};  // by state, up to since_
  Summary counted_;
  std::array<Duration, kMaxUnits + 1> time_at_{};
  std::optional<int> level_;
  std::optional<Timestamp> seek_;  // not answered yet

  std::optional<Timestamp> first_shown_;
  std::vector<float> levels_;
  double second_sum_ = 0;
  int second_count_ = 0;

  std::optional<FrameNumber> last_received_;
  Timestamp last_reception_{};
  // Of the intervals, in seconds: count, mean and sum of squared distances from it (Welford).
  std::int64_t intervals_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

}  // namespace qvid::media
