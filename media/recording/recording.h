// What comes of one publisher, recorded: messages in, files out, nothing decoded.
//
//   on_message -> FrameAssembler (frames in order, two seconds late) -> queue -> RecordingWriter
//   (network thread)                                                          (writer thread)
//   on_sound   ---------------------------------------------------> queue
//
// Late units that others need still find their place: a frame is handed on when the header of one
// two seconds newer is here. A disk that does not keep up costs pictures, never the network
// thread's time: beyond kMostWaiting bytes or kMostUnits a unit or packet is dropped; what refers
// to it is left out until the next key frame.
//
// Thread: one at a time, which never blocks but in finish and the destructor; stats: any.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>

#include "base/payload.h"
#include "base/units.h"
#include "media/playout/frame_assembler.h"
#include "media/recording/recording_writer.h"

namespace qvid::media {

class Recording {
 public:
  static constexpr ByteCount kMostWaiting = ByteCount(32 * 1024 * 1024);
  static constexpr std::size_t kMostUnits = 4096;

  explicit Recording(RecordingOptions options);
  ~Recording();  // as finish
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // The publisher's stream begins, or begins anew; numbers of frames and times count from anywhere.
  // `sound`: there will be sound with it. May be called by who does not know: where sound comes all
  // the same, files that begin after it have it.
  void begin(FrameRate rate, bool sound = false);
  // A header or unit (media/unit/unit_wire.h). Anything may come.
  void on_message(std::uint64_t position, const Payload& payload);
  // Of the same member, by the same clock. May come before the first `begin`.
  void on_sound(SoundPacket packet);
  // All that came is written, and the files are whole. Blocks for as long as the disk takes.
  void finish();

  struct Stats : RecordingStats {
    std::int64_t dropped = 0;  // units and packets, by a disk that does not keep up
    std::int64_t bad_messages = 0;
  };
  Stats stats() const;

 private:
  struct Begin {
    FrameRate rate;
    bool sound = false;
  };
  using Task = std::variant<Begin, RecordedUnit, SoundPacket>;  // begin, add, add_sound
  void take_until(FrameNumber number);
  void put(Task task, ByteCount size);
  void write();

  std::unique_ptr<FrameAssembler> assembler_ = std::make_unique<FrameAssembler>();
  std::int64_t hold_ = 60;  // frames
  bool begun_ = false;

  mutable std::mutex mutex_;  // guards these
  std::condition_variable changed_;
  std::deque<std::pair<Task, ByteCount>> waiting_;
  ByteCount bytes_;
  bool finished_ = false;
  Stats stats_;

  RecordingWriter writer_;  // of the thread
  std::jthread thread_;
};

}  // namespace qvid::media
