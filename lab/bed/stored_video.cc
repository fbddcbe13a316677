#include "lab/bed/stored_video.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "media/codec/encoder.h"
#include "media/source/test_scene.h"
#include "media/stored/layered_file_writer.h"

namespace qvid::lab {
namespace {

constexpr const char* kCodec = "h264";
constexpr media::PictureSize kSize{640, 480};
constexpr FrameRate kRate{30, 1};
constexpr int kGop = 30;  // a second, as `qvid prepare` does it

template <class T>
T or_throw(Result<T> result) {
  if (!result) throw std::runtime_error("the stored video: " + result.error().message);
  return *std::move(result);
}

DataRate mean_rate(std::int64_t bytes, const StoredVideo& video) {
  const auto frames = static_cast<std::int64_t>(video.frame_bytes.size());
  return frames == 0 ? DataRate() : DataRate::of(ByteCount(bytes), video.rate.time_of(frames));
}

StoredFile encoded(Duration length) {
  const auto encoder = or_throw(media::make_encoder(
      kCodec, {.size = kSize, .rate = kRate, .gop = kGop, .aligned_gops = true}));
  StoredFile file;
  file.video.rate = kRate;
  file.video.layers = 1;
  for (std::int64_t i = 0; kRate.time_of(i) < length; ++i) {
    media::NewFrame picture = media::allocate_frame(kSize);
    media::draw_test_scene(picture, i, kRate.time_of(i));
    media::CodedFrame frame = or_throw(encoder->encode(picture.frame, FrameNumber(i)));
    std::int64_t bytes = static_cast<std::int64_t>(frame.header.size());
    file.video.base_bytes += bytes;
    for (const media::CodedUnit& unit : frame.units) {
      const auto size = static_cast<std::int64_t>(unit.data.size());
      bytes += size;
      if (unit.layer == 0) file.video.base_bytes += size;
      file.video.layers = std::max(file.video.layers, unit.layer + 1);
    }
    file.video.frame_bytes.push_back(bytes);
    file.video.total_bytes += bytes;
    file.frames.push_back(std::move(frame));
  }
  return file;
}

}  // namespace

DataRate StoredVideo::total_rate() const { return mean_rate(total_bytes, *this); }
DataRate StoredVideo::base_rate() const { return mean_rate(base_bytes, *this); }

std::shared_ptr<const StoredFile> stored_test_file(Duration length) {
  static std::mutex mutex;
  static std::map<Duration, std::weak_ptr<const StoredFile>> made;  // guarded by mutex
  const std::lock_guard lock(mutex);
  auto file = made[length].lock();
  if (!file) {
    file = std::make_shared<const StoredFile>(encoded(length));
    made[length] = file;
  }
  return file;
}

void write_stored_file(const StoredFile& file, const std::filesystem::path& path) {
  media::LayeredFileHeader header;
  header.codec = kCodec;
  header.rate = kRate;
  header.size = kSize;
  const auto writer = or_throw(media::LayeredFileWriter::create(path, std::move(header)));
  for (const media::CodedFrame& frame : file.frames) {
    if (const auto error = writer->add(frame)) throw std::runtime_error(error->message);
  }
  or_throw(writer->finish());
}

}  // namespace qvid::lab
