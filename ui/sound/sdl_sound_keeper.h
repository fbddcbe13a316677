// Keeps devices open: a thread that looks at them once a second (kEvery), and at once when one is
// added or forgotten.
//
//   wanted, not open    opened; a named device only where it is listed (SDL would take another)
//   open, lost          SDL says so, or no callback came for kStill: closed, told, wanted again
//   the default moved   opened anew, where SDL tells: Pulse and PipeWire mostly move what plays on
//                       the default themselves, and SDL's name of it may stay behind
//   nothing opens       SDL's audio begins anew every kRestartLooks: a sound server that was
//                       restarted is another one to SDL
//
// Thread: any; what it tells is told on its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "media/sound/device_port.h"
#include "ui/sound/sdl_sound.h"

namespace qvid::ui {

// A device that somebody wants. One of the two ports is there.
struct SoundWish {
  std::string name;  // empty: the default
  std::shared_ptr<media::CapturePort> capture;
  std::shared_ptr<media::PlayPort> play;
  std::atomic<bool> forgotten{false};

  media::DevicePort& port() const;
  const char* kind() const { return capture ? "microphone" : "loudspeaker"; }

  // The keeper's.
  enum class Told { kNothing, kUsed, kMissing };
  unsigned id = 0;       // SDL's; 0: not open
  std::string opened{};  // by this name; of a default as far as it is known
  std::int64_t callbacks = 0;
  Timestamp moved{};  // when callbacks was seen to change
  Told told = Told::kNothing;
};

class SdlSoundKeeper {
 public:
  static constexpr Duration kEvery = std::chrono::seconds(1);
  static constexpr Duration kStill = std::chrono::seconds(3);  // devices take their time to begin
  static constexpr int kRestartLooks = 3;

  explicit SdlSoundKeeper(media::OnSoundStatus on_status);
  ~SdlSoundKeeper();
  SdlSoundKeeper(const SdlSoundKeeper&) = delete;
  SdlSoundKeeper& operator=(const SdlSoundKeeper&) = delete;

  void add(std::shared_ptr<SoundWish> wish);
  // Closed soon.
  void forget(SoundWish& wish);
  SoundDeviceNames devices();

 private:
  void run(const std::stop_token& stop);
  void look(std::vector<std::shared_ptr<SoundWish>>& wishes);
  void keep(SoundWish& wish);
  bool lost(SoundWish& wish) const;
  bool open(SoundWish& wish);
  void close(SoundWish& wish);
  bool is_there(const SoundWish& wish) const;
  // `why`, and in the same sentence what comes of it.
  void tell(SoundWish& wish, SoundWish::Told what, const std::string& why, const char* then);

  media::OnSoundStatus on_status_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::shared_ptr<SoundWish>> added_;
  SoundDeviceNames names_;
  bool looked_ = false;
  bool look_again_ = false;
  // The thread's.
  bool running_ = false;  // SDL's audio
  int failed_looks_ = 0;
  SoundDeviceNames seen_;
  std::jthread thread_;
};

}  // namespace qvid::ui
