// When the player shows a frame, without any agreement of clocks.
//
//   show(n)        = captured(n) + lag(captured(n))
//   goal(captured) = offset(captured) + target       (clock_model.h, playout_delay.h)
//
// lag follows goal. In one frame time it changes by at most `slew` of it: so little slower or faster
// is not seen, and so is no correction of the phase, the rate or the target. It is a curve over
// capture times that begins at the frame on show; what has been shown does not change, so that show
// times never go backwards, and each interval is within `slew` of that of the captures. Three
// things move the curve at once:
//
//   a step (a clock was set, a machine slept, nothing is in time)
//   a frame that was shown late: the gap has been seen; those behind it keep their distance to it,
//   and the lag returns at `slew`. At most `most`, the latest at which anything is in time.
//   a frame that ends a gap: the picture has stood, so that nothing is gained by a lag that returns
//
// Where sound leads (sound/presentation_clock.h), a frame is shown when the sound of its instant is
// heard or kLipSlack sooner, but never earlier than by its own timeline, which goes on underneath:
//
//   show(n) = max(show(n) as above, captured(n) + lead - kLipSlack)
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

namespace qvid::media {

class PlayoutClock {
 public:
  // Sound that is later than the picture by more is of another clock, and not followed.
  static constexpr Duration kMostLead = std::chrono::seconds(4);
  // Sound and picture that differ by less are seen as one: less than half of what ITU-R BT.1359 has
  // as the threshold where sound comes first.
  static constexpr Duration kLipSlack = std::chrono::milliseconds(20);

  // `slew` 0..1.
  PlayoutClock(FrameRate rate, double slew) : slew_(slew), model_(rate) {}

  // A frame header has come. `captured` and `due` (unit_wire.h) are on the sender's clock,
  // `arrival` on ours. Gives by how much the offset has risen with it.
  Duration on_header(Timestamp captured, Timestamp due, Timestamp arrival);
  // From capture on, the path's least transit left aside; `most`: of that and of what is shown late.
  void set_target(Duration target, Duration most, Timestamp now);
  // That frame, which is not shown yet, ends a gap that was seen: the curve begins there, at its goal
  // or sooner.
  void on_gap_ends(Timestamp captured);
  // That frame was shown at `now`, later than its time.
  void on_shown_late(Timestamp captured, Timestamp now);

  // When sound leads: `lead` after its capture the sound of an instant is heard; empty: it does not.
  // Precondition: started.
  void follow(std::optional<Duration> lead, Timestamp now);
  bool follows() const { return lead_.has_value(); }

  bool started() const { return model_.started(); }
  // Precondition of the rest: started. Later headers may change what they say of frames that are
  // not yet shown.
  Timestamp show_time(Timestamp captured) const { return captured + lag_in_effect(captured); }
  // What show_time() is on its way to.
  Timestamp goal_time(Timestamp captured) const { return captured + goal(captured); }
  // The lag that sound must have for pictures to be in time.
  Duration least_lead(Timestamp captured) const {
    return std::max(lag(captured), goal(captured)) - kLipSlack;
  }
  // From capture (on the sender's clock) to `shown` (on ours).
  Duration delay(Timestamp captured, Timestamp shown, Duration least_round_trip) const {
    return shown - model_.offset(captured) + least_round_trip / 2 - captured;
  }
  // When it were here on the path's least transit, had it left when it was captured.
  Timestamp least_arrival(Timestamp captured) const { return captured + model_.offset(captured); }
  // How long after its capture a unit was here, the path's least transit left aside.
  Duration need(Timestamp captured, Timestamp arrival) const {
    return arrival - least_arrival(captured);
  }
  // The target that is played, on its way to what was set.
  Duration in_effect(Timestamp captured) const {
    return lag_in_effect(captured) - model_.offset(captured);
  }

  // By how much our clock is faster than the server's.
  double drift_ppm() const { return model_.rate() * 1e6; }
  // Corrections of more than ClockModel::kStep, taken at once.
  std::int64_t steps() const { return model_.steps(); }

 private:
  Duration goal(Timestamp captured) const { return model_.offset(captured) + target_; }
  Duration lag(Timestamp captured) const;
  // The curve goes on from the frame on show, as it was until now.
  void begin_curve(Timestamp now);
  // The capture time of the frame on show at `now`.
  Timestamp on_show(Timestamp now) const;
  Duration lag_in_effect(Timestamp captured) const {
    return lead_ ? std::max(lag(captured), *lead_ - kLipSlack) : lag(captured);
  }

  double slew_;
  Duration target_{};
  Duration most_{};
  ClockModel model_;
  // The curve begins here.
  Timestamp anchor_;
  Duration lag_{};
  std::optional<Duration> lead_;
};

}  // namespace qvid::media
