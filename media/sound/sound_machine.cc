#include "media/sound/sound_machine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace qvid::media {
namespace {

// In so many turns any encoder has made a packet (kMaxSoundPacket), or it does not send silence.
constexpr std::size_t kClosingTurns =
    static_cast<std::size_t>(sound_frames(kMaxSoundPacket)) / kSoundTurn;

void make_mono(std::span<const float> samples, int channels, std::vector<float>& mono) {
  if (channels == 1) return mono.assign(samples.begin(), samples.end());
  mono.resize(samples.size() / 2);
  for (std::size_t i = 0; i < mono.size(); ++i) {
    mono[i] = 0.5f * (samples[2 * i] + samples[2 * i + 1]);
  }
}

}  // namespace

void PeakMeter::on_samples(std::span<const float> samples, Timestamp now) {
  if (now - begun_ >= kHalf) {
    before_ = now - begun_ < 2 * kHalf ? now_ : 0.0f;
    now_ = 0;
    begun_ = now;
  }
  for (const float sample : samples) now_ = std::max(now_, std::abs(sample));
}

double PeakMeter::peak(Timestamp now) const {
  return now - begun_ < 2 * kHalf ? static_cast<double>(std::max(now_, before_)) : 0.0;
}

SoundMachine::SoundMachine(SoundMachineParts parts, Callbacks callbacks)
    : parts_(std::move(parts)), callbacks_(std::move(callbacks)) {
  if (!parts_.output || (parts_.input && !parts_.encoder)) {
    throw std::invalid_argument("a sound machine without its parts");
  }
  pulled_.resize(kSoundTurn * 2);
  if (parts_.input) waiting_.channels = parts_.input->channels();
}

void SoundMachine::set_coding(const SoundCoding& coding) {
  coding_ = coding;
  if (parts_.encoder) parts_.encoder->set_coding(coding);
  if (parts_.shared_encoder) parts_.shared_encoder->set_coding(coding);
}

void SoundMachine::set_encoder(std::unique_ptr<SoundEncoder> encoder) {
  parts_.encoder = std::move(encoder);
  if (coding_) parts_.encoder->set_coding(*coding_);
}

void SoundMachine::set_input(std::unique_ptr<SoundInput> input,
                             std::unique_ptr<VoiceProcessor> voices) {
  if (input && !parts_.encoder) throw std::invalid_argument("a sound machine without its parts");
  parts_.input = std::move(input);
  parts_.voices = std::move(voices);
  waiting_.samples.clear();
  if (parts_.input) waiting_.channels = parts_.input->channels();
}

void SoundMachine::set_output(std::unique_ptr<SoundOutput> output) {
  parts_.output = std::move(output);
  output_latency_ = {};
}

void SoundMachine::turn(Timestamp now) {
  play(now);  // first: what is played is known as echo before it is captured
  if (parts_.input) capture(now);
}

void SoundMachine::play(Timestamp now) {
  for (int i = 0; i < kMostTurns && parts_.output->wanted(now) >= kSoundTurn; ++i) {
    const Timestamp heard = parts_.output->heard(now);
    mixer_.begin();
    for (const Voice& voice : voices_) {
      if (voice.voice->pull(heard + SoundMixer::kDelay, pulled_)) {
        mixer_.add(voice.voice.get(), pulled_, voice.volume);
      }
    }
    const std::span<const float> mixed = mixer_.end();
    peak_.on_samples(mixed, now);
    if (parts_.voices) parts_.voices->on_played(mixed);
    parts_.output->write(mixed);
    output_latency_ = heard - now;
  }
}

void SoundMachine::capture(Timestamp now) {
  SoundBlock block;
  for (int i = 0; i < kMostReads && parts_.input->read(now, block); ++i) on_block(block, now);
}

