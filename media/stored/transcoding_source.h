// A video file encoded while it is read: the fallback of File-In for files nobody has prepared, and
// what prepares them.
//
// Onto the regulated rate as Video-In does it (000 section 5.1), but by timestamps instead of a
// clock: place k of the timeline shows the newest picture whose own place, round(position * rate),
// is at most k. So pictures are duplicated where a file has fewer, dropped where it has more, and a
// file that keeps its rate is taken frame by frame. x264 codes a repeated picture as skipped
// macroblocks, in a few bytes.
//
// Seek: the file is decoded from its key frame before the target without encoding; the encoder
// begins there with a synchronisation point.
//
// Sound (sound_track.h) is read as far as the pictures have come, and given kSoundBehind later.
//
// Private to media. Thread: one, blocking.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "media/codec/encoder.h"
#include "media/stored/sound_track.h"
#include "media/stored/stored_source.h"
#include "media/stored/video_file.h"

namespace qvid::media {

class TranscodingSource final : public StoredSource {
 public:
  static Result<std::unique_ptr<TranscodingSource>> open(const std::filesystem::path& path,
                                                         const StoredOptions& options,
                                                         const std::stop_token& stop);

  StoredInfo info() const override;
  Result<std::variant<CodedFrame, EndOfStream>> next(std::stop_token stop) override;
  Result<Duration> seek(Duration to, std::stop_token stop) override;
  std::vector<SoundPacket> take_sound() override;

 private:
  TranscodingSource(std::unique_ptr<VideoFile> file, std::unique_ptr<Encoder> encoder,
                    FrameRate rate, const StoredOptions& options);

  enum class Found { kPicture, kEnd, kStopped };
  // Makes shown_ what place_ shows.
  Result<Found> find_shown(const std::stop_token& stop);
  // Whose place it is: round(position * rate).
  std::int64_t place_of(Duration position) const;
  void show(VideoFile::Picture picture);
  void open_sound(const std::filesystem::path& path, std::stop_token stop);

  std::unique_ptr<VideoFile> file_;
  std::unique_ptr<Encoder> encoder_;
  FrameRate rate_;
  std::string codec_;
  bool keys_only_;

  std::int64_t place_ = 0;                   // of the next frame
  FrameNumber number_;                       // of the next frame
  std::optional<VideoFile::Picture> shown_;  // at place_, as far as is known
  std::optional<VideoFrame> converted_;      // shown_, once it was needed
  std::optional<VideoFile::Picture> ahead_;  // the one after shown_
  bool at_end_ = false;                      // nothing comes after ahead_

  std::unique_ptr<SoundTrack> track_;  // null: there is no sound
  std::string sound_trouble_;          // why, where there should be some
  std::vector<SoundPacket> sound_;     // read and not taken
  Duration sound_until_{};             // what is before it can be taken
};

}  // namespace qvid::media
