// File-In for one viewer: a thread that reads a stored video as far ahead as it is told to, and
// goes to another place of it when it is told to.
//
//   opened, then frames up to the position of read_until .. it waits .. frames .. ended
//                       seek: whatever it does it drops, goes there, and waits for read_until
//
// Flow control: nothing is read before read_until says how far, or read_one, and a seek takes back what it has
// said: positions before and after a seek have nothing to do with each other. So what is on its way
// is bounded by the caller.
//
// Generations: a frame carries the number that its caller gave with the last seek that the reader
// had heard of when it read it (0 before any). Whoever has asked for a seek since drops it.
//
// Threads: its own, on which the callbacks are called; they must not block, and must not destroy
// the object. The other calls may come from any thread and never wait. None of the callbacks is
// called after the destructor has returned, which takes about as long as one frame. Queue: one
// seek; the newest replaces what waits.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

#include "media/stored/stored_source.h"
#include "media/unit/unit_wire.h"

namespace qvid::media {

// A packet of sound as it is sent.
struct StoredSoundMessage {
  Duration place{};
  Duration duration{};
  Payload payload{};
};

class FileIn {
 public:
  struct Callbacks {
    std::function<void(const StoredInfo&)> opened;  // once, first
    std::function<void(std::shared_ptr<const WireFrame>, std::uint64_t generation)> frame;
    // The file is at its end; a seek may follow.
    std::function<void(std::uint64_t generation)> ended;
    // It cannot be opened, read or sought in. Nothing comes after it.
    std::function<void(const Error&)> failed;
    // What was read of the sound with a frame, after that, or before the end. Not empty.
    std::function<void(std::vector<StoredSoundMessage>, std::uint64_t generation)> sound =
        [](const std::vector<StoredSoundMessage>&, std::uint64_t) {};
  };

  FileIn(std::filesystem::path path, StoredOptions options, Callbacks callbacks);
  ~FileIn();
  FileIn(const FileIn&) = delete;
  FileIn& operator=(const FileIn&) = delete;

  // Frames up to this position of the file, and that frame too, may be read. Also back: what has
  // been read stays read.
  void read_until(Duration position);
  // One frame more may be read, wherever it is.
  void read_one();
  // The frames that follow begin at a synchronisation point near `to`, as StoredSource says. They
  // carry `generation`.
  void seek(Duration to, std::uint64_t generation);

 private:
  struct Seek {
    Duration to{};
    std::uint64_t generation = 0;
  };

  void run(const std::stop_token& stop);
  // What is to be done next; waits for it. Empty: to end. A Seek, or to read a frame.
  struct Read {};
  using Task = std::optional<std::variant<Seek, Read>>;
  Task next_task(const std::stop_token& stop);
  // The reading goes on in vain: it was told to end, or to go elsewhere.
  bool overtaken() const;
  // False where it failed.
  bool go(StoredSource& source, const Seek& seek);
  bool read(StoredSource& source);
  void tell_sound(StoredSource& source);

  const std::filesystem::path path_;
  const StoredOptions options_;
  const Callbacks callbacks_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Duration> limit_;  // of the reading; guarded by mutex_
  bool one_ = false;               // one more whatever the limit; guarded by mutex_
  std::optional<Seek> wanted_;     // guarded by mutex_
  std::stop_source interrupt_;     // of the task at hand; guarded by mutex_

  // Of the thread.
  FrameRate rate_;
  Duration position_{};           // of the next frame
  std::uint64_t generation_ = 0;  // of the next frame
  bool at_end_ = false;
  std::stop_token interrupted_;  // of the task at hand

  std::jthread thread_;
};

}  // namespace qvid::media
