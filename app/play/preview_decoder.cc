#include "app/play/preview_decoder.h"

#include <algorithm>
#include <utility>

#include "app/log/log.h"
#include "media/codec/codec.h"

namespace qvid::app {

void PreviewDecoder::decode(PreviewFrame frame) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(frame);
  }
  came_.notify_one();
  if (!thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
}

std::optional<PreviewFrame> PreviewDecoder::next(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  came_.wait(lock, stop, [this] { return waiting_.has_value(); });
  if (stop.stop_requested()) return std::nullopt;
  return std::exchange(waiting_, std::nullopt);
}

void PreviewDecoder::run(const std::stop_token& stop) {
  std::unique_ptr<media::Decoder> decoder;
  while (const auto preview = next(stop)) {
    if (decoder == nullptr) {
      auto made = decoders_(media::kPlainCodec);
      if (!made) continue;
      decoder = *std::move(made);
    }
    const auto decoded = decoder->decode(preview->frame);
    if (!decoded || !*decoded) continue;
    const media::VideoFrame& picture = (*decoded)->picture;
    log_debug("preview of {:.1f} s: {}x{}", to_seconds(preview->place), picture.size.width,
              picture.size.height);
    if (std::max(picture.size.width, picture.size.height) > kMostSide) continue;
    on_picture_(preview->place, media::own_copy(picture));
  }
}

}  // namespace qvid::app
