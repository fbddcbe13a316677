// Coded videos for the tests of the codec `av1`.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "media/codec/av1/av1_decoder.h"
#include "tests/media/filled_frame.h"
#include "tests/media/h264_video.h"

namespace qvid::media {

inline std::unique_ptr<Encoder> av1_encoder_for(PictureSize size, int gop = 24, int kbps = 400,
                                                int threads = 1) {
  return encoder_for(size, gop, kbps, threads, "av1");
}

// What every frame looks like when nothing is lost.
inline std::vector<std::uint64_t> av1_hashes(const std::vector<CodedFrame>& video) {
  std::vector<std::uint64_t> hashes;
  Av1Decoder decoder;
  for (const CodedFrame& coded : video) {
    const auto got = decoder.decode(received(coded));
    if (!got || !*got) throw std::runtime_error("a whole video does not decode");
    hashes.push_back(hash((*got)->picture));
  }
  return hashes;
}

// Lines of letters on a white page, which is scrolled.
inline VideoFrame draw_text(PictureSize size, int time) {
  return filled_frame(size, [time](std::size_t p, int x, int y, int, int) {
    const unsigned line = static_cast<unsigned>(y + time) / 10;
    const unsigned letter = static_cast<unsigned>(x) / 6;
    const unsigned shape = (line * 31 + letter) * 2654435761u;
    const unsigned dot =
        static_cast<unsigned>(y + time) % 10 / 2 * 3 + static_cast<unsigned>(x) % 6 / 2;
    const bool ink = (y + time) % 10 < 8 && (shape >> (dot + 8) & 1) != 0;
    return p != 0 ? 128 : ink ? 20 : 235;
  });
}

}  // namespace qvid::media
