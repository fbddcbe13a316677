#include "media/sound/stored_sound_line.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace qvid::media {
namespace {

constexpr std::int64_t kFillStep = 120;  // frames, 2.5 ms: what a decoder conceals by
constexpr std::int64_t kMostFill = 960;
constexpr std::uint64_t kMostMissing = 1'000'000;  // at a time; more is no loss but a lie

Duration place_of(const SoundPacket& packet) { return packet.captured.time_since_epoch(); }
Duration end_of(const SoundPacket& packet) { return place_of(packet) + packet.duration; }

}  // namespace

// Of neighbours at most half of the shorter one may overlap: so many packets has a second at most.
bool StoredSoundLine::fits(const SoundPacket& packet) const {
  const auto overlaps = [](const SoundPacket& earlier, const SoundPacket& later) {
    return end_of(earlier) - place_of(later) > std::min(earlier.duration, later.duration) / 2;
  };
  const auto after = packets_.lower_bound(place_of(packet));
  if (after != packets_.end() && overlaps(packet, after->second.packet)) return false;
  return after == packets_.begin() || !overlaps(std::prev(after)->second.packet, packet);
}

bool StoredSoundLine::has_room(const SoundPacket& packet) {
  forget_old();
  return packets_.size() < kMaxPackets && bytes_ + packet.opus.byte_count() <= kMaxBytes;
}

void StoredSoundLine::add(std::uint64_t number, SoundPacket packet) {
  if (packet.duration <= Duration::zero() || !fits(packet)) return add_malformed();
  if (!has_room(packet)) return;
  if (entered_ && end_of(packet) <= decoded_) ++stats_.late;
  bytes_ += packet.opus.byte_count();
  const Duration place = place_of(packet);
  packets_.emplace(place, Entry{number, std::move(packet)});
}

void StoredSoundLine::clear() {
  packets_.clear();
  bytes_ = {};
  ended_ = false;
  entered_ = false;
  last_ = kNowhere;
  last_number_.reset();
  silence_follows_ = false;
  missing_ = {};
}

Duration StoredSoundLine::place() const {
  return decoded_ - sound_time(static_cast<std::int64_t>(ready_frames()));
}

void StoredSoundLine::go(Duration place) {
  ready_.clear();
  decoded_ = place;
  entered_ = true;
  last_ = kNowhere;
  last_number_.reset();
  silence_follows_ = false;
  missing_ = {};
  const auto first = packets_.lower_bound(place - kPreRoll - kSlack);
  if (first == packets_.end() || first->first >= place) return;
  decoded_ = first->first;
  counts_ = false;
  while (decoded_ <= place) {
    step();
    // Of the pre-roll only what is behind the place is needed.
    const Duration over = std::min(place, decoded_) - this->place();
    if (over > Duration::zero()) {
      drop(std::min(ready_frames(), static_cast<std::size_t>(sound_frames(over))));
    }
  }
  counts_ = true;
  missing_ = {};
}

std::span<const float> StoredSoundLine::peek(std::size_t frames) {
  while (ready_frames() < frames) step();
  return std::span(ready_).first(frames * 2);
}

void StoredSoundLine::drop(std::size_t frames) {
  ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(frames * 2));
}

void StoredSoundLine::step() {
  const auto next = packets_.upper_bound(std::max(last_, decoded_ - kSlack));
  if (next != packets_.end() && next->first <= decoded_ + kSlack) {
    play(next);
  } else {
    fill(next);
  }
}

void StoredSoundLine::play(const Packets::const_iterator& next) {
  const Entry& entry = next->second;
  if (counts_) {
    ++stats_.packets;
    if (last_number_ && entry.number > *last_number_) {
      stats_.lost +=
          static_cast<std::int64_t>(std::min(entry.number - *last_number_ - 1, kMostMissing));
    }
  }
  const auto samples = decoder_->decode(entry.packet);
  ready_.insert(ready_.end(), samples.begin(), samples.end());
  last_ = next->first;
  last_number_ = entry.number;
  silence_follows_ = entry.packet.last;
  decoded_ = end_of(entry.packet);
  missing_ = {};
}

void StoredSoundLine::fill(const Packets::const_iterator& next) {
  const bool more = next != packets_.end();
  const std::int64_t gap = more ? sound_frames(next->first - decoded_) : kMostFill;
  const std::int64_t frames = std::clamp(gap / kFillStep * kFillStep, kFillStep, kMostFill);
  const Duration time = sound_time(frames);
  // Nobody knows what is before the first.
  const bool silence = !last_number_ || (more ? next->second.number == *last_number_ + 1
                                              : ended_ || silence_follows_);
  if (silence || missing_ >= kConcealed) {
    ready_.resize(ready_.size() + static_cast<std::size_t>(frames) * 2);
  } else {
    const auto samples = decoder_->conceal(static_cast<std::size_t>(frames));
    ready_.insert(ready_.end(), samples.begin(), samples.end());
    if (counts_) stats_.concealed += frames;
  }
  if (!silence) {
    if (counts_ && !more && missing_ == Duration::zero()) ++stats_.underruns;
    missing_ += time;
    if (counts_) stats_.longest_gap = std::max(stats_.longest_gap, missing_);
  }
  decoded_ += time;
}

void StoredSoundLine::forget_old() {
  if (!entered_) return;
  while (!packets_.empty() && packets_.begin()->first < decoded_ - kHistory) {
    bytes_ -= packets_.begin()->second.packet.opus.byte_count();
    packets_.erase(packets_.begin());
  }
}

}  // namespace qvid::media
