#include "ui/sound/sdl_sound_keeper.h"

#include <SDL.h>

#include <algorithm>
#include <span>

#include "base/clock.h"
#include "base/text.h"

namespace qvid::ui {
namespace {

constexpr Duration kFirstLook = std::chrono::seconds(5);  // a sound server that starts for us
constexpr int kBuffersBehind = 2;                         // of a loudspeaker
// Frames of a callback: 10.7 ms. A power of two: SDL 2.26 may round it up to one after it has
// reserved its own buffer, and then has callbacks write past that.
constexpr Uint16 kCallbackFrames = 512;

std::span<float> samples_of(Uint8* bytes, int size) {
  return {reinterpret_cast<float*>(bytes), static_cast<std::size_t>(size) / sizeof(float)};
}

void on_captured(void* port, Uint8* bytes, int size) {
  static_cast<media::CapturePort*>(port)->callback(samples_of(bytes, size), steady_now());
}

void on_wanted(void* port, Uint8* bytes, int size) {
  static_cast<media::PlayPort*>(port)->callback(samples_of(bytes, size), steady_now());
}

std::vector<std::string> device_names(bool capture) {
  std::vector<std::string> names;
  const int count = SDL_GetNumAudioDevices(capture ? 1 : 0);
  for (int i = 0; i < count; ++i) {
    if (const char* name = SDL_GetAudioDeviceName(i, capture ? 1 : 0)) names.emplace_back(name);
  }
  return names;
}

// Empty: not known.
std::string default_device(bool capture) {
  char* name = nullptr;
  SDL_AudioSpec spec{};
  if (SDL_GetDefaultAudioInfo(&name, &spec, capture ? 1 : 0) != 0 || name == nullptr) return {};
  std::string result = name;
  SDL_free(name);
  return result;
}

// Behind the kind of a device; the default device has no name.
std::string named(const std::string& name) {
  return name.empty() ? std::string() : " " + in_quotes(name);
}

}  // namespace

media::DevicePort& SoundWish::port() const {
  if (capture) return *capture;
  return *play;
}

SdlSoundKeeper::SdlSoundKeeper(media::OnSoundStatus on_status) : on_status_(std::move(on_status)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

SdlSoundKeeper::~SdlSoundKeeper() = default;  // the thread, last declared, ends first

void SdlSoundKeeper::add(std::shared_ptr<SoundWish> wish) {
  const std::lock_guard lock(mutex_);
  added_.push_back(std::move(wish));
  look_again_ = true;
  changed_.notify_all();
}

void SdlSoundKeeper::forget(SoundWish& wish) {
  const std::lock_guard lock(mutex_);
  wish.forgotten = true;
  look_again_ = true;
  changed_.notify_all();
}

SoundDeviceNames SdlSoundKeeper::devices() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kFirstLook, [this] { return looked_; });
  return names_;
}

void SdlSoundKeeper::run(const std::stop_token& stop) {
  std::vector<std::shared_ptr<SoundWish>> wishes;
  while (!stop.stop_requested()) {
    look(wishes);
    std::unique_lock lock(mutex_);
    names_ = seen_;
    looked_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, stop, kEvery, [this] { return look_again_; });
  }
  for (const auto& wish : wishes) close(*wish);
  if (running_) SDL_AudioQuit();
  SDL_TLSCleanup();  // SDL's errors of this thread, which is none of its own
}

void SdlSoundKeeper::look(std::vector<std::shared_ptr<SoundWish>>& wishes) {
  {
    const std::lock_guard lock(mutex_);
    wishes.insert(wishes.end(), added_.begin(), added_.end());
    added_.clear();
    look_again_ = false;
  }
  std::erase_if(wishes, [this](const auto& wish) {
    if (wish->forgotten) close(*wish);
    return wish->forgotten.load();
  });
  // Not SDL_InitSubSystem: it counts without a lock, and the main thread opens windows.
  if (!running_) running_ = SDL_AudioInit(nullptr) == 0;
  seen_ = {};
  if (running_) {
    const char* driver = SDL_GetCurrentAudioDriver();
    seen_ = {.system = driver == nullptr ? "" : driver,
             .microphones = device_names(true),
             .loudspeakers = device_names(false)};
  }
  for (const auto& wish : wishes) keep(*wish);

  const auto is_open = [](const auto& wish) { return wish->id != 0; };
  const bool failed = !wishes.empty() && std::ranges::none_of(wishes, is_open);
  failed_looks_ = failed ? failed_looks_ + 1 : 0;
  if (running_ && failed_looks_ >= kRestartLooks) {
    SDL_AudioQuit();
    running_ = false;
    failed_looks_ = 0;
  }
}

