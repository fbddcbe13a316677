// Coded videos for the tests of the codec `av1`.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "media/codec/av1/av1_decoder.h"
#include "tests/media/drawn_text.h"
#include "tests/media/h264_video.h"

namespace qvid::media {

// In one layer of full size.
inline std::unique_ptr<Encoder> av1_encoder_for(PictureSize size, int gop = 24, int kbps = 400,
                                                int threads = 1) {
  return encoder_for(size, gop, kbps, threads, "av1", LayerStructure::kWhole);
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

}  // namespace qvid::media
