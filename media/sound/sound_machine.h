// What the sound thread does in a turn, in virtual time if need be: the engine (sound_engine.h) is
// its clock and its lock.
//
//   output wants:  voices -> mixer -> (voice processor, as echo) -> output      by turns of 10 ms
//   input has:     turns of 10 ms -> voice processor -> meter -> encoder -> packets
//   sharing:       the same, with what is shared mixed in before the encoder, which is another one then
//
// A voice is asked for what is heard when the mixer's delay and the output's have passed.
//
// Muted: nothing is encoded, the voice of which others know is silent, and it is noted when one
// speaks all the same (`unheard`). Where it begins a last packet of silence is made, so that who
// listens does not wait for more. Nobody listens (not sending): the same, but the meter goes on.
//
// Who is late skips: the devices do so (sound_device.h), and what waits here for its turn to be
// whole is dropped where what comes does not follow it.
//
// Shared sound (shared_sound.h) goes on where one is muted; no voice processing touches it, and it is as
// loud as it is, but nobody who speaks.
//
// Bounds: kMostTurns of output and kMostReads of input a turn; less than a turn of input waits.
// Thread: one. Pure, over its devices.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "media/sound/shared_sound.h"
#include "media/sound/sound_codec.h"
#include "media/sound/sound_device.h"
#include "media/sound/sound_mixer.h"
#include "media/sound/sound_voice.h"
#include "media/sound/voice_meter.h"
#include "media/sound/voice_processor.h"

namespace qvid::media {

struct SoundMachineParts {
  std::unique_ptr<SoundInput> input;  // null: nothing is captured
  std::unique_ptr<SoundOutput> output;
  std::unique_ptr<SoundEncoder> encoder;   // null only where there has been no input yet
  std::unique_ptr<VoiceProcessor> voices;  // null: what is captured is sent as it is
  std::unique_ptr<SharedSound> shared{};   // null: none can be shared
  std::unique_ptr<SoundEncoder>
      shared_encoder{};  // of what is sent while it is; null only without it
};

// Of what is played, of the last second: the largest sample.
class PeakMeter {
 public:
  void on_samples(std::span<const float> samples, Timestamp now);
  double peak(Timestamp now) const;

 private:
  static constexpr Duration kHalf = std::chrono::milliseconds(500);
  Timestamp begun_{};
  float now_ = 0;     // of the half second that began then
  float before_ = 0;  // and of the one before
};

class SoundMachine {
 public:
  static constexpr int kMostTurns = 20;
  static constexpr int kMostReads = 4;
  static constexpr Duration kVoiceEvery = std::chrono::milliseconds(200);
  static constexpr double kNotableLoudness = 1.0;  // dB

  struct Voice {
    std::shared_ptr<SoundVoice> voice;
    float volume = 1.0f;
  };
  struct Callbacks {
    std::function<void(SoundPacket&&)> packet;
    std::function<void(const VoiceState&)> voice;
  };
  SoundMachine(SoundMachineParts parts, Callbacks callbacks);

  void set_voices(std::vector<Voice> voices) { voices_ = std::move(voices); }
  void set_muted(bool muted) { muted_ = muted; }
  void set_sending(bool on) { sending_ = on; }
  // Whether what can be shared is; the device itself is the engine's to switch.
  void set_sharing(bool on) { sharing_ = on && parts_.shared && parts_.shared_encoder; }
  void set_coding(const SoundCoding& coding);
  // Another in its place; `voices`: null: what it captures is sent as it is. The encoder stays, so that
  // who listens hears one stream.
  void set_input(std::unique_ptr<SoundInput> input, std::unique_ptr<VoiceProcessor> voices);
  void set_output(std::unique_ptr<SoundOutput> output);  // not null
  bool has_encoder() const { return parts_.encoder != nullptr; }
  void set_encoder(std::unique_ptr<SoundEncoder> encoder);  // not null; codes as was asked for last
  void turn(Timestamp now);

  const VoiceState& voice() const { return voice_; }
  bool unheard() const { return unheard_; }
  double peak(Timestamp now) const { return peak_.peak(now); }
  std::int64_t packets_made() const { return packets_made_; }
  std::int64_t bytes_made() const { return bytes_made_; }

 private:
  void play(Timestamp now);
  void capture(Timestamp now);
  void on_block(const SoundBlock& block, Timestamp now);
  void on_turn(SoundBlock& turn, Timestamp now);
  void mix_shared(SoundBlock& turn, Timestamp now);
  void encode(SoundBlock& turn);
  void tell_voice(Timestamp now);

  SoundMachineParts parts_;
  Callbacks callbacks_;
  std::vector<Voice> voices_;
  bool muted_ = false;
  bool sending_ = true;
  bool sharing_ = false;

  SoundMixer mixer_;
  std::vector<float> pulled_;
  PeakMeter peak_;
  Duration output_latency_{};  // from a write until it is heard

  SoundBlock waiting_;  // less than a turn
  SoundBlock turn_;
  std::vector<float> mono_;
  VoiceMeter meter_;
  SoundMixer shared_mixer_;
  VoiceMeter shared_meter_;
  VoiceState voice_;
  bool unheard_ = false;
  std::optional<VoiceState> told_;
  Timestamp told_at_{};

  std::optional<SoundCoding> coding_;  // that was set last
  std::vector<SoundPacket> packets_;
  std::size_t open_turns_ = 0;  // the stream is open: how many turns a last packet may still take
  std::int64_t packets_made_ = 0;
  std::int64_t bytes_made_ = 0;
};

}  // namespace qvid::media
