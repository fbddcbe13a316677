// Decodes previews, each into a picture of the program's own: what a decoder process gives is lent, and
// a film's previews are kept.
//
// Queue: one frame, which the newer replaces. Pictures of more than kMostSide are left. Threads: its
// own, from the first frame on, on which `on_picture` is called; `decode` from one at a time. The
// destructor waits for the frame at hand.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "app/play/preview_frames.h"
#include "base/units.h"
#include "media/codec/decoder.h"

namespace qvid::app {

class PreviewDecoder {
 public:
  static constexpr int kMostSide = 320;  // pixels
  using OnPicture = std::function<void(Duration place, media::VideoFrame)>;

  PreviewDecoder(media::DecoderMaker decoders, OnPicture on_picture)
      : decoders_(std::move(decoders)), on_picture_(std::move(on_picture)) {}

  void decode(PreviewFrame frame);

 private:
  void run(const std::stop_token& stop);
  std::optional<PreviewFrame> next(const std::stop_token& stop);

  const media::DecoderMaker decoders_;
  const OnPicture on_picture_;
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::optional<PreviewFrame> waiting_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace qvid::app
