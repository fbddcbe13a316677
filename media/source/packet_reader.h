// Packets of a source's picture, in order, and those of its sound on the way to their decoder.
//
// A file has the sound of an instant up to a second or so before or behind the picture of it. So
// that sound is there in time, packets of the picture are read ahead and wait here: at most
// kMostPackets, kMostWaiting bytes and kMostAhead of time (a stream of the network: kMostHeldUp, as
// what waits is late). What is met of the sound is its own affair (media/source/source_sound.h). A
// stream whose sound stops is not waited for until its sound has come for a while again.
//
// Private to media. Thread: one (capture).
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/source/ffmpeg_open.h"
#include "media/source/source_sound.h"

namespace qvid::media {

class PacketReader {
 public:
  static constexpr ByteCount kMostWaiting = ByteCount(32 << 20);
  static constexpr std::size_t kMostPackets = 1024;
  static constexpr Duration kMostAhead = std::chrono::seconds(2);
  static constexpr Duration kMostHeldUp = std::chrono::milliseconds(500);

  enum class Step { kPacket, kEnd, kStopped };

  // The three must outlive it.
  PacketReader(const SourceSpec& spec, InputGuard& guard, const DecodedInput& in)
      : spec_(spec), guard_(guard), in_(in) {}

  // A packet of the picture.
  Result<Step> next(AVPacket& packet);
  // Reads on until `sound` has come to `until`, and of a file the pictures too, where a picture of
  // the time `picture` is the next to be shown; times of the file. What goes wrong on the way is
  // told by `next`.
  void read_ahead(Duration picture, Duration until, const SourceSound& sound);
  // The latest time of a picture that was read.
  std::optional<Duration> latest_picture() const { return latest_; }
  // Where what is met of the sound goes; null: nowhere.
  void set_sound(SourceSound* sound) { sound_ = sound; }
  // The file begins again.
  void restart();

 private:
  Result<Step> read();
  Result<Step> read_one();
  void skip_backlog();
  Duration in_time(std::int64_t stamp) const;

  const SourceSpec& spec_;
  InputGuard& guard_;
  const DecodedInput& in_;
  SourceSound* sound_ = nullptr;
  AvPacketPtr packet_ = new_av_packet();  // just read
  std::deque<AvPacketPtr> waiting_;
  ByteCount waiting_bytes_;
  std::optional<Duration> read_to_;   // of the picture, in decoding order
  std::optional<Duration> latest_;    // of the picture
  std::optional<Result<Step>> over_;  // the end, or why nothing more comes
  bool sound_stopped_ = false;
  int sound_packets_ = 0;  // since it stopped
  int bad_reads_ = 0;      // one after the other
};

// "file clip.mkv is lost: ..."
Error lost_error(const SourceSpec& spec, const std::string& why);

}  // namespace qvid::media
