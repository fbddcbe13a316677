// Live-In: one source, captured and encoded once, for any number of viewers.
//
// Two threads: capture (owns the device; opens it again when it is lost) leaves the newest frame in
// the pacer; encode takes one a frame time, encodes it and hands it on. Source: 000 section 5.1.
//
// Where the machine cannot keep up, pictures are made smaller and fewer
// (media/live/overload_policy.h): the encoder begins anew with a synchronisation point, numbers go
// on and due times stay on the grid of the rate asked for.
//
// What viewers need of the encoder may be said on any thread and holds from the next frame on. It
// outlives a change of size, for which the encoder is made anew.
//
// Ownership: callbacks are called on these threads and must not block; none is called after the
// destructor has returned. `ended` is called once, last: either the source is at its end, or cannot
// be used at all, or request_stop was called; destroying the object after it does not wait.
// Queues: the pacer's one frame, the newest replaces what waits; losses that the encoder is to be
// told of, kMaxLosses, beyond which the layer gets a synchronisation point instead.
#pragma once

#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "media/codec/codec.h"
#include "media/codec/encoder.h"
#include "media/live/frame_pacer.h"
#include "media/live/needed_scale.h"
#include "media/live/overload_policy.h"
#include "media/live/sync_requests.h"
#include "media/source/video_source.h"
#include "media/unit/unit_wire.h"

namespace qvid::media {

class FrameScaler;

using EncoderFactory =
    std::function<Result<std::unique_ptr<Encoder>>(std::string_view codec, const EncoderOptions&)>;

struct LiveInOptions {
  SourceSpec source;
  SourceOptions source_options;
  std::string codec = std::string(kPlainCodec);  // at first: set_codec
  DataRate bitrate = DataRate::from_kbps(2500);
  int gop = 60;                            // frames at the full rate
  std::optional<LayerStructure> layers{};  // EncoderOptions::layers
  bool adapt_to_load = true;  // smaller and fewer pictures where the machine cannot keep up
  Preference prefer = Preference::kMotion;  // which first: overload_policy.h
  EncoderFactory make_encoder = media::make_encoder;
};

struct LiveInStats {
  std::int64_t frames_encoded = 0;
  std::int64_t frames_dropped = 0;
  std::int64_t frames_skipped = 0;  // the encoder was too slow for them
  std::int64_t frames_held = 0;     // the path was
  std::int64_t bytes_encoded = 0;
  double encode_ms = 0.0;  // mean a frame, with scaling
  double load = 0.0;       // the part of a frame time that it takes, over about a second until now
  // Now; of several sources, that with the highest level.
  PictureSize size;                // as encoded
  double frames_per_second = 0.0;  // that are aimed at
  std::size_t level = 0;           // of OverloadPolicy

  LiveInStats& operator+=(const LiveInStats& o);
};

// How the source is, in a sentence for a person: opened; or lost, and tried again.
struct SourceStatus {
  bool ok = true;
  std::string text;
  std::string why{};  // not ok: `text` without what is done about it
};

class LiveIn {
 public:
  static constexpr std::size_t kMaxLosses = 256;  // told between two frames

  struct Callbacks {
    std::function<void(std::shared_ptr<const WireFrame>)> frame;
    std::function<void(const SourceStatus&)> status;
    std::function<void(const std::string& reason)> ended;
    // What the load of the machine has made of the picture, for a person: "480x360 at 15 fps:
    // encoding takes 41 ms of 33". Empty: nothing any more. May be left out.
    std::function<void(const std::string& text)> limited{};
    // Every picture of the source, also while nothing is encoded: for a look at oneself. On the
    // capture thread; must not block. May be left out.
    std::function<void(const VideoFrame&)> picture{};
  };

  LiveIn(LiveInOptions options, Callbacks callbacks);
  ~LiveIn();
  LiveIn(const LiveIn&) = delete;
  LiveIn& operator=(const LiveIn&) = delete;

