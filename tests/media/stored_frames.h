// Reads stored frames and looks at their pictures.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "media/codec/decoder.h"
#include "media/stored/stored_source.h"

namespace qvid::media {

// The frames up to the end, or the first `most`.
inline std::vector<CodedFrame> read_frames(StoredSource& source, std::size_t most = 100'000) {
  std::vector<CodedFrame> frames;
  while (frames.size() < most) {
    auto got = source.next({});
    if (!got) {
      ADD_FAILURE() << got.error().message;
      break;
    }
    if (std::holds_alternative<EndOfStream>(*got)) break;
    frames.push_back(std::get<CodedFrame>(std::move(*got)));
  }
  return frames;
}

inline std::vector<Duration> positions(const std::vector<CodedFrame>& frames) {
  std::vector<Duration> all;
  for (const CodedFrame& frame : frames) all.push_back(frame.due.time_since_epoch());
  return all;
}

// The grey in the middle of each, decoded from the first on; all layers, or layer 0 alone.
inline std::vector<int> greys(const std::vector<CodedFrame>& frames, bool all_layers = true) {
  const auto decoder = make_decoder("h264");
  std::vector<int> greys;
  for (const CodedFrame& frame : frames) {
    ReceivedFrame received{frame.number, frame.header, frame.units};
    if (!all_layers) received.units.resize(1);
    const auto decoded = (*decoder)->decode(received);
    if (!decoded || !*decoded) {
      ADD_FAILURE() << "frame " << frame.number.value() << " cannot be decoded";
      break;
    }
    const VideoFrame& picture = (*decoded)->picture;
    greys.push_back(
        picture.planes[0].data[std::ptrdiff_t{picture.size.height / 2} * picture.planes[0].stride +
                               picture.size.width / 2]);
  }
  return greys;
}

inline bool is_sync_point(const CodedFrame& frame) {
  for (const CodedUnit& unit : frame.units) {
    if (!unit.is_sync_point()) return false;
  }
  return true;
}

}  // namespace qvid::media
