#include "media/codec/encoder_limits.h"

#include <string>

namespace qvid::media {
namespace {

constexpr double kMostFramesPerSecond = 240;
constexpr int kMostThreads = 16;

}  // namespace

std::optional<Error> check_encoder_options(const EncoderOptions& o) {
  if (!is_supported(o.size)) {
    return Error{"cannot encode " + std::to_string(o.size.width) + "x" +
                 std::to_string(o.size.height) + ": each side must be " + std::to_string(kMinSide) +
                 " to " + std::to_string(kMaxSide) + " pixels"};
  }
  if (o.rate.numerator <= 0 || o.rate.denominator <= 0 ||
      o.rate.per_second() > kMostFramesPerSecond) {
    return Error{"cannot encode " + std::to_string(o.rate.numerator) + "/" +
                 std::to_string(o.rate.denominator) +
                 " frames per second: more than 0, at most 240"};
  }
  if (o.bitrate < kLeastBitrate || o.bitrate > kMostBitrate) {
    return Error{"cannot encode at " + std::to_string(o.bitrate.bps()) +
                 " bit/s: 10 kbit/s to 200 Mbit/s"};
  }
  if (o.gop < 1 || o.gop > kMaxGop) {
    return Error{"a group of pictures of " + std::to_string(o.gop) + " frames: 1 to " +
                 std::to_string(kMaxGop)};
  }
  if (o.threads < 1 || o.threads > kMostThreads) {
    return Error{"an encoder with " + std::to_string(o.threads) + " threads: 1 to 16"};
  }
  return std::nullopt;
}

}  // namespace qvid::media
