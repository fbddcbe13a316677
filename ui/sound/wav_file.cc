#include "ui/sound/wav_file.h"

#include <SDL.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>

namespace qvid::ui {
namespace {

constexpr std::uint64_t kMostConverted = 1u << 30;  // bytes; SDL counts them in an int

struct FreeWav {
  void operator()(Uint8* bytes) const { SDL_FreeWAV(bytes); }
};
Error wav_error(const std::string& path, const std::string& why) {
  return Error{"cannot read the sound file " + path + ": " + why};
}

}  // namespace

Result<media::SoundSamples> load_wav(const std::string& path) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (failed) return wav_error(path, failed.message());
  if (size > kMostWavBytes) return wav_error(path, "it is longer than 256 MiB");

  SDL_AudioSpec spec{};
  Uint8* bytes = nullptr;
  Uint32 length = 0;
  if (SDL_LoadWAV(path.c_str(), &spec, &bytes, &length) == nullptr) {
    return wav_error(path, SDL_GetError());
  }
  const std::unique_ptr<Uint8, FreeWav> owner(bytes);
  media::SoundSamples samples;
  samples.channels = spec.channels == 1 ? 1 : 2;
  SDL_AudioCVT convert{};
  if (SDL_BuildAudioCVT(&convert, spec.format, spec.channels, spec.freq, AUDIO_F32SYS,
                        static_cast<Uint8>(samples.channels), media::kSoundRate) < 0) {
    return wav_error(path, SDL_GetError());
  }
  // The work is done in place, in a buffer for the longest of its steps.
  const std::uint64_t longest = std::uint64_t{length} * static_cast<unsigned>(convert.len_mult);
  if (longest > kMostConverted) return wav_error(path, "it is too long");
  samples.values.resize(static_cast<std::size_t>(longest) / sizeof(float) + 1);
  convert.buf = reinterpret_cast<Uint8*>(samples.values.data());
  convert.len = static_cast<int>(length);
  convert.len_cvt = convert.len;
  std::memcpy(convert.buf, bytes, length);
  if (convert.needed != 0 && SDL_ConvertAudio(&convert) != 0) {
    return wav_error(path, SDL_GetError());
  }
  const auto frame = sizeof(float) * static_cast<std::size_t>(samples.channels);
  const std::size_t frames = static_cast<std::size_t>(convert.len_cvt) / frame;
  samples.values.resize(frames * static_cast<std::size_t>(samples.channels));
  samples.values.shrink_to_fit();
  if (samples.values.empty()) return wav_error(path, "there is no sound in it");
  return samples;
}

}  // namespace qvid::ui
