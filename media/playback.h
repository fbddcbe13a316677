// Playing one stream: messages go in, pictures come out at their times.
//
// One thread of its own (decode): it waits for a frame's decode time, takes what has come of it
// from the assembler, decodes, and hands the picture out at its show time. With header or base
// missing the frame is dropped. Source: 000 section 5.1, figure 5.2.
//
// Queues: the assembler (bounded, frame_assembler.h); decoded pictures that wait for their show
// time: at most kDecodeFrames + 1; a frame whose show time has passed is not decoded for show.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "media/codec.h"
#include "media/frame_assembler.h"
#include "media/playback_stats.h"
#include "media/playout_clock.h"
#include "media/recent_sum.h"

namespace qvid::media {

struct ShownPicture {
  DecodedFrame decoded;
  Duration delay{};  // capture to shown
};

class Playback {
 public:
  // `on_picture` is called on the decode thread at the picture's show time and must not block.
  Playback(FrameRate rate, int window, std::unique_ptr<Decoder> decoder,
           std::function<void(ShownPicture)> on_picture);
  ~Playback();
  Playback(const Playback&) = delete;
  Playback& operator=(const Playback&) = delete;

  // Any thread. A message of the stream; what is malformed is counted and left.
  void on_message(std::uint64_t position, const Payload& payload, Timestamp arrival);
  // Any thread. The round trip with empty queues, as far as it is known, for the reported delay.
  void set_least_round_trip(Duration rtt);
  PlaybackStats stats() const;

 private:
  struct Pending {
    ShownPicture picture;
    Timestamp captured;
    Timestamp due;
  };
  void run(const std::stop_token& stop);
  Timestamp next_event() const;
  void decode_due(std::unique_lock<std::mutex>& lock, Timestamp now);
  void show_due(std::unique_lock<std::mutex>& lock, Timestamp now);
  void count_frame(FrameNumber number);
  void count_shown(const Pending& pending, Timestamp now);

  const FrameRate rate_;
  const std::unique_ptr<Decoder> decoder_;  // of the decode thread
  const std::function<void(ShownPicture)> on_picture_;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable_any changed_;
  FrameAssembler assembler_;
  PlayoutClock clock_;
  Duration least_round_trip_{};
  std::deque<Pending> pending_;
  PlaybackStats stats_;
  std::optional<Timestamp> first_message_;
  RecentSum recent_shown_;
  RecentSum recent_bytes_;
  FrameNumber last_taken_{-1};
  bool any_taken_ = false;

  std::jthread thread_;
};

}  // namespace qvid::media
