// Priority-Progress streaming of a stored video: what is sent of it, when, and what is given up.
// Source: 000 section 5.1 (an adaptive timeline whose window grows up to 30 s) after Krasic and
// Walpole, "Priority-Progress Streaming for Quality-Adaptive Multimedia".
//
//   played            progress: by time ->                       read_until
//   ------|==== look-ahead window: 3 s, growing to 30 s ============|
//         | base          240   all of the window first, in time order
//         | enhancement   216   after that, in time order           } priority
//         | next layer    192   ..
//
// Window. It begins with the base that a busy scene may need where the link carries little more
// than that: no enhancement is sent before. On a wide link that is there at once. It grows by
// kGrowth a second as long as what is sent is well ahead of when it is needed; by kCautiousGrowth
// where only the base is; where the base is not it stays. So quality now is weighed against the
// base of later.
//
// Dropping. An enhancement unit goes when playing passes it; in the first kMendable after a seek,
// where nothing can be early, one that later frames need may be late, and mends them. Base is kept
// until nobody can use it: the player waits for it. A unit goes with what it depends on. Where a
// unit that others need was late, the layer begins anew at a synchronisation point a third of the
// window ahead, so that quality changes every few seconds and not with every group of pictures.
//
// A viewer who wants the lower layers alone is sent no others.
//
// Importance. Layers only: within a layer all frames are alike and go in time order. Classes within
// the pattern of four, as live video has them (adaptation_policy.h), would show every second or
// fourth picture sharp, which flickers; and base is never chosen from, because time stops for it.
// Headers are as their base and go before it by their position. Messages get no deadline of their
// own: the viewer may pause at any moment, so that only a cancel at the time is right.
//
// Numbers: of a seek epoch, from 0, rising by one; a seek makes a new object. Bounds: kMaxFrames
// frames and kMaxQueued bytes not delivered; beyond, read_until stands still. Pure. Thread: one at
// a time.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "media/unit/unit_wire.h"

namespace qvid::media {

constexpr std::uint8_t stored_importance(std::uint8_t layer) {
  return static_cast<std::uint8_t>(240 - 24 * (layer < 7 ? layer : 7));
}

class PriorityProgress {
 public:
  static constexpr Duration kFirstWindow = std::chrono::seconds(3);
  static constexpr Duration kLongestWindow = std::chrono::seconds(30);
  static constexpr double kGrowth = 1.5;          // a second
  static constexpr double kCautiousGrowth = 1.1;  // a second
  static constexpr Duration kMendable = std::chrono::milliseconds(500);
  static constexpr Duration kLongestHeadStart = std::chrono::seconds(10);
  static constexpr int kHeadStartDivisor = 3;                             // a third of the window
  static constexpr Duration kDecodeTime = std::chrono::milliseconds(70);  // of the player's
  static constexpr Duration kTurn = std::chrono::milliseconds(100);       // between polls
  static constexpr ByteCount kMaxQueued = ByteCount(24 * 1024 * 1024);
  static constexpr std::size_t kMaxFrames = 2304;  // 30 s at 60 a second, and 255 to depend on

  // `to`: the first place that is to be seen. Frames before it are sent only as far as those from
  // there on depend on them.
  PriorityProgress(FrameRate rate, Duration to);

  // The next frame of the file; `due` is its place in it.
  void on_frame(std::shared_ptr<const WireFrame> frame);
  // No more layers than these from now on, 1 or more; of what has been delivered nothing is taken back.
  void set_layers(int most) { layers_ = most; }
  // The file has no more.
  void on_end() { end_ = true; }
  // A report of the player: `at` is shown now, and places pass at `speed`; 0: time stands still.
  // `round_trip` is as old as the report makes it.
  void on_position(Duration at, double speed, Duration round_trip, Timestamp now);

  // A unit, or where that is empty the header, of a frame of this seek epoch.
  struct Part {
    FrameNumber number;
    std::optional<std::uint8_t> unit;  // index in the frame
    auto operator<=>(const Part&) const = default;
  };
  // A part that was given out to be sent has ended, as a message does, at most once each.
  void on_part_ended(const Part& part, bool delivered);

  struct Send {
    Part part;
    std::uint8_t importance = 0;
    std::uint64_t position = 0;
    Payload payload;
  };
  struct Decisions {
    std::vector<Send> sends;
    std::vector<Part> cancels;  // of parts given out before, which have not ended
  };
  Decisions poll(Timestamp now);

  // As far as frames are wanted: a place in the file.
  Duration read_until() const;
  // All base before this place has been delivered or given up; sound goes with it, a little ahead.
  Duration base_until() const;
  Duration reported() const { return at_; }  // where the player said it was
  Duration window() const { return window_; }
  ByteCount queued() const { return queued_; }
  std::size_t remembered() const { return entries_.size(); }
  // The end was reached, and what can still be used of the base has been delivered.
  bool complete() const { return end_ && first_missing_base_ == entries_.size(); }
  std::int64_t units_dropped() const { return dropped_; }

 private:
  enum class State : std::uint8_t { kWaiting, kSent, kDelivered, kGone };
  struct Unit {
    std::uint8_t layer = 0;
    State state = State::kWaiting;
    std::int32_t needed_for = 0;
    ByteCount size;
    std::vector<UnitDependency> depends_on;
  };
  struct Entry {
    std::shared_ptr<const WireFrame> frame;  // until nothing of it waits
    Duration due{};
    State header = State::kWaiting;
    std::vector<Unit> units;
  };
  // Where the player will be when what is sent now gets there.
  Duration playing_at(Timestamp now) const;
  bool late(const Entry& entry, const Unit& unit, Duration playing) const;
  bool depends_on_gone(std::size_t index, const Unit& unit) const;
  bool drop_late(Duration playing, Decisions& decisions);
  void drop(std::size_t index, std::size_t unit, Decisions& decisions);
  void send(std::size_t index, Decisions& decisions);
  void grow(Duration playing, Timestamp now);
  void forget_old(Duration playing);
  FrameNumber number_of(std::size_t index) const {
    return FrameNumber(first_ + static_cast<std::int64_t>(index));
  }

  const FrameRate rate_;
  const Duration to_;
  std::deque<Entry> entries_;
  std::int64_t first_ = 0;              // number of entries_.front()
  std::size_t first_missing_base_ = 0;  // index: all of the base before it is there, or given up
  std::size_t unsent_ = 0;              // index: nothing before it waits to be sent
  ByteCount queued_;
  std::int64_t dropped_ = 0;
  bool end_ = false;

  int layers_ = kMaxUnits;
  Duration window_ = kFirstWindow;
  std::optional<Timestamp> grown_;  // when the window was looked at last
  // An enhancement layer that was late goes on from this place.
  std::array<Duration, kMaxUnits> resumes_at_{};

  Duration at_;
  double speed_ = 0;
  Duration round_trip_{};
  Timestamp reported_{};
};

}  // namespace qvid::media