void SoundMachine::on_block(const SoundBlock& block, Timestamp now) {
  const auto length_of = [](const SoundBlock& b) {
    return sound_time(static_cast<std::int64_t>(b.frames()));
  };
  const Duration apart = block.captured - (waiting_.captured + length_of(waiting_));
  const Duration most = sound_time(kSoundTurn);
  if (block.channels != waiting_.channels || apart > most || apart < -most) {
    waiting_.samples.clear();
    waiting_.channels = block.channels;
  }
  waiting_.captured = block.captured - length_of(waiting_);
  waiting_.samples.insert(waiting_.samples.end(), block.samples.begin(), block.samples.end());

  const std::size_t whole = kSoundTurn * static_cast<std::size_t>(block.channels);
  std::size_t taken = 0;
  for (; waiting_.samples.size() - taken >= whole; taken += whole) {
    turn_.captured = waiting_.captured;
    turn_.channels = waiting_.channels;
    const auto from = waiting_.samples.begin() + static_cast<std::ptrdiff_t>(taken);
    turn_.samples.assign(from, from + static_cast<std::ptrdiff_t>(whole));
    waiting_.captured += sound_time(kSoundTurn);
    on_turn(turn_, now);
  }
  waiting_.samples.erase(waiting_.samples.begin(),
                         waiting_.samples.begin() + static_cast<std::ptrdiff_t>(taken));
}

void SoundMachine::on_turn(SoundBlock& turn, Timestamp now) {
  if (parts_.voices && turn.channels == 1) {
    const Duration input_latency = now - turn.captured;
    parts_.voices->process(turn.samples,
                           std::max(Duration::zero(), output_latency_ + input_latency));
    turn.captured -= parts_.voices->latency();
  }
  make_mono(turn.samples, turn.channels, mono_);
  const VoiceState loud = meter_.on_samples(mono_);
  voice_ = muted_ ? VoiceState{} : loud;
  unheard_ = muted_ && loud.speaking;
  if (muted_) std::ranges::fill(turn.samples, 0.0f);
  if (sharing_) mix_shared(turn, now);
  tell_voice(now);
  encode(turn);
}

void SoundMachine::mix_shared(SoundBlock& turn, Timestamp now) {
  std::vector<float>& both = turn.samples;
  if (turn.channels == 1) {
    both.resize(2 * both.size());
    for (std::size_t i = both.size() / 2; i-- > 0;) both[2 * i] = both[2 * i + 1] = both[i];
    turn.channels = 2;
  }
  parts_.shared->pull(turn.captured, now, pulled_);
  make_mono(pulled_, 2, mono_);
  voice_.loudness = std::max(voice_.loudness, shared_meter_.on_samples(mono_).loudness);
  shared_mixer_.begin();
  shared_mixer_.add(parts_.input.get(), both, 1.0f);
  shared_mixer_.add(parts_.shared.get(), pulled_, 1.0f);
  const std::span<const float> mixed = shared_mixer_.end();
  both.assign(mixed.begin(), mixed.end());
  turn.captured -= SoundMixer::kDelay;
}

void SoundMachine::encode(SoundBlock& turn) {
  const bool goes = sending_ && (!muted_ || sharing_);
  if (goes) {
    open_turns_ = kClosingTurns;
  } else if (open_turns_ == 0) {
    return;
  } else {
    --open_turns_;
    std::ranges::fill(turn.samples, 0.0f);
  }
  packets_.clear();
  (sharing_ ? parts_.shared_encoder : parts_.encoder)->encode(turn, packets_);
  for (SoundPacket& packet : packets_) {
    if (!goes) {
      packet.last = true;
      open_turns_ = 0;
    }
    ++packets_made_;
    bytes_made_ += static_cast<std::int64_t>(packet.opus.size());
    callbacks_.packet(std::move(packet));
  }
}

void SoundMachine::tell_voice(Timestamp now) {
  const bool begins = !told_ || told_->speaking != voice_.speaking;
  const bool louder = told_ && std::abs(told_->loudness - voice_.loudness) >= kNotableLoudness;
  if (!begins && !(louder && now - told_at_ >= kVoiceEvery)) return;
  told_ = voice_;
  told_at_ = now;
  callbacks_.voice(voice_);
}

}  // namespace qvid::media
