// The sound of a file or URL: its packets, as they are met between those of the pictures, become
// blocks in a SoundQueue on the timeline of the pictures:
//
//   captured = origin + time in the file
//
// Packets wait as they are until their time comes near, as a file may have its sound far before its
// pictures: bounded by kMostWaiting bytes and kMostPackets, beyond which what is read is left out.
// What is far from its pictures' times (another part of a file whose timestamps jump) is left out.
// Samples follow each other by their count; timestamps, which are rounded, count where they are off
// by kMostDrift.
//
// What cannot be decoded is left out; where nothing can, the sound ends and it is said once.
// Private to media. Thread: one (capture).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/sound/sound_device.h"
#include "media/sound/sound_queue.h"

struct AVStream;

namespace qvid::media {

class SourceSound {
 public:
  static constexpr ByteCount kMostWaiting = ByteCount(32 << 20);
  static constexpr std::size_t kMostPackets = 65'536;
  static constexpr Duration kMostDrift = std::chrono::milliseconds(20);

  // Error: it cannot be decoded. `stream` must outlive the object.
  static Result<std::unique_ptr<SourceSound>> open(const AVStream& stream,
                                                   std::shared_ptr<SoundQueue> queue,
                                                   OnSoundStatus status);
  ~SourceSound();

  // Takes what `packet` holds.
  void add(AVPacket& packet);
  // The end of what was read, in the file's time; empty: nothing since the start.
  std::optional<Duration> read_to() const { return read_to_; }
  // The beginning of what was read first, since the start or the last restart.
  std::optional<Duration> read_from() const { return read_from_; }
  // Nothing can be decoded any more.
  bool is_broken() const { return broken_; }

  // What is before that time of the file is not heard: the pictures begin there.
  void begin(Duration time) { begin_ = time; }
  // Gives what is before `until`, in the file's time.
  void give(Duration until, Timestamp origin);
  // The file begins again, after a seek: what waits is left out.
  void restart();

  std::string description() const;  // "aac, 44100 Hz"

 private:
  struct Waiting {
    AvPacketPtr packet;
    Duration time{};
  };
  struct Piece {
    Duration time{};
    std::vector<float> samples{};  // stereo
  };

  SourceSound(const AVStream& stream, AvCodecPtr decoder, std::shared_ptr<SoundQueue> queue,
              OnSoundStatus status);
  Duration in_time(std::int64_t stamp) const;
  void decode(AVPacket& packet);
  bool prepare_converter();
  void convert();
  void give_pieces(Duration until, Timestamp origin);
  void on_damage();

  const AVStream& stream_;
  AvCodecPtr decoder_;
  const std::shared_ptr<SoundQueue> queue_;
  const OnSoundStatus status_;
  AvFramePtr frame_ = new_av_frame();
  SwrPtr converter_;
  int format_ = -1;  // these three: of what the converter takes
  int rate_ = 0;
  int channels_ = 0;

  std::deque<Waiting> waiting_;
  ByteCount waiting_bytes_;
  std::deque<Piece> pieces_;  // decoded, of which some lies beyond what was given
  std::optional<Duration> read_from_;
  std::optional<Duration> read_to_;
  std::optional<Duration> begin_;
  std::optional<Duration> next_;  // where the next piece begins, if all goes on
  int damaged_ = 0;               // packets, one after the other
  bool overflowed_ = false;
  bool broken_ = false;
};

}  // namespace qvid::media
