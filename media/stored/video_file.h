// The pictures of a local video file with their positions, as fast as they can be decoded, and
// seeks to any of them.
//
// Position: time since the file's first picture,
//     position = timestamp - timestamp of the first picture
// and it only goes forward between seeks; what timestamps do that they should not is mended by
// FrameTimeline. Unlike a live reader's, gaps up to ten minutes are kept (a recorded talk's
// slides), or positions would not be those that a seek finds. Private to media. Thread: one,
// blocking. Decoders of large pictures have threads of their own.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/picture/i420_converter.h"
#include "media/picture/video_frame.h"
#include "media/source/ffmpeg_open.h"
#include "media/source/frame_timeline.h"

namespace qvid::media {

class VideoFile {
 public:
  static constexpr Duration kLongestGap = 10min;

  struct Picture {
    AvFramePtr decoded;
    Duration position{};
  };

  // `size`: of the frames that `convert` gives; {0, 0}: the file's own.
  static Result<std::unique_ptr<VideoFile>> open(const std::string& path, PictureSize size,
                                                 std::stop_token stop,
                                                 Duration timeout = kOpenTimeout);

  FrameRate nominal_rate() const { return in_.rate; }
  PictureSize size() const { return size_; }
  Duration duration() const;  // as the file states it; zero: it does not
  // The timestamp of the first picture, from which positions are counted; zero before it was read.
  Duration origin() const { return origin_.value_or(Duration::zero()); }

  // The next picture; empty at the end, or where `stop` was requested.
  Result<std::optional<Picture>> next(const std::stop_token& stop);

  // Goes to a key frame before `to` and gives its picture, at or before `to` wherever the file has
  // such a one. Empty as with `next`. Pictures that no other needs may be left out up to `to`.
  Result<std::optional<Picture>> seek(Duration to, const std::stop_token& stop);

  // For the encoder. `captured` is left for the caller to set.
  Result<VideoFrame> convert(Picture& picture);

 private:
  VideoFile(std::string path, std::unique_ptr<InputGuard> guard, DecodedInput in, PictureSize size);

  Result<std::optional<Picture>> decode(const std::stop_token& stop);
  // False at the end or where `stop` was requested.
  Result<bool> next_packet(const std::stop_token& stop);
  Result<std::optional<Picture>> first_after(Duration to, const std::stop_token& stop);
  Result<std::optional<Picture>> from_start(const std::stop_token& stop);
  void begin_again();
  std::optional<Duration> time_of(std::int64_t stamp) const;
  Error damaged() const;

  std::string path_;
  std::unique_ptr<InputGuard> guard_;  // before what asks it
  DecodedInput in_;
  AvPacketPtr packet_ = new_av_packet();
  I420Converter converter_;
  PictureSize size_;

  std::optional<Duration> origin_;  // timestamp of the first picture
  Duration base_{};                 // position of the first picture since the last seek
  FrameTimeline timeline_;          // since then
  Duration wanted_{};               // pictures before it are of use only to later ones
  bool key_wanted_ = false;         // what comes before a key frame cannot be decoded
  bool draining_ = false;           // the decoder has been told of the end
  int bad_packets_ = 0;             // since the last picture
};

}  // namespace qvid::media
