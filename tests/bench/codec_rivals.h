// The libraries by themselves: one layer of x264 or libaom, as whoever only wants a picture in real time
// uses them. What goes wrong ends the program.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/units.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

struct RivalOptions {
  PictureSize size;
  FrameRate rate;
  DataRate bitrate;
  int gop = 60;
  double buffer_frames = 4;  // EncoderOptions::buffer_frames
};

class Rival {
 public:
  virtual ~Rival() = default;
  virtual std::vector<std::byte> encode(const VideoFrame& frame) = 0;
  // What the last one looks like.
  virtual VideoFrame decode(const std::vector<std::byte>& coded) = 0;
};

// Preset veryfast, tuned for zero latency.
std::unique_ptr<Rival> plain_x264(const RivalOptions& options);
// In real time, constant rate, speed 7 up to 480p and 9 above, with its own references.
std::unique_ptr<Rival> plain_libaom(const RivalOptions& options);

}  // namespace qvid::media
