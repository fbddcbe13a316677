// Playing one party's pictures in a page: a PlaybackEngine whose pictures the browser decodes.
//
//   message --> PlaybackEngine --task--> units, a stream a layer --> the browser's decoders
//                    ^                                                     |
//                    +------ what became of all units of the task <--------+
//
// A unit goes in as one picture and comes out as one, under a ticket; what has not come out within
// kPatience has failed. A layer of which one failed goes on at its next synchronisation point, with
// another decoder. A layer that has dropped frames is a plain stream to the decoder
// (media/codec/h264/h264_plain.h); what is no stream of our encoders goes as it is.
//
// Bounds: the engine's; one task at a time, and its pictures. Any bytes are harmless: they are read
// as the native decoder reads them before a decoder of the browser sees them.
// Thread: the worker's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "media/codec/h264/h264_plain.h"
#include "media/codec/layers/frame_header.h"
#include "media/playout/playback_engine.h"

namespace qvid::web {

class WebPlayback {
 public:
  static constexpr Duration kPatience = std::chrono::seconds(3);
  // Between decoders that give no picture at all: twice as long each time.
  static constexpr Duration kFirstWait = std::chrono::seconds(1);
  static constexpr Duration kLongestWait = std::chrono::seconds(30);

  // `window`: frames.
  WebPlayback(FrameRate rate, int window, std::shared_ptr<media::PresentationClock> clock);
  ~WebPlayback();
  WebPlayback(const WebPlayback&) = delete;
  WebPlayback& operator=(const WebPlayback&) = delete;

  void on_message(std::uint64_t position, const Payload& payload, Timestamp arrival) {
    engine_.on_message(position, payload, arrival);
  }
  // Shows and decodes what is due. Call it every few milliseconds.
  void on_stood(Timestamp now) { engine_.on_stood(now); }
  void turn(Timestamp now, const std::function<void(media::ShownPicture&&)>& show);

  // True: the ticket is of this playback, which has the picture from here on. `picture`: the
  // browser's number of it; none: it could not be decoded.
  bool on_decoded(int ticket, std::optional<int> picture, media::PictureSize size, Timestamp now);

  media::PlaybackStats stats(Timestamp now) const { return engine_.stats(now); }
  // Of the unit that failed last, but for those that failed for one before; empty: none has.
  const std::string& last_failure() const { return last_failure_; }

 private:
  struct Layer {
    int decoder = 0;  // 0: it waits for a synchronisation point
    bool plain = true;
    media::H264Plain renumbered;
    std::string codec;  // as WebCodecs names it
    media::PictureSize size;
    bool worked = false;     // this decoder has given a picture
    Timestamp not_before{};  // no other decoder
    Duration wait = kFirstWait;
  };
  // A unit of the task.
  struct Asked {
    std::size_t frame = 0;  // of the task
    std::uint8_t layer = 0;
    int ticket = 0;
    bool over = false;
    std::optional<media::VideoFrame> picture;
    std::string failure;
  };
  void begin(media::PlaybackEngine::DecodeTask task, Timestamp now);
  void ask(std::size_t frame, const media::CodedUnit& unit, const media::FrameHeader& header,
           Timestamp now);
  // An error: it is nothing for a decoder.
  std::optional<Error> hand_over(Layer& layer, int ticket, FrameNumber number,
                                 const media::CodedUnit& unit, media::PictureSize size, bool sync,
                                 Timestamp now);
  void fail(Asked& asked, std::string why);
  // By the browser, not for what the unit is.
  void refuse(Asked& asked, std::string why, Timestamp now);
  void end_decoder(Layer& layer);
  void finish(Timestamp now);

  media::PlaybackEngine engine_;
  std::array<Layer, media::kMostLayers> layers_;
  std::optional<media::PlaybackEngine::DecodeTask> task_;
  std::vector<std::optional<media::FrameHeader>> headers_;  // of the task's frames
  std::vector<Asked> asked_;
  std::string last_failure_;
};

}  // namespace qvid::web
