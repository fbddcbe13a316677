// Playing stored video, without threads: when time runs, what is decoded next and when it is shown.
//
//             begin            first frame         reserve
//   kMoving ----------> kStarting ------> kFilling ------> kRunning <------> kStalled
//      ^  seek, from any     (it is shown at once)            |    nothing left / reserve again
//      +------------------------------------------------------+--> kFinished
//
// Play clock: while time runs   place(now) = anchor place + speed * (now - anchor time),   else the
// anchor place. A frame is shown when its place comes, and decoded kLead before with what has come of it:
// enhancement that is there by then makes it better. While time stands still enhancement of the
// picture shown that comes later makes it better too.
//
// Time runs when there are kReserve of base (or all that comes) and these came twice as fast as
// they are played, or faster; where base comes slower the next of its busy scenes would stop it at once, so
// that it waits for kCarefulReserve. It stands still where the base of no later frame is there,
// until there are kReserveAgain, or the careful reserve too. Base comes in order, so a frame whose
// base is missing while later ones are there has been given up: it is skipped and counted.
//
// After a seek nothing of before is given out. The frame at the place asked for is shown as soon as
// it can be decoded, also while paused.
//
// Bounds: kAhead frames and kMaxBytes in the assembler. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "media/playout/frame_assembler.h"
#include "media/stored/play_speed.h"
#include "media/stored/streaming_measures.h"

namespace qvid::media {

// The first place that is to be seen, where a reader asked for `asked` begins at `begins`: a
// synchronisation point some time before it, or as near as the file has one. `duration` zero: not
// known.
constexpr Duration place_to_see(Duration asked, Duration begins, Duration duration,
                                FrameRate rate) {
  constexpr Duration kLongestLead = std::chrono::seconds(2);
  const Duration last = duration - rate.frame_time();
  if (duration > Duration::zero() && asked > last) asked = last;
  return asked < begins || asked > begins + kLongestLead ? begins : asked;
}

class StoredPlayout {
 public:
  static constexpr Duration kReserve = std::chrono::milliseconds(400);
  static constexpr Duration kReserveAgain = std::chrono::seconds(1);
  static constexpr Duration kCarefulReserve = std::chrono::seconds(2);
  static constexpr int kFastFill = 2;                               // times the speed of playing
  static constexpr Duration kLead = std::chrono::milliseconds(60);  // about two frames
  static constexpr std::int64_t kAhead = 32 * 60;                   // 30 s at 60 a second, and some
  static constexpr ByteCount kMaxBytes = ByteCount(64 * 1024 * 1024);

  enum class State : std::uint8_t { kMoving, kStarting, kFilling, kRunning, kStalled, kFinished };

  // The viewer asks at `now`; it waits for begin.
  StoredPlayout(FrameRate rate, Timestamp now);

  // The viewer wants to go on elsewhere: nothing is shown until begin.
  void seek(Duration to, Timestamp now);
  // Frames come, numbered from 0; the first to be seen is the one shown at `to`.
  void begin(Duration to, Timestamp now);
  // Of the seek epoch that has begun.
  void on_message(FrameMessage message, Timestamp now);
  // All the base of this seek epoch has come.
  void on_end(Timestamp now);
  void pause(Timestamp now);
  void play(Timestamp now);
  // One of kPlaySpeeds; at first 1. It stays over seeks.
  void set_speed(double speed, Timestamp now);

  struct Task {
    FrameNumber number;                 // to be shown
    Duration due{};                     // its place
    std::vector<ReceivedFrame> frames;  // to be decoded, in order
    bool again = false;                 // it was shown, with less
    int lost = 0;                       // frames that were passed over before it
    int announced = 0;                  // units of it
    int received = 0;
  };
  // What to decode now, if anything.
  std::optional<Task> next_task(Timestamp now);
  void on_decode_error(FrameNumber number) { assembler_.on_decode_error(number); }
  // When a frame taken is to be shown; kNever: time does not run.
  Timestamp show_time(Duration due) const;
  void on_shown(const Task& task, int layer, Timestamp now);
  void on_lost() { measures_.lost(rate_.frame_time()); }
  // Time runs out, or is to be looked at; kNever: only a call changes something.
  Timestamp next_event() const;

  State state() const { return state_; }
  bool is_paused() const { return paused_; }
  bool runs() const { return running_; }
  double speed() const { return speed_; }
  Duration place(Timestamp now) const;
  // How far beyond it the base is there without a gap.
  Duration buffered(Timestamp now) const;
  std::int64_t seek_epoch() const { return seek_epoch_; }  // counts begin and seek
  const StreamingMeasures& measures() const { return measures_; }
  ByteCount bytes() const { return assembler_.bytes(); }

 private:
  void advance(Timestamp now);
  void choose_first(Timestamp now);
  bool has_reserve(Timestamp now) const;
  void run(bool on, Timestamp now);
  Duration due_of(FrameNumber number) const;
  // The first frame after the one last taken whose base is there; empty: none.
  std::optional<FrameNumber> next_there() const;
  std::optional<Task> better_picture(Timestamp now);

  const FrameRate rate_;
  FrameAssembler assembler_{kAhead, kMaxBytes};
  std::set<FrameNumber> there_;  // header and base; those after last_taken_
  FrameNumber without_gap_{-1};  // the last of there_ in a row from its beginning
  StreamingMeasures measures_;

  State state_ = State::kMoving;
  std::int64_t seek_epoch_ = 0;
  Duration to_{};
  bool end_ = false;
  bool paused_ = false;
  bool running_ = false;
  double speed_ = 1;
  Duration anchor_place_{};
  Timestamp anchor_time_{};
  Timestamp filling_since_{};         // the first base of this reserve came
  std::optional<FrameNumber> first_;  // to be seen
  FrameNumber last_taken_{-1};
  Duration last_due_{};
  std::size_t taken_units_ = 0;
};

}  // namespace qvid::media
