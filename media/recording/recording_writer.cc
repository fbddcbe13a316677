#include "media/recording/recording_writer.h"

#include <algorithm>
#include <utility>

#include "media/codec/layers/frame_header.h"
#include "media/picture/downscale.h"

namespace qvid::media {
namespace {

constexpr int kTopLayer = static_cast<int>(kMostLayers) - 1;
// Files count in milliseconds at the coarsest, and no two pictures stand at one time.
constexpr Duration kLeastStep = std::chrono::milliseconds(1);
// Of a publisher's clock, whatever it says: an MP4 counts what a picture lasts in 31 bits of 1/90
// ms, and no sum of these overflows.
constexpr Duration kMostGap = std::chrono::hours(6);
constexpr Duration kMostRepeat = std::chrono::seconds(1);

// By size, whatever the number of layers: what one layer of full size holds goes on in the file of the
// highest of two.
int layer_of_file(const FrameHeader& header, int layer) {
  return kTopLayer + 1 - static_cast<int>(header.layers()) + layer;
}

}  // namespace

void RecordingWriter::begin(FrameRate rate, bool sound) {
  finish();
  rate_ = rate;
  with_sound_ = sound || !sounds_.empty();
}

void RecordingWriter::finish() {
  write_held();
  // What lies further behind the last picture may be of what begins next.
  close_file(captured_ + kMostMissing);
}

// Whether a unit is of what is written, or begins a file of its own.
bool RecordingWriter::wants(int layer, bool key, Timestamp captured) const {
  if (file_ && layer == layer_) return true;
  if (!file_ || !key) return key;
  return layer > layer_ ? captured - began_ > kLeastPart : captured - captured_ > kMostMissing;
}

void RecordingWriter::add(const RecordedUnit& unit) {
  if (stats_.error) return;
  const auto header = parse_frame_header(unit.codec_header.bytes(), CodecKind::kH264);
  if (!header || unit.unit.layer >= header->layers()) {
    stats_.refused = "no H.264 of ours";
    return;
  }
  if (layer_of_file(*header, unit.unit.layer) < kTopLayer && !file_) return hold(unit);
  write(unit, *header);
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
  const auto held = std::exchange(held_, {});
  const auto header_of = [](const RecordedUnit& unit) {
    return *parse_frame_header(unit.codec_header.bytes(), CodecKind::kH264);
  };
  int highest = 0;
  for (const RecordedUnit& unit : held) {
    if (!unit.unit.is_sync_point()) continue;
    highest = std::max(highest, layer_of_file(header_of(unit), unit.unit.layer));
  }
  for (const RecordedUnit& unit : held) {
    const FrameHeader header = header_of(unit);
    if (layer_of_file(header, unit.unit.layer) >= highest) write(unit, header);
  }
}

void RecordingWriter::write(const RecordedUnit& unit, const FrameHeader& header) {
  const int layer = layer_of_file(header, unit.unit.layer);
  if (!wants(layer, unit.unit.is_sync_point(), unit.captured)) return;
  const auto picture = plain_.add(unit.number, unit.unit);
  if (!picture) {
    ++stats_.left_out;
    stats_.refused = picture.error().message;
    return;
  }
  const PictureSize size = even_size(header.size_of(unit.unit.layer));
  const bool mute = file_ && with_sound_ && !stats_.files.back().sound;
  const bool other = layer != layer_ || plain_.parameters().sets != sets_ || mute;
  if ((!file_ || (picture->key && other)) && !open_file(layer, size, unit)) return;
  const bool first = stats_.files.back().frames == 0;
  if (first) began_ = unit.captured;
  const Duration before = time_;
  time_ = first ? Duration::zero() : place(unit);
  if (first || unit.captured > captured_) {
    anchor_ = unit.captured;
    anchor_time_ = time_;
  }
  captured_ = unit.captured;
  due_ = unit.due;
  if (auto error = file_->add(picture->data, time_, rate_.frame_time(), picture->key)) {
    return fail(*std::move(error));
  }
  RecordedFile& now = stats_.files.back();
  ++now.frames;
  now.lasts = time_ + rate_.frame_time();
  if (!first) now.longest_gap = std::max(now.longest_gap, time_ - before);
  now.bytes += ByteCount::of(picture->data.size());
  write_sounds(anchor_);
}

void RecordingWriter::fail(Error error) {
  stats_.error = std::move(error);
  file_.reset();
}

void RecordingWriter::add_sound(SoundPacket packet) {
  if (stats_.error) return;
  const bool far = file_ && std::chrono::abs(packet.captured - captured_) > kMostSoundAway;
  if (far || packet.opus.size() == 0 || packet.opus.size() > kMaxOpusPacket) {
    ++stats_.sound_left_out;
    return;
  }
  with_sound_ = true;
  const auto sooner = [](const SoundPacket& a, const SoundPacket& b) {
    return a.captured < b.captured;
  };
  const auto place = std::upper_bound(sounds_.begin(), sounds_.end(), packet, sooner);
  sounds_.insert(place, std::move(packet));
  if (sounds_.size() <= kMostSounds) return;
  sounds_.pop_front();
  ++stats_.sound_left_out;
}

// What was captured before `until`.
void RecordingWriter::write_sounds(Timestamp until) {
  while (!sounds_.empty() && sounds_.front().captured < until) {
    const SoundPacket packet = std::move(sounds_.front());
    sounds_.pop_front();
    write_sound(packet);
  }
}

void RecordingWriter::write_sound(const SoundPacket& packet) {
  const Duration time = anchor_time_ + (packet.captured - anchor_);
  const bool in_order = !sound_time_ || time >= *sound_time_ + kLeastStep;
  if (!file_ || !stats_.files.back().sound || time < Duration::zero() || !in_order) {
    ++stats_.sound_left_out;
    return;
  }
  sound_time_ = time;
  if (auto error = file_->add_sound(packet.opus.bytes(), time, packet.duration)) {
    return fail(*std::move(error));
  }
  RecordedFile& now = stats_.files.back();
  ++now.sound_packets;
  now.sound_bytes += packet.opus.byte_count();
}

Duration RecordingWriter::place(const RecordedUnit& unit) {
  if (unit.captured <= captured_)
    return time_ + std::clamp(unit.due - due_, kLeastStep, kMostRepeat);
  return time_ + std::clamp(unit.captured - began_ - time_, kLeastStep, kMostGap);
}

bool RecordingWriter::open_file(int layer, PictureSize size, const RecordedUnit& first) {
  held_.clear();
  close_file(first.captured);
  if (!stats_.error && stats_.files.size() >= kMostFiles) {
    stats_.error = Error{"the recording has come to " + std::to_string(kMostFiles) + " files"};
  }
  if (stats_.error) return false;
  sets_ = plain_.parameters().sets;
  auto file = create(
      {.size = size, .parameter_sets = sets_, .sound = with_sound_, .comment = options_.comment});
  if (!file) {
    stats_.error = file.error();
    return false;
  }
  file_ = *std::move(file);
  layer_ = layer;
  stats_.files.push_back({.path = file_->path(),
                          .size = size,
                          .layer = first.unit.layer,
                          .full_size = layer == kTopLayer});
  stats_.files.back().sound = with_sound_;
  const auto of_another_clock = [&](const SoundPacket& packet) {
    return packet.captured - first.captured > kMostSoundAway;
  };
  stats_.sound_left_out += static_cast<std::int64_t>(std::erase_if(sounds_, of_another_clock));
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

void RecordingWriter::close_file(Timestamp until) {
  if (!file_) return;
  write_sounds(until);
  sound_time_.reset();
  if (!file_) return;  // it could not be written
  if (auto error = file_->finish()) stats_.error = std::move(error);
  file_.reset();
}

}  // namespace qvid::media