void SdlSoundKeeper::keep(SoundWish& wish) {
  if (wish.id != 0 && lost(wish)) {
    const std::string which = wish.opened;
    close(wish);
    // A default that is replaced at once need not be told as lost.
    if (wish.name.empty() && open(wish)) return;
    tell(wish, SoundWish::Told::kMissing, wish.kind() + named(which) + " is lost",
         ": silence until it comes back");
    return;
  }
  if (wish.id != 0 && wish.name.empty()) {
    const std::string now = default_device(wish.capture != nullptr);
    if (now.empty() || now == wish.opened) return;
    close(wish);
  }
  if (wish.id == 0) open(wish);
}

bool SdlSoundKeeper::lost(SoundWish& wish) const {
  if (SDL_GetAudioDeviceStatus(wish.id) != SDL_AUDIO_PLAYING) return true;
  const std::int64_t callbacks = wish.port().callbacks();
  const Timestamp now = steady_now();
  if (callbacks != wish.callbacks) wish.moved = now;
  wish.callbacks = callbacks;
  return now - wish.moved >= kStill;
}

bool SdlSoundKeeper::is_there(const SoundWish& wish) const {
  const auto& names = wish.capture ? seen_.microphones : seen_.loudspeakers;
  if (!wish.name.empty()) return std::ranges::find(names, wish.name) != names.end();
  // None that is listed: the default would be what a loudspeaker plays. Below 0: cannot be listed.
  return !names.empty() || SDL_GetNumAudioDevices(wish.capture ? 1 : 0) < 0;
}

bool SdlSoundKeeper::open(SoundWish& wish) {
  if (!running_ || !is_there(wish)) {
    if (wish.name.empty()) {
      tell(wish, SoundWish::Told::kMissing, std::string("there is no ") + wish.kind(),
           ": silence until one comes");
    } else {
      tell(wish, SoundWish::Told::kMissing, wish.kind() + named(wish.name) + " is not there",
           ": silence until it comes");
    }
    return false;
  }
  const bool capture = wish.capture != nullptr;
  SDL_AudioSpec desired{};
  desired.freq = media::kSoundRate;
  desired.format = AUDIO_F32SYS;
  desired.channels = static_cast<Uint8>(wish.port().channels());
  desired.samples = kCallbackFrames;
  desired.callback = capture ? on_captured : on_wanted;
  desired.userdata = capture ? static_cast<void*>(wish.capture.get()) : wish.play.get();
  SDL_AudioSpec obtained{};
  wish.opened = wish.name.empty() ? default_device(capture) : wish.name;
  wish.id = SDL_OpenAudioDevice(wish.name.empty() ? nullptr : wish.name.c_str(), capture ? 1 : 0,
                                &desired, &obtained, SDL_AUDIO_ALLOW_SAMPLES_CHANGE);
  if (wish.id == 0) {
    tell(wish, SoundWish::Told::kMissing,
         wish.kind() + named(wish.opened) + " cannot be opened (" + printable(SDL_GetError()) + ")",
         ": tried again each second");
    return false;
  }
  wish.callbacks = wish.port().callbacks();
  wish.moved = steady_now();
  wish.port().begin(capture ? Duration(0)
                            : media::sound_time(std::int64_t{obtained.samples} * kBuffersBehind));
  SDL_PauseAudioDevice(wish.id, 0);
  wish.told = SoundWish::Told::kNothing;
  tell(wish, SoundWish::Told::kUsed, wish.kind() + named(wish.opened), " is used");
  return true;
}

void SdlSoundKeeper::close(SoundWish& wish) {
  if (wish.id == 0) return;
  wish.port().end();
  SDL_CloseAudioDevice(wish.id);
  wish.id = 0;
}

void SdlSoundKeeper::tell(SoundWish& wish, SoundWish::Told what, const std::string& why,
                          const char* then) {
  if (wish.told == what) return;
  wish.told = what;
  using enum media::SoundStatus::Of;
  const bool ok = what == SoundWish::Told::kUsed;
  on_status_({.ok = ok,
              .text = why + then,
              .of = wish.capture ? kMicrophone : kLoudspeaker,
              .device = wish.name,
              .why = ok ? std::string() : why});
}

}  // namespace qvid::ui
