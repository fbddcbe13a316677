// The decoder of one layer of a codec (layer_stream.h).
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "media/picture/video_frame.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

class LayerDecoder {
 public:
  virtual ~LayerDecoder() = default;
  // The unit's picture. `size`: of the picture to show; it may be coded a row or a column larger, even
  // (media/picture/downscale.h). `sync`: it is a synchronisation point. After an error nothing decodes
  // up to the next one: nothing of bad input outlives it.
  virtual Result<VideoFrame> decode(const CodedUnit& unit, PictureSize size, bool sync) = 0;
};

using LayerDecoderMaker = std::function<std::unique_ptr<LayerDecoder>()>;

}  // namespace qvid::media
