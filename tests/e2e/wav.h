// WAV files of tests: 48 kHz, 16 bits, as short as what they say.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace e2e {

inline constexpr int kWavRate = 48'000;

inline void write_wav(const std::string& path, std::span<const float> mono) {
  std::ofstream out(path, std::ios::binary);
  const auto number = [&](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out.put(static_cast<char>(value >> (8 * i)));
  };
  const auto size = static_cast<std::uint32_t>(mono.size() * 2);
  out << "RIFF";
  number(36 + size, 4);
  out << "WAVEfmt ";
  number(16, 4);
  number(1, 2);  // PCM
  number(1, 2);  // channels
  number(kWavRate, 4);
  number(kWavRate * 2, 4);
  number(2, 2);
  number(16, 2);
  out << "data";
  number(size, 4);
  for (const float s : mono) {
    const float held = std::clamp(s, -1.0F, 1.0F);
    number(static_cast<std::uint16_t>(static_cast<std::int16_t>(std::lround(held * 32767))), 2);
  }
}

// Of stereo the mean. Empty where it is none of 16 bits.
inline std::vector<float> read_wav(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> all{std::istreambuf_iterator<char>(in), {}};
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(all[at + i])) << (8 * i);
    }
    return value;
  };
  if (all.size() < 44 || std::memcmp(all.data(), "RIFF", 4) != 0 || number(34, 2) != 16) return {};
  const std::size_t channels = number(22, 2);
  std::size_t at = 12;
  while (at + 8 <= all.size() && std::memcmp(all.data() + at, "data", 4) != 0) {
    at += 8 + number(at + 4, 4);
  }
  at += 8;
  std::vector<float> samples;
  for (; at + 2 * channels <= all.size(); at += 2 * channels) {
    float sum = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      sum += static_cast<float>(static_cast<std::int16_t>(number(at + 2 * c, 2))) / 32768.0F;
    }
    samples.push_back(sum / static_cast<float>(channels));
  }
  return samples;
}

// What a correlation is over: every `each` samples of kWavRate as one.
inline std::vector<float> thinned(std::span<const float> in, std::size_t each) {
  std::vector<float> out(in.size() / each);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t k = 0; k < each; ++k) out[i] += in[i * each + k];
  }
  return out;
}

// The normalised correlation of `a` with as much of `b` from `lag` on: 0..1.
// Precondition: lag + a.size() <= b.size().
inline double correlation_at(std::span<const float> a, std::span<const float> b, std::size_t lag) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * static_cast<double>(b[lag + i]);
    aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    bb += static_cast<double>(b[lag + i]) * static_cast<double>(b[lag + i]);
  }
  return aa > 0 && bb > 0 ? std::abs(ab) / std::sqrt(aa * bb) : 0;
}

// The best normalised correlation of `part` with any stretch of `whole` as long as it, at 4 kHz:
// 0..1. Only the best places at 2 kHz are looked at.
inline double correlation_of(std::span<const float> part, std::span<const float> whole) {
  constexpr std::size_t kThinned = kWavRate / 2000;
  constexpr std::size_t kPlaces = 100;
  const std::vector<float> a = thinned(part, kThinned);
  const std::vector<float> b = thinned(whole, kThinned);
  std::vector<std::pair<double, std::size_t>> places;
  for (std::size_t lag = 0; lag + a.size() <= b.size(); ++lag) {
    places.emplace_back(correlation_at(a, b, lag), lag);
  }
  const std::size_t looked_at = std::min(places.size(), kPlaces);
  std::ranges::partial_sort(places, places.begin() + static_cast<std::ptrdiff_t>(looked_at),
                            std::greater());
  const std::vector<float> fine_a = thinned(part, kThinned / 2);
  const std::vector<float> fine_b = thinned(whole, kThinned / 2);
  double best = 0;
  for (std::size_t i = 0; i < looked_at; ++i) {
    const std::size_t middle = 2 * places[i].second;
    for (std::size_t lag = middle - std::min<std::size_t>(middle, 1); lag <= middle + 1; ++lag) {
      if (lag + fine_a.size() > fine_b.size()) break;
      best = std::max(best, correlation_at(fine_a, fine_b, lag));
    }
  }
  return best;
}

// How well `part` is heard in `whole`: of its half seconds, by their best correlations, the one at the
// upper quartile. A busy machine may stretch or lose more than half of them, where the whole would be
// found nowhere.
inline double heard_of(std::span<const float> part, std::span<const float> whole) {
  constexpr std::size_t kHalfSecond = kWavRate / 2;
  std::vector<double> found;
  for (std::size_t at = 0; at + kHalfSecond <= part.size(); at += kHalfSecond) {
    found.push_back(correlation_of(part.subspan(at, kHalfSecond), whole));
  }
  if (found.empty()) return 0;
  std::ranges::sort(found);
  return found[(found.size() - 1) * 3 / 4];
}

}  // namespace e2e
