#include "media/sound/sound_playout_line.h"

#include <algorithm>
#include <cmath>

namespace qvid::media {

void SoundPlayoutLine::add(Timestamp captured, Kind kind, std::span<const float> stereo) {
  if (head_ > 8 * kPast) {
    samples_.erase(samples_.begin(),
                   samples_.begin() + static_cast<std::ptrdiff_t>(2 * (head_ - kPast)));
    head_ = kPast;
  }
  samples_.insert(samples_.end(), stereo.begin(), stereo.end());
  for (std::size_t from = 0; from < stereo.size(); from += 2 * kSoundTurn) {
    const auto piece = stereo.subspan(from, std::min(2 * kSoundTurn, stereo.size() - from));
    double energy = 0;
    for (const float sample : piece) energy += static_cast<double>(sample) * sample;
    pieces_.push_back({.captured = captured + sound_time(static_cast<std::int64_t>(from / 2)),
                       .kind = kind,
                       .quiet = std::sqrt(energy / static_cast<double>(piece.size())) < kQuiet,
                       .frames = static_cast<std::int64_t>(piece.size() / 2)});
  }
}

void SoundPlayoutLine::clear() {
  samples_.clear();
  pieces_.clear();
  head_ = 0;
}

bool SoundPlayoutLine::quiet(std::size_t frames) const {
  auto left = static_cast<std::int64_t>(frames);
  for (const Piece& piece : pieces_) {
    if (!piece.quiet) return false;
    left -= piece.frames - piece.taken;
    if (left <= 0) return true;
  }
  return false;
}

void SoundPlayoutLine::copy(std::int64_t from, std::span<float> stereo) const {
  const std::int64_t first = 2 * (static_cast<std::int64_t>(head_) + from);
  std::copy_n(samples_.begin() + first, stereo.size(), stereo.begin());
}

void SoundPlayoutLine::drop(std::size_t frames) {
  head_ += frames;
  auto left = static_cast<std::int64_t>(frames);
  while (left > 0 && !pieces_.empty()) {
    Piece& piece = pieces_.front();
    const std::int64_t some = std::min(left, piece.frames - piece.taken);
    piece.taken += some;
    left -= some;
    if (piece.taken >= piece.frames) pieces_.pop_front();
  }
}

void SoundPlayoutLine::step_back(std::size_t frames) {
  head_ -= frames;
  pieces_.front().taken -= static_cast<std::int64_t>(frames);
}

}  // namespace qvid::media
