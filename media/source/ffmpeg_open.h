// Opens a source through FFmpeg, up to a decoder for its video, or says in a sentence why not.
// Private to media.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/source/video_source.h"

namespace qvid::media {

// What ends FFmpeg's waits, asked from within them: a request to stop, or a deadline.
// Invariant: lives at one address for as long as the input that was opened with it.
struct InputGuard {
  std::stop_token stop;
  Timestamp deadline = kNever;

  bool expired() const;
};

struct DecodedInput {
  AvInputPtr input;
  AvCodecPtr decoder;
  int stream = 0;           // index of the video in `input`
  int sound = -1;           // of its sound, where the options want that; -1: none
  FrameRate rate;           // nominal
  PictureSize size;         // of the coded pictures
  PictureSize square_size;  // the same with square pixels: how it is meant to be seen
};

inline constexpr Duration kOpenTimeout = 10s;

// Within `timeout`. `spec.device` must not be empty for a device: see with_default_device.
Result<DecodedInput> open_decoded_input(const SourceSpec& spec, const SourceOptions& options,
                                        InputGuard& guard, Duration timeout = kOpenTimeout);

// Fills in the first camera or $DISPLAY.
Result<SourceSpec> with_default_device(SourceSpec spec);

// The largest size of this shape that is supported; even. The sides may still be too small.
PictureSize own_size(PictureSize seen);
// "1920x1080 at 30 fps, scaled to 640x360": what the input has, and what is made of it.
std::string pictures_text(PictureSize own, FrameRate rate, PictureSize given);

// For a path: not a URL of another machine.
bool is_local_file(const SourceSpec& spec);

// "camera /dev/video0", "screen :0", "file clip.mkv"; no password of a URL.
std::string source_name(const SourceSpec& spec);

// FFmpeg's words for its error number.
std::string ffmpeg_words(int error);

}  // namespace qvid::media
