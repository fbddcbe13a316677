// A coded video with scene cuts and random requests for synchronisation points.
#pragma once

#include <random>
#include <vector>

#include "tests/media/h264_video.h"

namespace qvid::media {

// A video with scene cuts and random requests for synchronisation points.
inline std::vector<CodedFrame> coded_video(int frames, unsigned seed, int threads = 1) {
  std::mt19937 random(seed);
  const PictureSize size{112, 80};
  const auto encoder = encoder_for(size, 24, 500, threads);
  std::vector<CodedFrame> video;
  for (int n = 0; n < frames; ++n) {
    if (random() % 40 == 0) encoder->request_sync_point();
    video.push_back(encode(*encoder, draw(size, n, static_cast<unsigned>(n) / 45), n));
  }
  return video;
}

}  // namespace qvid::media
