// Playing one live stream: messages go in, pictures come out at their times.
//
// One thread of its own (decode): it waits for what PlaybackEngine plans next, decodes, and hands
// pictures out at their show times. All decisions are the engine's, and so are the queues.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "media/codec/decoder.h"
#include "media/playout/playback_engine.h"

namespace qvid::media {

// What not every player wants. Called on the decode thread, from the first message on until the
// destructor has returned, without a lock; must not block.
struct PlaybackExtras {
  PlayoutMode playout = PlayoutMode::kEarly;
  // Of the party whose picture it is: the picture follows the sound, where there is one.
  std::shared_ptr<PresentationClock> presentation = {};
  // Once a frame, shown or lost.
  std::function<void(const FrameRecord&)> on_frame_record = {};
};

class Playback {
 public:
  // `on_picture` is called on the decode thread at the picture's show time and must not block.
  Playback(FrameRate rate, int window, std::unique_ptr<Decoder> decoder,
           std::function<void(ShownPicture)> on_picture, PlaybackExtras extras = {});
  ~Playback();
  Playback(const Playback&) = delete;
  Playback& operator=(const Playback&) = delete;

  // Any thread. A message of the stream; what is malformed is counted and left.
  void on_message(std::uint64_t position, const Payload& payload, Timestamp arrival);
  // Any thread. The round trip with empty queues, as far as it is known, for the reported delay.
  void set_least_round_trip(Duration rtt);
  PlaybackStats stats() const;

 private:
  void run(const std::stop_token& stop);
  void show_due(std::unique_lock<std::mutex>& lock, Timestamp now);
  void decode_due(std::unique_lock<std::mutex>& lock, Timestamp now);
  void tell_records(std::unique_lock<std::mutex>& lock);

  const std::unique_ptr<Decoder> decoder_;  // of the decode thread
  const std::function<void(ShownPicture)> on_picture_;
  const PlaybackExtras extras_;

  mutable std::mutex mutex_;  // guards engine_
  std::condition_variable_any changed_;
  PlaybackEngine engine_;

  std::jthread thread_;
};

}  // namespace qvid::media
