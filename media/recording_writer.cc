#include "media/recording_writer.h"

#include <algorithm>
#include <utility>

#include "media/downscale.h"
#include "media/h264_header.h"

namespace qvid::media {
namespace {

constexpr int kTopLayer = static_cast<int>(kH264Layers) - 1;
// Files count in milliseconds at the coarsest, and no two pictures stand at one time.
constexpr Duration kLeastStep = std::chrono::milliseconds(1);
// Of a publisher's clock, whatever it says: an MP4 counts what a picture lasts in 31 bits of 1/90
// ms, and no sum of these overflows.
constexpr Duration kMostGap = std::chrono::hours(6);
constexpr Duration kMostRepeat = std::chrono::seconds(1);

}  // namespace

void RecordingWriter::begin(FrameRate rate) {
  finish();
  rate_ = rate;
}

void RecordingWriter::finish() {
  write_held();
  close_file();
}

// Whether a unit is of what is written, or begins a file of its own.
bool RecordingWriter::wants(int layer, bool key, Timestamp captured) const {
  if (file_ && layer == layer_) return true;
  if (!file_ || !key) return key;
  return layer > layer_ ? captured - began_ > kLeastPart : captured - captured_ > kMostMissing;
}

void RecordingWriter::add(const RecordedUnit& unit) {
  if (stats_.error) return;
  if (unit.unit.layer < kTopLayer && !file_) return hold(unit);
  write(unit);
}

void RecordingWriter::hold(const RecordedUnit& unit) {
  if (held_.empty() && !unit.unit.is_sync_point()) return;
  held_.push_back(unit);
  held_bytes_ += unit.unit.data.byte_count();
  const bool long_enough = unit.captured - held_.front().captured > kMostMissing;
  if (long_enough || held_.size() >= kMostHeld || held_bytes_ > kMostHeldBytes) write_held();
}

void RecordingWriter::write_held() {
  held_bytes_ = {};
  for (const RecordedUnit& unit : std::exchange(held_, {})) write(unit);
}

void RecordingWriter::write(const RecordedUnit& unit) {
  const auto header = parse_h264_header(unit.codec_header.bytes());
  if (!header || unit.unit.layer >= kH264Layers) {
    stats_.refused = "no H.264 of ours";
    return;
  }
  const int layer = unit.unit.layer;
  if (!wants(layer, unit.unit.is_sync_point(), unit.captured)) return;
  const auto picture = plain_.add(unit.number, unit.unit);
  if (!picture) {
    ++stats_.left_out;
    stats_.refused = picture.error().message;
    return;
  }
  const PictureSize size = layer == kTopLayer ? header->nominal : even_size(header->low);
  const bool other = layer != layer_ || plain_.parameters().sets != sets_;
  if ((!file_ || (picture->key && other)) && !open_file(layer, size)) return;
  const bool first = stats_.files.back().frames == 0;
  if (first) began_ = unit.captured;
  const Duration before = time_;
  time_ = first ? Duration::zero() : place(unit);
  captured_ = unit.captured;
  due_ = unit.due;
  if (auto error = file_->add(picture->data, time_, rate_.frame_time(), picture->key)) {
    stats_.error = std::move(error);
    file_.reset();
    return;
  }
  RecordedFile& now = stats_.files.back();
  ++now.frames;
  now.lasts = time_ + rate_.frame_time();
  if (!first) now.longest_gap = std::max(now.longest_gap, time_ - before);
  now.bytes += ByteCount::of(picture->data.size());
}

Duration RecordingWriter::place(const RecordedUnit& unit) {
  if (unit.captured <= captured_)
    return time_ + std::clamp(unit.due - due_, kLeastStep, kMostRepeat);
  return time_ + std::clamp(unit.captured - began_ - time_, kLeastStep, kMostGap);
}

bool RecordingWriter::open_file(int layer, PictureSize size) {
  held_.clear();
  close_file();
  if (!stats_.error && stats_.files.size() >= kMostFiles) {
    stats_.error = Error{"the recording has come to " + std::to_string(kMostFiles) + " files"};
  }
  if (stats_.error) return false;
  sets_ = plain_.parameters().sets;
  auto file = create({.size = size, .parameter_sets = sets_});
  if (!file) {
    stats_.error = file.error();
    return false;
  }
  file_ = *std::move(file);
  layer_ = layer;
  stats_.files.push_back({.path = file_->path(), .size = size, .layer = layer});
  return true;
}

Result<std::unique_ptr<RecordingFile>> RecordingWriter::create(const RecordingTrack& track) {
  if (++number_ == 1) return RecordingFile::create(options_.path, options_.replace, track);
  for (;; ++number_) {
    const std::filesystem::path path =
        options_.path.parent_path() /
        (options_.path.stem().string() + "-" + std::to_string(number_) +
         options_.path.extension().string());
    std::error_code ignored;
    if (number_ < 1'000'000 && std::filesystem::exists(path, ignored)) continue;
    return RecordingFile::create(path, false, track);
  }
}

void RecordingWriter::close_file() {
  if (!file_) return;
  if (auto error = file_->finish()) stats_.error = std::move(error);
  file_.reset();
}

}  // namespace qvid::media
