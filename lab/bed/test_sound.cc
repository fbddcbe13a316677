#include "lab/bed/test_sound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <random>
#include <stdexcept>

namespace qvid::lab {
namespace {

constexpr double kWavRate = 48'000;
constexpr double kTurn = 2 * std::numbers::pi;
constexpr int kHarmonics = 12;

std::size_t frames_in(double seconds) { return static_cast<std::size_t>(seconds * kWavRate); }

// A vowel's spectrum, roughly: two formants over a falling slope.
std::array<double, kHarmonics> weights(double pitch, double low, double high) {
  std::array<double, kHarmonics> all{};
  double sum = 0;
  for (int h = 0; h < kHarmonics; ++h) {
    const double f = pitch * (h + 1);
    all[static_cast<std::size_t>(h)] = std::exp(-std::pow((f - low) / 250, 2)) +
                                       0.5 * std::exp(-std::pow((f - high) / 350, 2)) +
                                       0.2 / (h + 1);
    sum += all[static_cast<std::size_t>(h)];
  }
  for (double& weight : all) weight /= sum;
  return all;
}

std::vector<float> talk(std::size_t frames, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  std::vector<float> samples;
  samples.reserve(frames);
  double phase = 0;
  while (samples.size() < frames) {
    const std::size_t length = frames_in(between(0.08, 0.25));
    const double loud = std::pow(10, between(-18, -2) / 20);
    const double from = between(110, 190);
    const double to = from * between(0.85, 1.15);
    const auto weight = weights(from, between(350, 750), between(900, 1900));
    for (std::size_t i = 0; i < length && samples.size() < frames; ++i) {
      const double x = static_cast<double>(i) / static_cast<double>(length);
      phase += kTurn * (from + (to - from) * x) / kWavRate;
      double sample = 0;
      for (int h = 0; h < kHarmonics; ++h) {
        sample += weight[static_cast<std::size_t>(h)] * std::sin(phase * (h + 1));
      }
      const double envelope = kTalkFloor + loud * std::pow(std::sin(std::numbers::pi * x), 0.7);
      samples.push_back(static_cast<float>(std::clamp(envelope * sample, -1.0, 1.0)));
    }
  }
  return samples;
}

std::vector<float> clicks(std::size_t frames) {
  constexpr double kTone = 1500;  // Hz
  std::vector<float> samples(frames);
  const std::size_t length = frames_in(to_seconds(kClick));
  for (std::size_t begin = frames_in(to_seconds(kFirstClick)); begin < frames;
       begin += frames_in(1)) {
    for (std::size_t i = 0; i < length && begin + i < frames; ++i) {
      samples[begin + i] =
          static_cast<float>(0.5 * std::cos(kTurn * kTone * static_cast<double>(i) / kWavRate));
    }
  }
  return samples;
}

void put_bytes(std::string& bytes, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(value >> 8 * i & 0xff));
}

}  // namespace

std::vector<float> test_sound(TestSound sound, Duration length, std::uint64_t seed) {
  const std::size_t frames = frames_in(to_seconds(length));
  switch (sound) {
    case TestSound::kTalk: return talk(frames, seed);
    case TestSound::kClicks: return clicks(frames);
    case TestSound::kNone: break;
  }
  return {};
}

void write_wav(const std::vector<float>& samples, const std::string& file) {
  constexpr std::uint32_t kBytesEach = 2;
  const auto size = static_cast<std::uint32_t>(samples.size() * kBytesEach);
  std::string bytes = "RIFF";
  put_bytes(bytes, 36 + size, 4);
  bytes += "WAVEfmt ";
  put_bytes(bytes, 16, 4);
  put_bytes(bytes, 1, 2);  // PCM
  put_bytes(bytes, 1, 2);  // channel
  put_bytes(bytes, static_cast<std::uint32_t>(kWavRate), 4);
  put_bytes(bytes, static_cast<std::uint32_t>(kWavRate) * kBytesEach, 4);
  put_bytes(bytes, kBytesEach, 2);
  put_bytes(bytes, 8 * kBytesEach, 2);
  bytes += "data";
  put_bytes(bytes, size, 4);
  for (const float sample : samples) {
    const long value = std::lround(std::clamp(sample, -1.0F, 1.0F) * 32767.0F);
    put_bytes(bytes, static_cast<std::uint32_t>(value), 2);
  }
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("the test sound cannot be written to " + file);
}

}  // namespace qvid::lab
