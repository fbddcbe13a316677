#include "media/sound/sound_codec.h"

#include <opus.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace qvid::media {
namespace {

// From 7 on libopus looks at the sound (speech, music, noise), which is how it finds what need not
// be sent; the rest of the scale buys little. A few percent of a core.
constexpr int kComplexity = 8;
// Packets of so many bytes carry nothing: "as before", in discontinuous transmission.
constexpr opus_int32 kEmptyPacket = 2;
constexpr std::size_t kEncoderBuffer = 3 * kMaxOpusPacket;
// What the blocks' times say otherwise is believed over so many frames: 100 ms.
constexpr std::int64_t kTimeConstant = kSoundRate / 10;
constexpr int kDecodedChannels = 2;
constexpr std::size_t kConcealStep = 120;     // frames: 2.5 ms
constexpr std::size_t kMostConcealed = 2880;  // of one call of libopus: 60 ms

struct OpusEncoderFree {
  void operator()(OpusEncoder* encoder) const { opus_encoder_destroy(encoder); }
};
struct OpusDecoderFree {
  void operator()(OpusDecoder* decoder) const { opus_decoder_destroy(decoder); }
};
using OpusEncoderHandle = std::unique_ptr<OpusEncoder, OpusEncoderFree>;
using OpusDecoderHandle = std::unique_ptr<OpusDecoder, OpusDecoderFree>;

Error opus_error(const char* what, int code) {
  return Error{std::string(what) + ": libopus: " + opus_strerror(code)};
}

float encodable(float sample) {
  return std::isfinite(sample) ? std::clamp(sample, -1.0F, 1.0F) : 0;
}

bool is_packet(Duration length) {
  return length == 10ms || length == 20ms || length == 40ms || length == 60ms;
}

opus_int32 held_rate(DataRate rate) {
  return static_cast<opus_int32>(std::clamp(rate, kLeastSoundRate, kMostSoundRate).bps());
}

class OpusSoundEncoder : public SoundEncoder {
 public:
  OpusSoundEncoder(OpusEncoderHandle encoder, const SoundEncoderOptions& options)
      : encoder_(std::move(encoder)), options_(options), wanted_packet_(options.coding.packet) {
    opus_int32 frames = 0;
    opus_encoder_ctl(encoder_.get(), OPUS_GET_LOOKAHEAD(&frames));
    lookahead_ = sound_time(frames);
  }

