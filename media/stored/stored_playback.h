// Playing stored video: messages go in, pictures come out at their places, as the viewer pauses,
// goes on and seeks.
//
// The decisions are StoredPlayout's (stored_playout.h); here are its lock, the decode thread and
// the decoder. A decoder lives for a seek epoch: what a seek leaves behind is forgotten.
//
// Queues: the playout's frames (bounded there); decoded pictures that wait for their place: those
// of its lead, at most kMaxPending. Threads: `on_picture` and `on_change` are called on the decode
// thread, without a lock, and must not block; the other calls may come from any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "media/codec/decoder.h"
#include "media/playout/playback.h"
#include "media/playout/recent_sum.h"
#include "media/sound/play_clock.h"
#include "media/stored/stored_playout.h"

namespace qvid::media {

// A snapshot, for overlay, report and the position told to the server.
struct StoredPlaybackStats {
  PlaybackStats frames;  // counted as of live video; delays are of no meaning
  StreamingMeasures::Summary measures;
  StoredPlayout::State state = StoredPlayout::State::kMoving;
  Duration place{};
  Duration buffered{};
  bool paused = false;
  bool runs = false;
  double speed = 1;
  int layer = 0;   // of the latest picture
  int layers = 0;  // that it has when whole; 0: there was none
};

class StoredPlayback {
 public:
  static constexpr std::size_t kMaxPending = 4;

  struct Callbacks {
    std::function<void(ShownPicture)> picture;
    // Time runs, stands still, or the end was reached.
    std::function<void()> change;
  };
  // Precondition: make_decoder knows `codec`. `clock`: hears of each change of the time, and of the
  // pictures shown; may be null. `decoders`: what decodes, of each seek epoch one.
  StoredPlayback(FrameRate rate, std::string codec, Callbacks callbacks,
                 std::shared_ptr<PlayClock> clock = nullptr,
                 DecoderMaker decoders = decoders_here());
  ~StoredPlayback();
  StoredPlayback(const StoredPlayback&) = delete;
  StoredPlayback& operator=(const StoredPlayback&) = delete;

  // As in StoredPlayout.
  void seek(Duration to, Timestamp now);
  void begin(Duration to, Timestamp now);
  void end(Timestamp now);
  void pause(bool on, Timestamp now);
  void set_speed(double speed, Timestamp now);
  // A message of the seek epoch that has begun; what is malformed is counted and left.
  void on_message(std::uint64_t position, const Payload& payload, Timestamp arrival);
  StoredPlaybackStats stats() const;

 private:
  struct Pending {
    DecodedFrame decoded;
    StoredPlayout::Task task;  // without its frames
  };
  template <class F>
  void change(F f);
  void run(const std::stop_token& stop);
  Timestamp next_event() const;
  // True: something was done.
  bool decode(std::unique_lock<std::mutex>& lock);
  bool show(std::unique_lock<std::mutex>& lock);
  void tell_change(std::unique_lock<std::mutex>& lock);
  void tell_clock();
  void count(const StoredPlayout::Task& task);
  void count_shown(const Pending& pending, Timestamp now);

  const FrameRate rate_;
  const std::string codec_;
  const Callbacks callbacks_;
  const std::shared_ptr<PlayClock> clock_;
  const DecoderMaker decoders_;

  // Of the decode thread.
  std::unique_ptr<Decoder> decoder_;
  std::int64_t decoder_epoch_ = -1;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable_any changed_;
  bool news_ = false;  // something came since the thread looked
  StoredPlayout playout_;
  std::deque<Pending> pending_;
  std::int64_t pending_epoch_ = 0;
  StoredPlayout::State told_state_ = StoredPlayout::State::kMoving;
  bool told_runs_ = false;
  PlaybackStats stats_;
  int layer_ = 0;
  int layers_ = 0;
  std::optional<Timestamp> first_message_;
  RecentSum recent_shown_;
  RecentSum recent_bytes_;

  std::jthread thread_;
};

}  // namespace qvid::media
