#include "app/options/sound_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>

#include "app/log/log.h"
#include "base/ascii.h"
#include "base/text.h"
#include "media/sound/sound_file.h"
#include "media/sound/tone_input.h"
#include "ui/sound/sdl_sound.h"
#include "ui/sound/wav_file.h"

namespace qvid::app {
namespace {

std::optional<media::Tone> tone_of(const std::string& text) {
  if (text == "tone") return media::Tone::kBeeps;
  if (text == "speech") return media::Tone::kSpeech;
  if (text == "silence") return media::Tone::kSilence;
  return std::nullopt;
}

// `preferred` where there is one of that name; else empty, the default.
std::string preferred_device(const std::string& preferred, SoundDevices& devices,
                             std::vector<std::string> ui::SoundDeviceNames::*kind_of,
                             const char* kind) {
  if (preferred.empty()) return preferred;  // nothing needs to be listed
  const std::vector<std::string> names = devices.sound().devices().*kind_of;
  if (std::ranges::find(names, preferred) != names.end()) return preferred;
  devices.on_status()({false, fmt::format("the {} {} is not there: the system's is used instead",
                                          kind, in_quotes(preferred))});
  return {};
}

Result<std::unique_ptr<media::SoundInput>> input_of(const SoundArguments& a,
                                                    SoundDevices& devices) {
  using Input = std::unique_ptr<media::SoundInput>;
  const std::string& text = a.microphone;
  if (text == kNoDevice) return Input();
  if (text == kDefaultDevice) {
    return Input(devices.sound().input(preferred_device(
        a.preferred_microphone, devices, &ui::SoundDeviceNames::microphones, "microphone")));
  }
  if (const auto tone = tone_of(text)) return Input(std::make_unique<media::ToneInput>(*tone));
  if (is_wav(text)) {
    auto samples = ui::load_wav(text);
    if (!samples) return Error{"--microphone: " + samples.error().message};
    return Input(std::make_unique<media::SampleInput>(*std::move(samples), true, text));
  }
  const auto name = device_called(text, devices.sound().devices().microphones, "--microphone");
  if (!name) return name.error();
  return Input(devices.sound().input(*name));
}

Result<std::unique_ptr<media::SoundOutput>> output_of(const SoundArguments& a,
                                                      SoundDevices& devices) {
  using Output = std::unique_ptr<media::SoundOutput>;
  const std::string& text = a.speaker;
  if (text == kNoDevice) return Output();
  if (text == kDefaultDevice) {
    return Output(devices.sound().output(preferred_device(
        a.preferred_speaker, devices, &ui::SoundDeviceNames::loudspeakers, "loudspeaker")));
  }
  if (is_wav(text)) {
    auto file = media::WavOutput::make(text, [text](Timestamp first) {
      log_info("sound file {}: its first frame is heard at {} ns of the steady clock",
               printable(text), first.time_since_epoch().count());
    });
    if (!file) return Error{"--speaker: " + file.error().message};
    return Output(*std::move(file));
  }
  const auto name = device_called(text, devices.sound().devices().loudspeakers, "--speaker");
  if (!name) return name.error();
  return Output(devices.sound().output(*name));
}

}  // namespace

bool is_wav(const std::string& text) { return lower_case(text).ends_with(".wav"); }

void add_microphone_options(CLI::App& c, SoundArguments& a) {
  c.add_option(
      "--microphone", a.microphone,
      "What is sent as sound: default (the system's microphone), none, a microphone's name "
      "(see `qvid sources`), FILE.wav, tone, speech or silence; without this option a "
      "file's own sound, else default");
  c.add_flag("--muted", a.muted, "Begin with the microphone muted");
  c.add_flag("--no-voice-processing", a.no_voice_processing,
             "Send the microphone as it is, as music wants it: no echo cancellation, no noise "
             "suppression, no gain control");
  c.add_flag(
      "--low-delay", a.low_delay,
      "Sound in packets of 10 ms on every path, not only where there is room: 10 ms sooner, for "
      "more bytes");
}

void add_speaker_option(CLI::App& c, SoundArguments& a) {
  c.add_option(
      "--speaker", a.speaker,
      "Where sound is played: default, none, a loudspeaker's name (see `qvid sources`), or "
      "FILE.wav to write it there; without this option default, but with --headless none");
}

Result<media::SoundEngineOptions> sound_engine_options(const SoundArguments& a, bool sends,
                                                       bool plays, SoundDevices& devices) {
  media::SoundEngineOptions options;
  if (sends) {
    auto input = input_of(a, devices);
    if (!input) return input.error();
    options.input = *std::move(input);
  }
  if (plays) {
    auto output = output_of(a, devices);
    if (!output) return output.error();
    options.output = *std::move(output);
  }
  options.voice_processing = !a.no_voice_processing;
  if (a.low_delay) options.encoder.coding.packet = 10ms;
  if (a.no_voice_processing) options.encoder.voice = false;
  suit_encoder(options);
  return options;
}

void log_sound_status(const media::SoundStatus& status) {
  log_at(status.ok ? LogLevel::kInfo : LogLevel::kWarning, "{}", printable(status.text));
}

void suit_encoder(media::SoundEngineOptions& options) {
  if (options.input && options.input->channels() == media::kMostChannels) {
    options.encoder.channels = media::kMostChannels;
    options.encoder.voice = false;
  }
  if (!options.encoder.voice) options.encoder.coding.rate = media::kMostSoundRate;
}

Result<std::string> device_called(const std::string& text, const std::vector<std::string>& names,
                                  const std::string& option) {
  if (std::ranges::find(names, text) != names.end()) return text;
  std::vector<std::string> alike;
  for (const std::string& name : names) {
    if (!text.empty() && lower_case(name).find(lower_case(text)) != std::string::npos) {
      alike.push_back(name);
    }
  }
  if (alike.size() == 1) return alike.front();
  std::string listed;
  for (const std::string& name : alike.empty() ? names : alike) {
    listed += (listed.empty() ? "'" : ", '") + printable(name) + "'";
  }
  const std::string asked = printable(text.substr(0, 64));
  if (!alike.empty()) {
    return Error{
        fmt::format("{}: '{}' may be any of {}; give more of its name", option, asked, listed)};
  }
  if (listed.empty()) {
    return Error{
        fmt::format("{}: there is no '{}', nor any other such device; 'none' or 'default' "
                    "go on without one",
                    option, asked)};
  }
  return Error{fmt::format("{}: there is no '{}'; there are {} (see `qvid sources`)", option, asked,
                           listed)};
}

}  // namespace qvid::app
