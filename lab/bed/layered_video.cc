#include "lab/bed/layered_video.h"

#include <algorithm>
#include <cmath>

namespace qvid::lab {
namespace {

constexpr double kBasePart = 1.0 / 16;
constexpr double kLayerGrowth = 1.25;
constexpr double kDeviation = 0.2;
constexpr std::uint32_t kScene = 30;  // frames
constexpr double kScenePart = 2;

// Of a frame, by layer; they add up to 1.
std::array<double, kLayers> parts() {
  std::array<double, kLayers> part{kBasePart};
  double sum = 0;
  for (std::size_t i = 1; i < kLayers; ++i) {
    part[i] = std::pow(kLayerGrowth, static_cast<double>(i));
    sum += part[i];
  }
  for (std::size_t i = 1; i < kLayers; ++i) part[i] *= (1 - kBasePart) / sum;
  return part;
}

}  // namespace

LayeredVideo::LayeredVideo(DataRate rate, std::uint64_t seed) : rate_(rate), random_(seed) {}

std::array<Adu, kLayers> LayeredVideo::next(Timestamp captured) {
  static const std::array<double, kLayers> kParts = parts();
  // Means of 1: of the log-normal factor, and over a scene.
  double size = std::lognormal_distribution(-kDeviation * kDeviation / 2, kDeviation)(random_);
  size *= static_cast<double>(kScene) / (kScene - 1 + kScenePart);
  if (frame_ % kScene == 0) size *= kScenePart;
  size *= static_cast<double>(rate_.bytes_in(kFrameTime).value());

  std::array<Adu, kLayers> layers;
  for (std::size_t i = 0; i < kLayers; ++i) {
    const double bytes = std::clamp(size * kParts[i], static_cast<double>(Adu::kHeader),
                                    static_cast<double>(Adu::kMostBytes));
    layers[i] = {.bytes = static_cast<std::uint32_t>(bytes),
                 .layer = static_cast<std::uint8_t>(i),
                 .frame = frame_,
                 .produced = captured};
  }
  ++frame_;
  return layers;
}

}  // namespace qvid::lab
