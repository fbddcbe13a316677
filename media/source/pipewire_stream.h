// Pictures of a node of PipeWire, in shared memory.
//
// Thread: made, asked and destroyed on one (capture), on which PipeWire's events are handled in
// `wait`; PipeWire has a thread of its own for data, which calls nothing of ours.
// Queue: of the buffers that have come the newest is kept, the others go back at once; a picture that
// nobody takes is replaced by the next. There are at most kMostBuffers.
// Private to media.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/owned_file.h"
#include "base/result.h"
#include "base/units.h"
#include "media/picture/i420_converter.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

class PipewireStream {
 public:
  static constexpr int kMostBuffers = 16;

  // `rate`: as much as is wanted. The node is asked for pictures; they come, or an Error, in `wait`.
  static Result<std::unique_ptr<PipewireStream>> connect(OwnedFile pipewire, std::uint32_t node,
                                                         FrameRate rate);
  virtual ~PipewireStream() = default;

  // Handles what has come, and waits for at most so long for something (rounded up to 1 ms). An
  // Error: it is over.
  virtual std::optional<Error> wait(Duration at_most) = 0;
  // There is a picture that was not taken.
  virtual bool has_picture() const = 0;
  // Precondition: has_picture(). Its size; that of the next one may be another.
  virtual PictureSize size() const = 0;
  // Precondition: has_picture(). It is taken. `captured` is left for the caller to set.
  virtual Result<VideoFrame> take(I420Converter& converter) = 0;
};

}  // namespace qvid::media
