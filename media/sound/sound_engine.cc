#include "media/sound/sound_engine.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "media/sound/clock_output.h"
#include "media/sound/sound_machine.h"
#include "media/sound/tone_input.h"

namespace qvid::media {
namespace {

template <class T>
T made(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

std::unique_ptr<SoundOutput> or_nowhere(std::unique_ptr<SoundOutput> output) {
  return output ? std::move(output) : std::make_unique<ClockOutput>();
}

// What is shared goes along with an input.
SoundEngineOptions with_input(SoundEngineOptions options) {
  if (options.shared && !options.input) {
    options.input = std::make_unique<ToneInput>(Tone::kSilence);
  }
  return options;
}

SoundMachineParts parts_of(SoundEngineOptions& options) {
  SoundMachineParts parts;
  parts.output = or_nowhere(std::move(options.output));
  if (options.input) {
    parts.encoder = made(SoundEncoder::make(options.encoder));
    if (options.voice_processing && options.input->is_microphone()) {
      parts.voices = made(VoiceProcessor::make({}));
    }
    if (options.shared) {
      options.encoder.channels = kMostChannels;
      options.encoder.voice = false;
      parts.shared_encoder = made(SoundEncoder::make(options.encoder));
      parts.shared = std::move(options.shared);
    }
    parts.input = std::move(options.input);
  }
  return parts;
}

}  // namespace

class SoundEngine::Impl {
 public:
  Impl(SoundEngineOptions options, Callbacks callbacks)
      : shared_(options.input ? options.shared.get() : nullptr),
        encoder_(options.encoder),
        voice_processing_(options.voice_processing),
        machine_(parts_of(options),
                 {.packet = std::move(callbacks.packet), .voice = std::move(callbacks.voice)}),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  void set_muted(bool muted) {
    const std::lock_guard lock(mutex_);
    wanted_.muted = muted;
  }
  bool muted() const {
    const std::lock_guard lock(mutex_);
    return wanted_.muted;
  }
  void set_sending(bool on) {
    const std::lock_guard lock(mutex_);
    wanted_.sending = on;
  }
  void set_coding(const SoundCoding& coding) {
    const std::lock_guard lock(mutex_);
    wanted_.coding = coding;
  }
  void set_sharing(bool on) {
    if (shared_ == nullptr) return;
    shared_->set_on(on);
    const std::lock_guard lock(mutex_);
    wanted_.sharing = on;
  }
  bool can_share() const { return shared_ != nullptr && shared_->available(); }
  void set_input(MakeInput make) {
    // What is made here throws here, as the constructor does.
    auto voices = voice_processing_ ? made(VoiceProcessor::make({})) : nullptr;
    auto encoder = made(SoundEncoder::make(encoder_));
    const std::lock_guard lock(mutex_);
    wanted_.input = NewInput{std::move(make), std::move(encoder), std::move(voices)};
  }
  void set_output(MakeOutput make) {
    const std::lock_guard lock(mutex_);
    wanted_.output = std::move(make);
  }
  void add(std::shared_ptr<SoundVoice> voice) {
    const std::lock_guard lock(mutex_);
    if (!voice || find(voice.get()) != voices_.end()) return;
    voices_.push_back({.voice = std::move(voice)});
    voices_changed_ = true;
  }
  void remove(const SoundVoice* voice) {
    const std::lock_guard lock(mutex_);
    const auto found = find(voice);
    if (found == voices_.end()) return;
    voices_.erase(found);
    voices_changed_ = true;
  }
  void set_volume(const SoundVoice* voice, float volume) {
    const std::lock_guard lock(mutex_);
    const auto found = find(voice);
    if (found == voices_.end()) return;
    found->volume = volume;
    voices_changed_ = true;
  }
  SoundEngineStats stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  struct NewInput {
    MakeInput make;
    std::unique_ptr<SoundEncoder> encoder;   // where there is none yet
    std::unique_ptr<VoiceProcessor> voices;  // of a microphone: another has another echo
  };
  struct Wanted {
    bool muted = false;
    bool sending = true;
    bool sharing = false;
    std::optional<SoundCoding> coding{};
    std::optional<NewInput> input{};  // empty: the one there is
    MakeOutput output{};
  };