  // Any thread.
  void request_stop();
  // In every layer, or in one: at most one request a layer is granted in SyncRequests::kInterval
  // (500 ms); what is asked sooner is remembered and granted when it is over.
  void request_sync_point();
  void request_sync_point(std::uint8_t layer);
  // All who watch are new: SyncRequests::open.
  void expect_newcomers();
  // As the encoder's (media/codec/encoder.h). What was wished last holds.
  void on_lost(FrameNumber frame, std::uint8_t layer);
  void set_rates(DataRate total, DataRate base);
  void set_base_needed(bool needed);
  // Every loss of the only receiver is told: synchronisation points are made where one is asked for,
  // and else seldom, for their size holds up what is behind them.
  void set_informed(bool informed);
  // Off: the source goes on, nothing is encoded (nobody watches). On again: the next picture of the
  // source is a synchronisation point with a due time of its own; numbers go on.
  void set_encoding(bool on);
  // Nothing is encoded until it is told otherwise, and then the newest picture is at once. Not for
  // long: FeedSender.
  void hold_back(bool on);
  // On: from the next picture on it is the same one again and again, of the source's times, for who
  // looks at oneself too; sound goes on.
  void freeze(bool on);
  // Another codec from the next frame on, by its name: the encoder is made anew and begins with a
  // synchronisation point; numbers go on.
  void set_codec(std::string codec);
  // As many lines as any of those who see it shows of it (needed_scale.h).
  void set_lines(std::optional<int> lines);
  LiveInStats stats() const;

 private:
  void capture(const std::stop_token& stop);
  // The source's picture, or the one that it is frozen at.
  VideoFrame shown(VideoFrame picture);
  // Reads until the source ends (empty) or is lost (the reason).
  std::string pump(VideoSource& source, const std::stop_token& stop);
  void encode(const std::stop_token& stop);
  // Empty: go on. `skipped`: the encoder was too slow for one before this.
  std::string encode_one(const FramePacer::Paced& paced, bool skipped, double slowness);
  // Makes the encoder for such pictures of the source, where it is not for them.
  std::optional<Error> prepare_encoder(PictureSize source);
  // `slowness`: the pacer's.
  void tell_encoder(double slowness, Timestamp now);
  void follow_load(Duration encoding, bool skipped, Timestamp now);

  // What the encoder is to be told before the next frame.
  struct Wishes {
    std::array<bool, kMaxUnits> sync{};       // by layer; may wait for the interval
    std::array<bool, kMaxUnits> sync_next{};  // may not
    bool newcomers = false;
    struct Loss {
      FrameNumber frame;
      std::uint8_t layer = 0;
    };
    std::vector<Loss> losses;
  };
  struct Rates {
    DataRate total;
    DataRate base;
  };

  const LiveInOptions options_;
  const Callbacks callbacks_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  FramePacer pacer_;                    // guarded by mutex_
  std::string finished_;                // why capture ended; guarded by mutex_
  bool capture_done_ = false;           // guarded by mutex_
  LiveInStats stats_;                   // guarded by mutex_
  Wishes wishes_;                       // guarded by mutex_
  std::optional<Rates> rates_;          // guarded by mutex_; as wished last
  std::optional<bool> base_needed_;     // guarded by mutex_; as wished last
  bool rates_or_base_changed_ = false;  // guarded by mutex_
  std::string codec_;                   // guarded by mutex_; as wished last
  NeededScale needed_;                  // guarded by mutex_
  bool encoding_ = true;                // guarded by mutex_
  bool informed_ = false;               // guarded by mutex_
  bool frozen_ = false;                 // guarded by mutex_
  std::optional<VideoFrame> still_;     // of the capture thread; while it is frozen

  // Of the encode thread.
  std::unique_ptr<Encoder> encoder_;
  std::string encoder_codec_;
  PictureSize encoder_size_;
  std::size_t encoder_level_ = 0;
  std::unique_ptr<FrameScaler> scaler_;
  OverloadPolicy policy_;
  SyncRequests sync_requests_;
  double told_slowness_ = 1;
  bool told_base_needed_ = true;
  std::int64_t skipped_ = 0;  // by the pacer, as seen last
  std::string limit_;         // as told last

  std::jthread capture_thread_;
  std::jthread encode_thread_;
};

}  // namespace qvid::media
