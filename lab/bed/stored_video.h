// The file of the experiments with stored video: the test scene, encoded once into the prepared
// form (media/stored/layered_file.h), so that every run and every rival plays the same bytes.
//
// Thread: any. Encoding blocks, for about a fifth of the video's length.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/units.h"
#include "media/unit/coded_frame.h"

namespace qvid::lab {

// A stored video, as far as a sender sees it.
struct StoredVideo {
  FrameRate rate{};
  int layers = 2;
  std::vector<std::int64_t> frame_bytes{};  // all layers of each, in order
  std::int64_t base_bytes = 0;              // of the whole: headers and layer 0
  std::int64_t total_bytes = 0;

  // Of all layers, or of the base alone; zero where there are no frames.
  DataRate total_rate() const;
  DataRate base_rate() const;
};

struct StoredFile {
  StoredVideo video{};
  std::vector<media::CodedFrame> frames{};
};

// 640x480, 30 frames a second, 2.5 Mbit/s, of this length. Made once and shared for as long as
// somebody has it. Throws std::runtime_error where it cannot be encoded.
std::shared_ptr<const StoredFile> stored_test_file(Duration length);

// Throws std::runtime_error where it cannot be written.
void write_stored_file(const StoredFile& file, const std::filesystem::path& path);

}  // namespace qvid::lab