  void encode(const SoundBlock& block, std::vector<SoundPacket>& packets) override {
    if (block.channels < 1 || block.channels > kMostChannels || block.frames() == 0) return;
    follow(block);
    append(block);
    std::size_t begin = 0;
    for (;;) {
      if (silent_ || wanted_packet_ > packet()) options_.coding.packet = wanted_packet_;
      const std::size_t whole = static_cast<std::size_t>(sound_frames(packet())) * channels();
      if (waiting_.size() - begin < whole) break;
      const Duration after = waiting_time(waiting_.size() - begin);
      encode_packet(waiting_.data() + begin, end_ - after - lookahead_, packets);
      begin += whole;
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  void set_coding(const SoundCoding& coding) override {
    if (is_packet(coding.packet)) wanted_packet_ = coding.packet;
    opus_encoder_ctl(encoder_.get(), OPUS_SET_BITRATE(held_rate(coding.rate)));
  }

 private:
  std::size_t channels() const { return static_cast<std::size_t>(options_.channels); }
  Duration packet() const { return options_.coding.packet; }
  Duration waiting_time(std::size_t samples) const {
    return sound_time(static_cast<std::int64_t>(samples / channels()));
  }

  // Sets end_ to where the block begins, as smoothly as its time allows.
  void follow(const SoundBlock& block) {
    const Duration error = block.captured - end_;
    if (!begun_ || error > packet() || error < -packet()) {
      waiting_.clear();
      if (begun_) opus_encoder_ctl(encoder_.get(), OPUS_RESET_STATE);
      begun_ = true;
      silent_ = false;
      options_.coding.packet = wanted_packet_;  // nothing goes on
      end_ = block.captured;
      return;
    }
    const auto frames = static_cast<std::int64_t>(block.frames());
    end_ += Duration(
        static_cast<std::int64_t>(static_cast<double>(error.count()) * static_cast<double>(frames) /
                                  static_cast<double>(frames + kTimeConstant)));
  }

  void append(const SoundBlock& block) {
    const bool mix = block.channels == 2 && options_.channels == 1;
    const bool twice = block.channels == 1 && options_.channels == 2;
    const std::size_t step = mix ? 2 : 1;
    for (std::size_t i = 0; i + step <= block.samples.size(); i += step) {
      float sample = encodable(block.samples[i]);
      if (mix) sample = (sample + encodable(block.samples[i + 1])) / 2;
      waiting_.push_back(sample);
      if (twice) waiting_.push_back(sample);
    }
    end_ += sound_time(static_cast<std::int64_t>(block.frames()));
  }

  void encode_packet(const float* samples, Timestamp captured, std::vector<SoundPacket>& packets) {
    const int frames = static_cast<int>(sound_frames(packet()));
    const opus_int32 size =
        opus_encode_float(encoder_.get(), samples, frames, buffer_.data(), kEncoderBuffer);
    if (size <= 0) return;  // cannot be: arguments are right, the buffer is large enough
    bool last = false;
    if (options_.discontinuous) {
      const bool empty = size <= kEmptyPacket;
      if (empty && silent_) return;
      // Of silence, the first packet, and those that say how its noise is.
      last = empty || (silent_ && in_silence());
      silent_ = last;
    }
    SoundPacket packet;
    packet.captured = captured;
    packet.duration = this->packet();
    packet.last = last;
    packet.opus =
        Payload::copy_of(std::as_bytes(std::span(buffer_.data(), static_cast<std::size_t>(size))));
    packets.push_back(std::move(packet));
  }

  bool in_silence() const {
    opus_int32 in = 0;
    return opus_encoder_ctl(encoder_.get(), OPUS_GET_IN_DTX(&in)) == OPUS_OK && in != 0;
  }

  OpusEncoderHandle encoder_;
  SoundEncoderOptions options_;
  Duration wanted_packet_;  // as set_coding has it
  Duration lookahead_{};    // what is decoded first was captured so long before
  bool begun_ = false;
  bool silent_ = false;         // the latest packet said that silence follows
  Timestamp end_{};             // when what follows waiting_ is captured
  std::vector<float> waiting_;  // less than a packet, between calls
  std::array<unsigned char, kEncoderBuffer> buffer_{};
};

class OpusSoundDecoder : public SoundDecoder {
 public:
  explicit OpusSoundDecoder(OpusDecoderHandle decoder) : decoder_(std::move(decoder)) {}

  std::vector<float> decode(const SoundPacket& packet) override {
    const Result<Duration> duration = opus_duration(packet.opus.bytes());
    if (!duration) return conceal(frames_of(packet.duration));
    const std::size_t frames = frames_of(*duration);
    std::vector<float> out(frames * kDecodedChannels);
    const int decoded = opus_decode_float(
        decoder_.get(), reinterpret_cast<const unsigned char*>(packet.opus.data()),
        static_cast<opus_int32>(packet.opus.size()), out.data(), static_cast<int>(frames), 0);
    if (decoded != static_cast<int>(frames)) return conceal(frames);
    return checked(std::move(out));
  }

  std::vector<float> conceal(std::size_t frames) override {
    frames = (frames + kConcealStep - 1) / kConcealStep * kConcealStep;
    std::vector<float> out(frames * kDecodedChannels);
    for (std::size_t done = 0; done < frames;) {
      const std::size_t part = std::min(frames - done, kMostConcealed);
      if (opus_decode_float(decoder_.get(), nullptr, 0, out.data() + done * kDecodedChannels,
                            static_cast<int>(part), 0) < 0) {
        break;  // silence stays
      }
      done += part;
    }
    return checked(std::move(out));
  }

 private:
  static std::size_t frames_of(Duration duration) {
    return static_cast<std::size_t>(
        sound_frames(std::clamp(duration, Duration::zero(), kMaxSoundPacket)));
  }
  // No bytes are known that make libopus compute what is no number; one would stay in its state.
  std::vector<float> checked(std::vector<float> out) {
    if (std::all_of(out.begin(), out.end(), [](float s) { return std::isfinite(s); })) return out;
    opus_decoder_ctl(decoder_.get(), OPUS_RESET_STATE);
    std::fill(out.begin(), out.end(), 0.0F);
    return out;
  }

  OpusDecoderHandle decoder_;
};

}  // namespace

Result<std::unique_ptr<SoundEncoder>> SoundEncoder::make(const SoundEncoderOptions& options) {
  if (options.channels < 1 || options.channels > kMostChannels) {
    return Error{"sound has one channel or two"};
  }
  if (!is_packet(options.coding.packet)) {
    return Error{"a sound packet lasts 10, 20, 40 or 60 ms"};
  }
  if (options.coding.rate < kLeastSoundRate || options.coding.rate > kMostSoundRate) {
    return Error{"sound has 16 to 64 kbit/s"};
  }
  int code = OPUS_OK;
  OpusEncoderHandle encoder(
      opus_encoder_create(kSoundRate, options.channels,
                          options.voice ? OPUS_APPLICATION_VOIP : OPUS_APPLICATION_AUDIO, &code));
  if (!encoder) return opus_error("no sound encoder", code);
  OpusEncoder* const e = encoder.get();
  for (const int result : {
           opus_encoder_ctl(e, OPUS_SET_BITRATE(held_rate(options.coding.rate))),
           // Bits where they are needed, but never many more than the rate for long.
           opus_encoder_ctl(e, OPUS_SET_VBR(1)),
           opus_encoder_ctl(e, OPUS_SET_VBR_CONSTRAINT(1)),
           opus_encoder_ctl(e, OPUS_SET_COMPLEXITY(kComplexity)),
           opus_encoder_ctl(e, OPUS_SET_DTX(options.discontinuous ? 1 : 0)),
       }) {
    if (result != OPUS_OK) return opus_error("no sound encoder", result);
  }
  return std::unique_ptr<SoundEncoder>(
      std::make_unique<OpusSoundEncoder>(std::move(encoder), options));
}

Result<std::unique_ptr<SoundDecoder>> SoundDecoder::make() {
  int code = OPUS_OK;
  OpusDecoderHandle decoder(opus_decoder_create(kSoundRate, kDecodedChannels, &code));
  if (!decoder) return opus_error("no sound decoder", code);
  return std::unique_ptr<SoundDecoder>(std::make_unique<OpusSoundDecoder>(std::move(decoder)));
}

}  // namespace qvid::media
