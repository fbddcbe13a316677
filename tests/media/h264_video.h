// Pictures to encode, and what of a coded video can be decoded, for the tests of the codec `h264`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "media/codec/decoder.h"
#include "media/codec/encoder.h"

namespace qvid::media {

inline constexpr std::size_t kLayers = 2;

// Noise seen through a moving window, with a square that moves the other way. `scene` changes all; `grain`
// is added to each picture anew, as a camera in a dark room does: it takes any rate.
inline VideoFrame draw(PictureSize size, int time, unsigned scene = 0, int grain = 0) {
  const auto noise = [scene](int x, int y) {
    std::uint32_t h = static_cast<std::uint32_t>(x) * 0x9E3779B1u ^
                      static_cast<std::uint32_t>(y) * 0x85EBCA77u ^ (scene + 1) * 0xC2B2AE3Du;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    return static_cast<int>((h ^ h >> 13) & 0xff);
  };
  NewFrame made = allocate_frame(size);
  for (std::size_t p = 0; p < 3; ++p) {
    const int width = p == 0 ? size.width : made.frame.chroma_width();
    const int height = p == 0 ? size.height : made.frame.chroma_height();
    const int square_x = (1000 * width - 3 * time) % width;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const int sx = x + 2 * time;
        const int sy = y + time;
        const double wave = 60 * std::sin(sx * (0.11 + 0.06 * (scene % 5))) * std::cos(sy * 0.07);
        int value = 128 + static_cast<int>(wave) + noise(sx / 2, sy / 2) / 6;
        if (std::abs(x - square_x) < width / 8 && std::abs(y - height / 2) < height / 8) {
          value = 220 - value / 2;
        }
        if (grain > 0) value += noise(x + 131 * time, y + 173 * time) % (grain + 1) - grain / 2;
        if (p != 0) value = 128 + value / 8;
        made.writable[p][y * made.frame.planes[p].stride + x] =
            static_cast<std::uint8_t>(std::clamp(value, 16, 235));
      }
    }
  }
  return made.frame;
}

inline std::uint64_t hash(const VideoFrame& frame) {
  std::uint64_t h = 14695981039346656037u;  // FNV-1a
  for (std::size_t p = 0; p < 3; ++p) {
    const int width = p == 0 ? frame.size.width : frame.chroma_width();
    const int height = p == 0 ? frame.size.height : frame.chroma_height();
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        h = (h ^ frame.planes[p].data[y * frame.planes[p].stride + x]) * 1099511628211u;
      }
    }
  }
  return h;
}

inline std::unique_ptr<Encoder> encoder_for(PictureSize size, int gop = 24, int kbps = 400,
                                            int threads = 1, std::string_view codec = "h264",
                                            std::optional<LayerStructure> layers = {}) {
  EncoderOptions options;
  options.layers = layers;
  options.size = size;
  options.bitrate = DataRate::from_kbps(kbps);
  options.gop = gop;
  options.threads = threads;
  auto encoder = make_encoder(codec, options);
  if (!encoder) throw std::runtime_error(encoder.error().message);
  return *std::move(encoder);
}
inline std::unique_ptr<Decoder> new_decoder() {
  auto decoder = make_decoder("h264");
  if (!decoder) throw std::runtime_error(decoder.error().message);
  return *std::move(decoder);
}

inline CodedFrame encode(Encoder& encoder, const VideoFrame& frame, std::int64_t number) {
  auto coded = encoder.encode(frame, FrameNumber(number));
  if (!coded) throw std::runtime_error(coded.error().message);
  return *std::move(coded);
}

inline ReceivedFrame received(const CodedFrame& coded,
                              std::array<bool, kLayers> which = {true, true}) {
  ReceivedFrame r{coded.number, coded.header, {}};
  for (const CodedUnit& unit : coded.units) {
    if (which[unit.layer]) r.units.push_back(unit);
  }
  return r;
}

// What each layer looks like when nothing is lost: [layer][frame].
inline std::array<std::vector<std::uint64_t>, kLayers> whole_hashes(
    const std::vector<CodedFrame>& video) {
  std::array<std::vector<std::uint64_t>, kLayers> hashes;
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    const auto decoder = new_decoder();
    for (const CodedFrame& coded : video) {
      const auto got = decoder->decode(received(coded, {layer == 0, layer == 1}));
      if (!got || !*got) throw std::runtime_error("a whole layer does not decode");
      hashes[layer].push_back(hash((*got)->picture));
    }
  }
  return hashes;
}

// Which units can be decoded, by nothing but what the coded frames declare.
class Decodable {
 public:
  std::array<bool, kLayers> after(const CodedFrame& coded, std::array<bool, kLayers> came) {
    std::array<bool, kLayers> can{};
    for (const CodedUnit& unit : coded.units) {
      can[unit.layer] = came[unit.layer] &&
                        std::all_of(unit.depends_on.begin(), unit.depends_on.end(), [&](auto d) {
                          return d.frames_back == 0
                                     ? can[d.unit]
                                     : decoded_[coded.number.value() - d.frames_back][d.unit];
                        });
    }
    return decoded_[coded.number.value()] = can;
  }

 private:
  std::map<std::int64_t, std::array<bool, kLayers>> decoded_;
};

}  // namespace qvid::media
