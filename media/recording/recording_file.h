// A Matroska (.mkv) or MP4 (.mp4) file with one H.264 track, and where it is wanted one Opus track,
// written as it comes.
//
// What is written of it can be played whatever becomes of the writer: Matroska clusters and MP4
// fragments last a second and go to the system as they end. So a file whose writer was killed lacks
// its last second at most.
//
// Thread: one at a time; blocks on the disk.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

struct RecordingTrack {
  PictureSize size;
  std::vector<std::byte> parameter_sets;  // annex B
  bool sound = false;                     // a track of Opus, stereo, beside it
  std::string comment{};                  // for who plays it; empty: none
};

// Empty: the name ends as this can be written, .mkv or .mp4.
std::optional<Error> check_recording_name(const std::filesystem::path& path);

class RecordingFile {
 public:
  // Where there is a file already: an Error, or with `replace` it is overwritten. The Errors of all
  // three name the file and say what the system says, as "No space left on device".
  static Result<std::unique_ptr<RecordingFile>> create(const std::filesystem::path& path,
                                                       bool replace, const RecordingTrack& track);
  ~RecordingFile();
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  // A picture as slices in annex B. Times rise; the first must be a key frame at zero. Empty:
  // written, or kept for up to a second.
  std::optional<Error> add(std::span<const std::byte> picture, Duration time, Duration lasts,
                           bool key);
  // A packet of Opus as it is, where there is a track for it. Times rise, and gaps are silence;
  // they are those of what is decoded of it. Give sound and pictures in order of time.
  std::optional<Error> add_sound(std::span<const std::byte> opus, Duration time, Duration lasts);
  // Writes the rest and closes. What was written stays readable where this fails.
  std::optional<Error> finish();

  const std::filesystem::path& path() const { return path_; }

 private:
  RecordingFile(std::filesystem::path path, AvOutputPtr output)
      : path_(std::move(path)), output_(std::move(output)), packet_(new_av_packet()) {}
  Error failed(int error) const;
  std::optional<Error> write(int track, std::span<const std::byte> data, Duration time,
                             Duration lasts, bool key);

  std::filesystem::path path_;
  AvOutputPtr output_;
  AvPacketPtr packet_;
  bool no_sound_yet_ = true;
};

}  // namespace qvid::media
