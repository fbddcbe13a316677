// When the player decodes and shows a frame, without any agreement of clocks.
//
//   decode(n) = due(n) + 1 frame + lag(due(n))         (the expire event, as seen from here)
//   show(n)   = decode(n) + 2 frames
//   goal(due) = offset(due) + N frames                 (clock_model.h; N: the transmit window)
//
// lag follows goal. In one frame time it changes by at most kSlew of it: 5% slower or faster is not
// seen, and so is no correction of the phase, the rate or the window. It is a curve over due times
// that begins at the frame on show; what has been shown does not change, so that show times never
// go backwards, and each interval is within kSlew of a frame time. Steps alone (a clock was set, a
// machine slept, nothing is in time) move the curve at once.
//
// Where sound leads (sound/presentation_clock.h), a frame is shown when the sound of its instant is
// heard, but never earlier than by its own timeline, which goes on underneath:
//
//   show(n) = max(show(n) as above, due(n) + lead)
//
// There it jumps as sound does. When sound leads no more, the curve begins at what was shown then.
//
// Capture-to-screen delay needs the transit alone, for which half of the smallest round trip
// stands.
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/units.h"
#include "media/playout/clock_model.h"
#include "media/unit/timeline_frames.h"

namespace qvid::media {

class PlayoutClock {
 public:
  static constexpr double kSlew = 0.05;
  // Sound that is later than the picture by more is of another clock, and not followed.
  static constexpr Duration kMostLead = std::chrono::seconds(4);

  // `window`: transmit window in frames, kMinWindow..kMaxWindow.
  PlayoutClock(FrameRate rate, int window) : rate_(rate), window_(window), model_(rate) {}

  // A frame header has come. `due` is on the sender's clock, `arrival` on ours.
  void on_header(Timestamp due, Timestamp arrival);
  // Show times move to the new window at kSlew: a frame of window takes 20 frame times.
  void set_window(int window, Timestamp now);

  // When sound leads: `lead` after its due time a frame is to be shown; empty: it does not.
  // Precondition: started.
  void follow(std::optional<Duration> lead, Timestamp now);

  bool started() const { return model_.started(); }
  int window() const { return window_; }
  // Precondition of the six: started. Later headers may change what they say of frames that are
  // not yet shown.
  Timestamp decode_time(Timestamp due) const {
    return due + rate_.time_of(kSetupFrames) + lag_in_effect(due);
  }
  Timestamp show_time(Timestamp due) const {
    return decode_time(due) + rate_.time_of(kDecodeFrames);
  }
  // The least lead with which frames are decoded in time.
  Duration least_lead(Timestamp due) const {
    return std::max(lag(due), goal(due)) + rate_.time_of(kSetupFrames + kDecodeFrames);
  }
  // From capture (on the sender's clock) to `shown` (on ours).
  Duration delay(Timestamp captured, Timestamp shown, Duration least_round_trip) const {
    return shown - model_.offset(captured) + least_round_trip / 2 - captured;
  }
  // How much window a unit of the frame that came at `arrival` has needed; negative: none at all.
  Duration needed_window(Timestamp due, Timestamp arrival) const {
    return arrival - due - rate_.time_of(kSetupFrames) - model_.offset(due);
  }
  // The window that is played, on its way to window().
  Duration window_in_effect(Timestamp due) const { return lag_in_effect(due) - model_.offset(due); }

  // By how much our clock is faster than the server's.
  double drift_ppm() const { return model_.rate() * 1e6; }
  // Corrections of more than ClockModel::kStep, taken at once.
  std::int64_t steps() const { return model_.steps(); }

 private:
  Duration goal(Timestamp due) const { return model_.offset(due) + rate_.time_of(window_); }
  Duration lag(Timestamp due) const;
  // The curve goes on from the frame on show, as it was until now.
  void begin_curve(Timestamp now);
  // The frame on show at `now`.
  Timestamp on_show(Timestamp now) const;
  Duration lag_in_effect(Timestamp due) const {
    return lead_ ? std::max(lag(due), *lead_ - rate_.time_of(kSetupFrames + kDecodeFrames))
                 : lag(due);
  }

  FrameRate rate_;
  int window_;
  ClockModel model_;
  // The curve begins here.
  Timestamp anchor_;
  Duration lag_{};
  std::optional<Duration> lead_;
};

}  // namespace qvid::media
