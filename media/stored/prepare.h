// Makes the prepared form of a stored video: all of it encoded once, with a place to enter it every
// second in which the key frames of all layers coincide.
//
// So a server that plays it only reads: no decoder, no encoder, for any number of viewers, but of who
// looks for a place (app/serve/preview_sender.h).
// Thread: the caller's, which it keeps until it is done or `stop` comes; encoder and decoder may
// have threads of their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>

#include "base/result.h"
#include "base/units.h"
#include "media/stored/stored_source.h"

namespace qvid::media {

struct PrepareOptions {
  std::filesystem::path input;
  std::filesystem::path output{};                // empty: where open_stored_source looks for it
  DataRate bitrate = DataRate::from_kbps(2500);  // all layers
  PictureSize size{};                            // {0, 0}: the file's own
  int threads = 1;                               // per layer; 1..16
  bool force = false;                            // also where the output is up to date
};

struct PrepareProgress {
  Duration done{};      // of the video
  Duration duration{};  // zero: unknown
};

struct Prepared {
  enum class Outcome { kWritten, kUpToDate, kStopped };
  Outcome outcome = Outcome::kWritten;
  std::filesystem::path output{};
  StoredInfo info{};  // of the output; not where it was stopped
  std::int64_t frames = 0;
  ByteCount size{};  // of the output
};

// `progress` is called after each frame. An output that is there and was made of this input is left
// as it is, unless it lacks its sound; whatever else has its name but is no prepared video is never
// replaced. The Error says what is wrong with the input, or why the output cannot be written;
// nothing is left of it then.
Result<Prepared> prepare(const PrepareOptions& options,
                         const std::function<void(const PrepareProgress&)>& progress,
                         const std::stop_token& stop);

}  // namespace qvid::media
