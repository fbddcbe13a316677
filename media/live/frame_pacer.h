// Hands frames of a source to the encoder: at once, at most at the rate.
//
// A frame goes out when it has come; if the encoder is busy, the newest waits for it. Nothing is
// repeated: a player shows the last picture until there is another. A source that gives frames
// faster than the rate (by kFaster, in the mean of about kMean frames: cameras and clocks that are
// a little fast, late frames and bursts are not) is thinned out:
//
//   next = max(next + 1 / rate, given + 1 / (2 rate))       the newest goes then
//
// so that two intervals may be one and a half and a half, and the mean is the rate. What is left out
// because of the rate is counted as dropped, what the encoder was too slow for (it waited for half a
// frame time and a newer one came) as skipped.
//
// At a part of the rate, as where the machine cannot keep up, all of this is of the lower rate.
// Numbers rise by one. While it is held back nothing goes out, and the newest waits.
//
// Bound: one frame waiting. Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "media/picture/video_frame.h"

namespace qvid::media {

class FramePacer {
 public:
  static constexpr double kFaster = 1.2;
  static constexpr int kMean = 16;
  static constexpr int kSlowest = 8;  // frame times from one frame to the next; beyond, as many

  explicit FramePacer(FrameRate rate) : rate_(rate), interval_(rate.frame_time()) {}

  struct Paced {
    VideoFrame frame;
    FrameNumber number;
  };

  // From the next frame on, frames are so many frame times apart; at least 1.
  void set_places_per_frame(int places) { places_per_frame_ = std::max(1, places); }

  void hold_back(bool on) { held_back_ = on; }

  void offer(VideoFrame frame, Timestamp now) {
    if (waiting_) {
      const bool too_slow = now - offered_ >= spacing() / 2 && offered_ >= next_;
      ++(held_back_ ? held_ : too_slow ? skipped_ : dropped_);
    }
    if (offered_ != Timestamp()) {
      const Duration most = kSlowest * rate_.frame_time();
      interval_ += (std::clamp(now - offered_, Duration::zero(), most) - interval_) / kMean;
    }
    waiting_ = std::move(frame);
    offered_ = now;
    if (static_cast<double>(interval_.count()) * kFaster >=
        static_cast<double>(spacing().count())) {
      next_ = std::min(next_, now);
    }
  }

  // The frame to encode now; empty: not yet.
  std::optional<Paced> poll(Timestamp now) {
    if (!waiting_ || held_back_ || now < next_) return std::nullopt;
    next_ = std::max(next_ + spacing(), now + spacing() / 2);
    Paced paced{.frame = *std::exchange(waiting_, std::nullopt), .number = number_};
    number_ = number_.next();
    return paced;
  }

  // When poll has something to give; kNever where nothing waits.
  Timestamp next_event() const {
    return waiting_ && !held_back_ ? std::max(next_, offered_) : kNever;
  }

  bool waiting() const { return waiting_.has_value(); }

  // The source is gone, or is not wanted: what waits is forgotten; numbers go on.
  void pause() { waiting_.reset(); }

  // How many frame times there are from one frame that goes out to the next, in the mean: 1, or
  // more of a source that is slower than the rate.
  double slowness() const { return std::max(1.0, to_seconds(interval_) / to_seconds(spacing())); }

  std::int64_t dropped() const { return dropped_; }
  std::int64_t skipped() const { return skipped_; }
  std::int64_t held() const { return held_; }  // left out while it was held back

 private:
  Duration spacing() const { return rate_.time_of(places_per_frame_); }

  FrameRate rate_;
  int places_per_frame_ = 1;
  Duration interval_;    // mean, of what is offered
  Timestamp offered_{};  // when the latest was
  Timestamp next_{};     // before that nothing goes
  FrameNumber number_;
  std::optional<VideoFrame> waiting_;
  std::int64_t dropped_ = 0;
  std::int64_t skipped_ = 0;
  std::int64_t held_ = 0;
  bool held_back_ = false;
};

}  // namespace qvid::media
