// Stored video as the same layered frames as live video: a prepared file
// (media/stored/layered_file.h) is read, anything else that FFmpeg reads is encoded while it is
// played.
//
// Timeline: frame k of the file is at rate.time_of(k), counted from its first picture, at the rate
// that StoredInfo tells; `due` and `captured` of a frame are this position. Frames come in order
// without gaps, as fast as they are asked for: pacing is the reader's. Numbers count the frames
// given, from 0 when opened, and go on over seeks.
//
// Sound: packets of Opus whose `captured` is their place, in order. A file's frames lead: who has
// read the frame of a place has the sound up to kSoundBehind before it.
//
// Bad input: a file of any bytes gives an Error. Thread: opened, used and destroyed on one thread,
// which blocks; a stop token ends a wait within about one frame's time.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/video_frame.h"
#include "media/sound/sound_packet.h"
#include "media/source/video_source.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

struct StoredInfo {
  std::string codec;  // as make_decoder takes it
  FrameRate rate;
  PictureSize size;
  Duration duration{};    // zero: unknown
  bool prepared = false;  // read from a layered file
  bool sound = false;     // it has some
  DataRate base_rate;     // mean of layer 0 and the headers; zero: unknown
  DataRate total_rate;    // mean of all; zero: unknown
  // Why a prepared file that is there is not used, or why there is no sound; for a person.
  std::string note;
};

// Of what is encoded while it is played; a prepared file is as it is.
struct StoredOptions {
  std::string codec = "h264";
  DataRate bitrate = DataRate::from_kbps(2500);  // all layers
  PictureSize size{};  // {0, 0}: the file's own; scaled, aspect kept, where it differs
  int threads = 1;     // per layer; 1..16
  // From one synchronisation point to the next, at most: rounded down to frames.
  Duration gop = 2s;
  bool aligned_gops = false;  // see EncoderOptions
  bool use_prepared = true;
  bool sound = true;  // where the file has some
  // Of a place only the picture of the file's key frame before it, as of that place: what is found
  // soonest. It is given again and again until the next seek.
  bool keys_only = false;
};

// What Opus has to decode before a place to be at it: so much behind its frames sound is given, and
// so much before an entry's place it begins.
inline constexpr Duration kSoundBehind = std::chrono::milliseconds(80);

class StoredSource {
 public:
  virtual ~StoredSource() = default;

  virtual StoredInfo info() const = 0;

  // The next frame. EndOfStream at the end (again and again), or where `stop` was requested; after
  // a stop reading may go on. After an Error only a seek may help.
  virtual Result<std::variant<CodedFrame, EndOfStream>> next(std::stop_token stop) = 0;

  // The sound up to kSoundBehind before the end of the frame that `next` gave, as far as it was not
  // taken; with the last frame or the end all that is left. To be taken after each `next`: what is
  // not is dropped by the one after. Where a file's sound cannot be read there is none.
  virtual std::vector<SoundPacket> take_sound() { return {}; }

  // The next frame read will be a synchronisation point in every layer, at the position returned:
  // encoded while it is played, the first frame at or after `to`; prepared, the last
  // synchronisation point at or before it, at most a second earlier. Before the start: 0. Beyond
  // the end: within about the last second. Sound begins kSoundBehind before. Where `stop` was
  // requested an Error, and the next call must be a seek again.
  virtual Result<Duration> seek(Duration to, std::stop_token stop = {}) = 0;
};

// `path`: a video file, or a prepared file itself. The prepared file beside a video is used where
// it was made of this very file. The Error says what is wrong with the file, or that `stop` came.
Result<std::unique_ptr<StoredSource>> open_stored_source(const std::filesystem::path& path,
                                                         const StoredOptions& options,
                                                         std::stop_token stop = {});

// What open_stored_source would say of it, without starting a decoder's work where it can be
// helped; within `timeout`.
Result<StoredInfo> probe_stored(const std::filesystem::path& path, Duration timeout,
                                std::stop_token stop = {});

// The rate that a file of this nominal rate is played at: itself up to 60 a second, beyond that the
// largest whole part of it that is not more, so that motion stays even.
FrameRate regulated_rate(FrameRate nominal);

}  // namespace qvid::media
