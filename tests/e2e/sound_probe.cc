// Plays noise to a loudspeaker and listens to a microphone by the product's devices, and says what
// it heard, until it is told to end (SIGTERM) or its time is over.
//
//   sound_probe SECONDS SPEAKER MICROPHONE         '' of a device: none; default: the system's
//
// stderr: what the devices tell. stdout, at the end: JSON. `correlation` of what was heard in the last
// second with what was played, at `lag_ms`: captured - heard of the same sample; both are estimates.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "base/clock.h"
#include "media/sound/sound_block.h"
#include "media/source/wait_until.h"
#include "ui/sound/sdl_sound.h"

namespace {

using namespace qvid;
using namespace qvid::media;

volatile std::sig_atomic_t told_to_end = 0;

constexpr std::size_t kSnippet = 4'800;         // frames that are compared: 100 ms
constexpr std::size_t kSnippets = 10;           // how many, from the end
constexpr double kHeard = 0.9;                  // correlation
constexpr std::int64_t kFarthest = kSoundRate;  // frames of lag either way
constexpr std::size_t kStride =
    4;  // of the frames that are compared at every lag; then all of them

struct Turn {
  Timestamp heard;
  std::size_t begin;  // in `played`
};

struct Probe {
  std::vector<float> played;
  std::vector<Turn> turns;
  std::vector<float> heard;  // the whole, its gaps left out
  Timestamp end{};
  Duration longest_gap{};
  std::int64_t silent = 0;
  std::mt19937 random{7};

  void play(SoundOutput& output, Timestamp now) {
    while (output.wanted(now) >= kSoundTurn) {
      turns.push_back({output.heard(now), played.size()});
      std::vector<float> turn;
      for (std::size_t i = 0; i < kSoundTurn; ++i) {
        const float sample = 0.5f * (static_cast<float>(random() & 0xffff) / 32'768.0f - 1.0f);
        played.push_back(sample);
        turn.insert(turn.end(), {sample, sample});
      }
      output.write(turn);
    }
  }
  void listen(SoundInput& input, Timestamp now) {
    SoundBlock block;
    if (!input.read(now, block)) return;
    if (!heard.empty()) longest_gap = std::max(longest_gap, block.captured - end);
    heard.insert(heard.end(), block.samples.begin(), block.samples.end());
    silent += std::ranges::count(block.samples, 0.0f);
    end = block.captured + sound_time(static_cast<std::int64_t>(block.frames()));
  }

  // The place in `played` that is heard then, by the turn that covers it.
  std::int64_t place_of(Timestamp time) const {
    auto turn = std::ranges::upper_bound(turns, time, {}, &Turn::heard);
    if (turn != turns.begin()) --turn;
    return static_cast<std::int64_t>(turn->begin) + sound_frames(time - turn->heard);
  }
  // Correlation, and lag in ms, of the last snippet that is heard as it was played; where none is, of
  // the best. A busy machine lets a device run dry, which cuts one or another.
  std::pair<double, double> compare() const {
    std::pair<double, double> best{0, 0};
    for (std::size_t back = 1; back <= kSnippets && best.first < kHeard; ++back) {
      if (heard.size() < back * kSnippet || turns.empty()) break;
      best = std::max(best, compare(back * kSnippet));
    }
    return best;
  }
  std::pair<double, double> compare(std::size_t back) const {
    const float* snippet = heard.data() + heard.size() - back;
    if (std::all_of(snippet, snippet + kSnippet, [](float s) { return s == 0.0f; })) return {0, 0};
    const Timestamp captured = end - sound_time(static_cast<std::int64_t>(back));
    const std::int64_t here = place_of(captured);
    double best = 0;
    std::int64_t lag = 0;
    for (std::int64_t d = -kFarthest; d <= kFarthest; ++d) {
      const std::int64_t from = here - d;
      if (from < 0 ||
          from + static_cast<std::int64_t>(kSnippet) > static_cast<std::int64_t>(played.size())) {
        continue;
      }
      const double found = alike(snippet, played.data() + from, kStride);
      if (found > best) {
        best = found;
        lag = d;
      }
    }
    if (best > 0) best = alike(snippet, played.data() + here - lag, 1);
    return {best, to_ms(lag >= 0 ? sound_time(lag) : -sound_time(-lag))};
  }
  static double alike(const float* a, const float* b, std::size_t stride) {
    float ab = 0;
    float aa = 1e-9f;
    float bb = 1e-9f;
    for (std::size_t i = 0; i < kSnippet; i += stride) {
      ab += a[i] * b[i];
      aa += a[i] * a[i];
      bb += b[i] * b[i];
    }
    return static_cast<double>(ab) / std::sqrt(static_cast<double>(aa) * static_cast<double>(bb));
  }
};

std::string device_of(const std::string& argument) {
  return argument == "default" ? std::string() : argument;
}

}  // namespace

int main(int count, char** arguments) {
  qvid::ui::name_sound_for_mixers();
  if (count != 4) return 2;
  std::signal(SIGTERM, [](int) { told_to_end = 1; });
  const std::string speaker = arguments[2];
  const std::string microphone = arguments[3];
  ui::SdlSound sound([](const SoundStatus& status) {
    std::fprintf(stderr, "%s: %s\n", status.ok ? "ok" : "not ok", status.text.c_str());
  });
  for (const auto& name : sound.devices().loudspeakers) {
    std::fprintf(stderr, "loudspeaker: %s\n", name.c_str());
  }
  for (const auto& name : sound.devices().microphones) {
    std::fprintf(stderr, "microphone: %s\n", name.c_str());
  }
  const auto output = speaker.empty() ? nullptr : sound.output(device_of(speaker));
  const auto input = microphone.empty() ? nullptr : sound.input(device_of(microphone));

  Probe probe;
  const std::stop_source never;
  const Timestamp began = steady_now();
  const Timestamp until = began + from_seconds(std::atof(arguments[1]));
  Timestamp now = began;
  Duration longest_call{};
  for (; now < until && told_to_end == 0; now = steady_now()) {
    if (output) probe.play(*output, now);
    if (input) probe.listen(*input, now);
    longest_call = std::max(longest_call, steady_now() - now);
    wait_until(now + 5ms, never.get_token());
  }
  const auto [correlation, lag] = probe.compare();
  std::printf(
      "{\"seconds\": %.3f, \"played\": %.3f, \"heard\": %.3f, \"silent\": %.3f, "
      "\"longest_gap_ms\": %.3f, \"longest_call_ms\": %.3f, \"correlation\": %.3f, "
      "\"lag_ms\": %.3f}\n",
      to_seconds(now - began), static_cast<double>(probe.played.size()) / kSoundRate,
      static_cast<double>(probe.heard.size()) / kSoundRate,
      static_cast<double>(probe.silent) / kSoundRate, to_ms(probe.longest_gap), to_ms(longest_call),
      correlation, lag);
  return 0;
}