  std::vector<SoundMachine::Voice>::iterator find(const SoundVoice* voice) {
    return std::ranges::find_if(voices_, [voice](const auto& v) { return v.voice.get() == voice; });
  }

  void run(const std::stop_token& stop) {
    std::mutex own;
    std::condition_variable_any never_notified;
    std::unique_lock waiting(own);
    while (!stop.stop_requested()) {
      const Timestamp now = steady_now();
      take_wanted();
      machine_.turn(now);
      note_stats(now);
      never_notified.wait_until(waiting, stop, now + kEvery, [] { return false; });
    }
  }
  void take_wanted() {
    std::optional<std::vector<SoundMachine::Voice>> voices;
    Wanted wanted;
    {
      const std::lock_guard lock(mutex_);
      wanted = std::exchange(
          wanted_,
          Wanted{.muted = wanted_.muted, .sending = wanted_.sending, .sharing = wanted_.sharing});
      if (std::exchange(voices_changed_, false)) voices = voices_;
    }
    machine_.set_muted(wanted.muted);
    machine_.set_sending(wanted.sending);
    machine_.set_sharing(wanted.sharing);
    if (wanted.input) take_input(*std::move(wanted.input));
    if (wanted.output) {
      machine_.set_output(std::make_unique<ClockOutput>());
      machine_.set_output(or_nowhere(wanted.output()));
    }
    if (wanted.coding) machine_.set_coding(*wanted.coding);
    if (voices) machine_.set_voices(*std::move(voices));
  }
  void take_input(NewInput wanted) {
    machine_.set_input(nullptr, nullptr);
    auto input = wanted.make();
    if (!input) input = std::make_unique<ToneInput>(Tone::kSilence);
    if (!machine_.has_encoder()) machine_.set_encoder(std::move(wanted.encoder));
    if (!input->is_microphone()) wanted.voices.reset();
    machine_.set_input(std::move(input), std::move(wanted.voices));
  }
  void note_stats(Timestamp now) {
    const std::lock_guard lock(mutex_);
    stats_ = {.packets_made = machine_.packets_made(),
              .bytes_made = machine_.bytes_made(),
              .voice = machine_.voice(),
              .unheard = machine_.unheard(),
              .peak = machine_.peak(now)};
  }

  SharedSound* const shared_;  // the machine's; null: none
  const SoundEncoderOptions encoder_;
  const bool voice_processing_;
  SoundMachine machine_;  // the thread's
  mutable std::mutex mutex_;
  Wanted wanted_;
  std::vector<SoundMachine::Voice> voices_;
  bool voices_changed_ = false;
  SoundEngineStats stats_;
  std::jthread thread_;  // last: it ends first
};

SoundEngine::SoundEngine(SoundEngineOptions options, Callbacks callbacks)
    : impl_(std::make_unique<Impl>(with_input(std::move(options)), std::move(callbacks))) {}
SoundEngine::~SoundEngine() = default;

void SoundEngine::set_muted(bool muted) { impl_->set_muted(muted); }
bool SoundEngine::muted() const { return impl_->muted(); }
void SoundEngine::set_sending(bool on) { impl_->set_sending(on); }
void SoundEngine::set_coding(const SoundCoding& coding) { impl_->set_coding(coding); }
void SoundEngine::set_sharing(bool on) { impl_->set_sharing(on); }
bool SoundEngine::can_share() const { return impl_->can_share(); }
void SoundEngine::set_input(MakeInput make) { impl_->set_input(std::move(make)); }
void SoundEngine::set_output(MakeOutput make) { impl_->set_output(std::move(make)); }
void SoundEngine::add(std::shared_ptr<SoundVoice> party) { impl_->add(std::move(party)); }
void SoundEngine::remove(const SoundVoice* party) { impl_->remove(party); }
void SoundEngine::set_volume(const SoundVoice* party, float volume) {
  impl_->set_volume(party, volume);
}
SoundEngineStats SoundEngine::stats() const { return impl_->stats(); }

}  // namespace qvid::media
