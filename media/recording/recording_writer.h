// Coded units of one publisher into files that any player plays: which layer is written, when a new
// file begins, and at what times its pictures stand.
//
// One layer is written at a time: the layers of the codec are independent streams, and a file has
// one. It is the highest that there is, or a base of full size, which is as good. Where that has given nothing for kMostMissing, a lower one
// takes its place, and gives it back after kLeastPart at the earliest; each of these, a publisher
// that begins anew and other parameter sets (another size of the picture) begin another file:
// NAME.mkv, NAME-2.mkv ... A file begins with a key frame. What refers to a picture that is not in
// the file is left out and counted (media/codec/h264/h264_plain.h), so that every picture in it decodes.
// Until the first file begins, a lower layer is held back for kMostMissing: it is written if the
// highest has not come by then.
//
// Times are those of capture, from the file's first picture on; a picture that the publisher
// repeats (with the same capture time) stands a frame after the one before, as it was due.
//
// Sound stands where it was captured, by the same clock: packets wait until pictures have come so
// far, at most kMostSounds of them; what is before a file's first picture, out of order, or off
// from its pictures by more than kMostSoundAway (of another clock) is left out and counted. Silence
// that was not sent stays a gap in the times. A file has a track of sound where `begin` says so or
// sound has come by its first picture; where it comes later, the next key frame begins another
// file.
//
// Thread: one at a time; blocks on the disk.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/codec/h264/h264_plain.h"
#include "media/codec/layers/frame_header.h"
#include "media/recording/recording_file.h"
#include "media/sound/sound_packet.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

struct RecordingOptions {
  std::filesystem::path path;  // .mkv or .mp4: of the first file
  bool replace = false;        // the first file, if it is there; later ones take a free number
  std::string comment{};       // RecordingTrack's, of all files
};

struct RecordedFile {
  std::filesystem::path path{};
  PictureSize size{};
  int layer = 0;          // as it was sent
  bool full_size = true;  // else of a layer below the highest
  std::int64_t frames = 0;
  Duration lasts{};        // to the end of the last picture
  Duration longest_gap{};  // between two pictures
  ByteCount bytes{};       // of pictures
  bool sound = false;      // there is a track of it
  std::int64_t sound_packets = 0;
  ByteCount sound_bytes{};
};

struct RecordingStats {
  std::vector<RecordedFile> files{};  // at most RecordingWriter::kMostFiles
  std::int64_t left_out = 0;          // pictures of the layer that is written: something is missing
  std::int64_t sound_left_out = 0;    // packets
  std::string refused{};              // why the last unit that is no recordable video was not
  std::optional<Error> error{};       // why nothing more is written
};

// A unit with what its frame's header says.
struct RecordedUnit {
  FrameNumber number;
  Timestamp captured{};
  Timestamp due{};
  Payload codec_header;
  CodedUnit unit;
};

class RecordingWriter {
 public:
  static constexpr Duration kMostMissing = std::chrono::seconds(2);
  static constexpr Duration kLeastPart = std::chrono::seconds(5);
  static constexpr std::size_t kMostFiles = 1000;
  static constexpr std::size_t kMostHeld = 512;  // units
  static constexpr ByteCount kMostHeldBytes = ByteCount(32 << 20);
  static constexpr std::size_t kMostSounds = 1024;  // packets, each of kMaxOpusPacket bytes at most
  static constexpr Duration kMostSoundAway = std::chrono::seconds(10);

  explicit RecordingWriter(RecordingOptions options) : options_(std::move(options)) {}

  // A stream of frames that has nothing to do with the one before begins.
  // `sound`: there is sound with it, though none may have come yet.
  void begin(FrameRate rate, bool sound);
  // Each layer's units in order of frames.
  void add(const RecordedUnit& unit);
  // In any order, with the pictures of its time or sooner.
  void add_sound(SoundPacket packet);
  // The files are whole. Nothing may be added any more.
  void finish();
  const RecordingStats& stats() const { return stats_; }

 private:
  void hold(const RecordedUnit& unit);
  void write_held();
  void write(const RecordedUnit& unit, const FrameHeader& header);
  bool wants(int layer, bool key, Timestamp captured) const;
  // `at`: the first picture's.
  // `layer`: as layer_ counts.
  bool open_file(int layer, PictureSize size, const RecordedUnit& first);
  Result<std::unique_ptr<RecordingFile>> create(const RecordingTrack& track);
  // With the sound up to `until`.
  void close_file(Timestamp until);
  void write_sounds(Timestamp until);
  void write_sound(const SoundPacket& packet);
  void fail(Error error);
  Duration place(const RecordedUnit& unit);

  const RecordingOptions options_;
  RecordingStats stats_;
  FrameRate rate_;
  std::vector<RecordedUnit> held_;  // of the base, before the first file; begin with a key frame
  ByteCount held_bytes_;
  H264Plain plain_;
  std::unique_ptr<RecordingFile> file_;
  int layer_ = 0;                // of file_
  std::vector<std::byte> sets_;  // of file_
  Timestamp began_;              // these four: of file_, and of the last picture in it
  Timestamp captured_;
  Timestamp due_;
  Duration time_{};
  Timestamp anchor_;  // these two: of the last picture that is not repeated
  Duration anchor_time_{};
  std::deque<SoundPacket> sounds_;      // by their times; for file_, or the next
  std::optional<Duration> sound_time_;  // of the last in file_
  bool with_sound_ = false;
  int number_ = 0;  // of the last file's name
};

}  // namespace qvid::media
