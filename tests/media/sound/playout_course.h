// A sender, a path and an output in virtual time, for tests of playing. Times are the sender's,
// counted from the first packet; the player's clock is 7 hours ahead.
//
// The decoder is a stand-in: a tone whose phase is the capture time, or samples that are it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "media/sound/sound_playout_engine.h"

namespace qvid::media {

inline constexpr Duration kPlayerAhead = std::chrono::hours(7);  // our clock's
inline const Timestamp kFirstSample{std::chrono::hours(100)};

class FakeSoundDecoder final : public SoundDecoder {
 public:
  // 440 Hz, or -1..1 over a second.
  explicit FakeSoundDecoder(bool tone) : tone_(tone) {}
  static float tone(Timestamp at) {
    const double seconds = to_seconds(at - kFirstSample);
    return static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * 440 * seconds));
  }
  static float ramp(Timestamp at) {
    const Duration within = (at - kFirstSample) % Duration(1s);
    return static_cast<float>(to_seconds(within) * 2 - 1);
  }
  std::vector<float> decode(const SoundPacket& packet) override {
    end_ = packet.captured;
    return make(static_cast<std::size_t>(sound_frames(packet.duration)), packet.opus.empty());
  }
  std::vector<float> conceal(std::size_t frames) override {
    if (frames % 120 != 0) std::abort();
    return make(frames, false);
  }

 private:
  std::vector<float> make(std::size_t frames, bool quiet) {
    std::vector<float> samples(2 * frames);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Timestamp at = end_ + sound_time(static_cast<std::int64_t>(i / 2));
      samples[i] = quiet ? 0.0F : tone_ ? tone(at) : ramp(at);
    }
    end_ += sound_time(static_cast<std::int64_t>(frames));
    return samples;
  }
  bool tone_;
  Timestamp end_{};
};

struct SoundCourse {
  Duration length = 30s;
  Duration packet = 20ms;
  Duration latency = 30ms;  // of the output
  bool tone = true;
  // From the packet's end, by its capture; negative: it never comes.
  std::function<Duration(Duration)> transit = [](Duration) { return 20ms; };
  // What is captured then: speech, a pause that is sent, or one that is not.
  enum class Voice { kSpeech, kPause, kUnsent };
  std::function<Voice(Duration)> voice = [](Duration) { return Voice::kSpeech; };
  std::function<void(Duration)> at_turn = [](Duration) {};
  bool in_order = true;  // as over TCP: who is overtaken holds up
};

struct PlayedTurn {
  Duration at{};   // heard, the player's clock without kPlayerAhead, from the first capture
  Duration lag{};  // as the clock was told, without kPlayerAhead; negative: nothing yet
  bool sound = false;
  std::vector<float> samples{};
  SoundPlayoutStats stats{};
  Duration window{};
};

inline std::vector<PlayedTurn> play_sound(const SoundCourse& course, SoundPlayoutEngine& engine,
                                          PresentationClock& clock) {
  std::multimap<Duration, std::pair<std::uint64_t, SoundPacket>> network;
  std::uint64_t number = 0;
  Duration before{};
  using Voice = SoundCourse::Voice;
  for (Duration t{}; t < course.length; t += course.packet) {
    const Voice voice = course.voice(t);
    if (voice == Voice::kUnsent) continue;
    SoundPacket packet{.captured = kFirstSample + t, .duration = course.packet};
    packet.last = course.voice(t + course.packet) == Voice::kUnsent;
    if (voice == Voice::kSpeech) packet.opus = Payload::copy_of(std::string_view("speech"));
    const Duration transit = course.transit(t);
    const std::uint64_t its = number++;
    if (transit < 0ms) continue;
    Duration arrival = t + course.packet + transit;
    if (course.in_order) arrival = before = std::max(before, arrival);
    network.insert({arrival, {its, packet}});
  }
  std::vector<PlayedTurn> turns;
  std::vector<float> out(2 * kSoundTurn);
  for (Duration now = 3ms; now < course.length; now += sound_time(kSoundTurn)) {
    while (!network.empty() && network.begin()->first <= now) {
      auto& [its, packet] = network.begin()->second;
      engine.on_packet(its, packet, kFirstSample + kPlayerAhead + network.begin()->first);
      network.erase(network.begin());
    }
    course.at_turn(now);
    const Timestamp heard = kFirstSample + kPlayerAhead + now + course.latency;
    const bool sound = engine.pull(heard, out);
    const auto lag = clock.sound_lag(heard);
    turns.push_back({.at = now + course.latency,
                     .lag = lag ? *lag - kPlayerAhead : Duration(-1),
                     .sound = sound,
                     .samples = out,
                     .stats = engine.stats(),
                     .window = engine.window()});
  }
  return turns;
}

// The largest change from one sample to the next, of the left channel.
inline double largest_step(const std::vector<PlayedTurn>& turns, Duration from, Duration to) {
  double largest = 0;
  float before = 0;
  bool any = false;
  for (const PlayedTurn& turn : turns) {
    for (std::size_t i = 0; i < turn.samples.size(); i += 2) {
      if (turn.at >= from && turn.at < to && any) {
        largest = std::max(largest, static_cast<double>(std::abs(turn.samples[i] - before)));
      }
      before = turn.samples[i];
      any = true;
    }
  }
  return largest;
}

}  // namespace qvid::media
