// Live-In: one source, captured and encoded once, for any number of viewers.
//
// Two threads: capture (owns the device; opens it again when it is lost) leaves the newest frame in
// the pacer; encode takes one a frame time, encodes it and hands it on. Source: 000 section 5.1.
//
// Ownership: callbacks are called on these threads and must not block; none is called after the
// destructor has returned. `ended` is called once, last: either the source is at its end, or cannot
// be used at all, or request_stop was called; destroying the object after it does not wait. Queue:
// the pacer's one frame; the newest replaces what waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "media/codec.h"
#include "media/frame_pacer.h"
#include "media/unit_wire.h"
#include "media/video_source.h"

namespace qvid::media {

struct LiveInOptions {
  SourceSpec source;
  SourceOptions source_options;
  std::string codec = "h264";
  DataRate bitrate = DataRate::from_kbps(2500);
  int gop = 60;
};

struct LiveInStats {
  std::int64_t frames_encoded = 0;
  std::int64_t frames_duplicated = 0;
  std::int64_t frames_dropped = 0;
  std::int64_t places_skipped = 0;
  std::int64_t bytes_encoded = 0;
  double encode_ms = 0.0;  // mean a frame

  LiveInStats& operator+=(const LiveInStats& o);
};

// How the source is, in a sentence for a person: opened; or lost, and tried again.
struct SourceStatus {
  bool ok = true;
  std::string text;
};

class LiveIn {
 public:
  struct Callbacks {
    std::function<void(std::shared_ptr<const WireFrame>)> frame;
    std::function<void(const SourceStatus&)> status;
    std::function<void(const std::string& reason)> ended;
  };

  LiveIn(LiveInOptions options, Callbacks callbacks);
  ~LiveIn();
  LiveIn(const LiveIn&) = delete;
  LiveIn& operator=(const LiveIn&) = delete;

  // Any thread.
  void request_sync_point();
  void request_stop();
  LiveInStats stats() const;

 private:
  void capture(const std::stop_token& stop);
  // Reads until the source ends (empty) or is lost (the reason).
  std::string pump(VideoSource& source, const std::stop_token& stop);
  void encode(const std::stop_token& stop);
  // Empty: go on.
  std::string encode_one(FramePacer::Paced paced);

  const LiveInOptions options_;
  const Callbacks callbacks_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  FramePacer pacer_;           // guarded by mutex_
  std::string finished_;       // why capture ended; guarded by mutex_
  bool capture_done_ = false;  // guarded by mutex_
  LiveInStats stats_;          // guarded by mutex_
  std::atomic<bool> sync_wanted_ = false;

  // Of the encode thread.
  std::unique_ptr<Encoder> encoder_;
  PictureSize encoder_size_;

  std::jthread capture_thread_;
  std::jthread encode_thread_;
};

}  // namespace qvid::media
