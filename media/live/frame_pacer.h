// Holds a regulated frame rate: devices give frames when they like, the encoder gets exactly one a
// frame time. Source: 000 section 5.1, Video-In: "duplicates (drops) some frames".
//
//   due(n) = start + n / rate
//
// At due(n) the newest frame goes out. Where none has come since the last one, up to half a frame
// time is granted (so that a device in step with us but slightly late costs nothing), then the last
// frame goes out again. Of several waiting, all but the newest are dropped. Both are counted.
// Where nobody polls for more than a frame time (the encoder is too slow, the machine slept) the
// places that passed are left out and counted: the rate falls. Making up for them would put every
// later frame behind its time, where it expires before it is sent.
//
// At a part of the rate, every place but each k-th is left out on purpose: due times stay on the
// same grid, numbers still rise by one. What comes for those places is dropped and counted so.
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
  explicit FramePacer(FrameRate rate) : rate_(rate) {}

  struct Paced {
    VideoFrame frame;
    FrameNumber number;
    Timestamp due;
    bool duplicate = false;
  };

  // From the next frame on, one frame goes out in `places` places; at least 1.
  void set_places_per_frame(int places) {
    const int more = std::max(1, places) - places_per_frame_;
    places_per_frame_ += more;
    // The next place has been chosen already. Later, not sooner: that one may have passed.
    if (more > 0 && started_) slot_ += more;
  }

  void offer(VideoFrame frame, Timestamp now) {
    if (!started_) {
      started_ = true;
      start_ = now;
      slot_ = 0;
    }
    if (waiting_) ++dropped_;
    waiting_ = std::move(frame);
  }

  // The frame to encode now; empty: not yet.
  std::optional<Paced> poll(Timestamp now) {
    if (!started_ || now < due()) return std::nullopt;
    const bool duplicate = !waiting_;
    if (duplicate && now < due() + rate_.frame_time() / 2) return std::nullopt;
    const Duration between = rate_.time_of(places_per_frame_);
    if (const std::int64_t behind = (now - due()) / between; behind > 0) {
      slot_ += behind * places_per_frame_;
      skipped_ += behind;
    }
    Paced paced{.frame = {}, .number = next_, .due = due(), .duplicate = duplicate};
    if (waiting_) {
      last_ = std::move(*waiting_);
      waiting_.reset();
    } else {
      ++duplicated_;
    }
    paced.frame = last_;
    next_ = next_.next();
    slot_ += places_per_frame_;
    return paced;
  }

  // When poll may give something; kNever before the first frame was offered.
  Timestamp next_event() const {
    if (!started_) return kNever;
    return waiting_ ? due() : due() + rate_.frame_time() / 2;
  }

  bool waiting() const { return waiting_.has_value(); }

  // The source is gone: nothing more is given until it offers again; numbers go on.
  void pause() {
    started_ = false;
    waiting_.reset();
    last_ = {};
  }

  std::int64_t duplicated() const { return duplicated_; }
  std::int64_t dropped() const { return dropped_; }
  // Places of the timeline left out after a gap, but for those left out on purpose.
  std::int64_t skipped() const { return skipped_; }

 private:
  Timestamp due() const { return start_ + rate_.time_of(slot_); }

  FrameRate rate_;
  int places_per_frame_ = 1;
  bool started_ = false;
  Timestamp start_{};
  std::int64_t slot_ = 0;  // place on the timeline since start_
  FrameNumber next_;
  std::optional<VideoFrame> waiting_;
  VideoFrame last_;
  std::int64_t duplicated_ = 0;
  std::int64_t dropped_ = 0;
  std::int64_t skipped_ = 0;
};

}  // namespace qvid::media
