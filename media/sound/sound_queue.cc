#include "media/sound/sound_queue.h"

#include <algorithm>
#include <utility>

namespace qvid::media {
namespace {

std::int64_t frames_of(const SoundBlock& block) {
  return static_cast<std::int64_t>(block.samples.size() / 2);
}

void make_stereo(SoundBlock& block) {
  if (block.channels == 2) return;
  std::vector<float> both;
  both.reserve(block.samples.size() * 2);
  for (const float sample : block.samples) both.insert(both.end(), 2, sample);
  block.samples = std::move(both);
  block.channels = 2;
}

std::ptrdiff_t samples_in(std::int64_t frames) { return static_cast<std::ptrdiff_t>(frames * 2); }

}  // namespace

void SoundQueue::push(SoundBlock block) {
  make_stereo(block);
  std::int64_t count = frames_of(block);
  const std::lock_guard lock(mutex_);
  stats_.frames_pushed += count;
  if (end_ && *end_ - block.captured >= kLeastGap) {
    const std::int64_t twice = std::min(count, sound_frames(*end_ - block.captured));
    block.samples.erase(block.samples.begin(), block.samples.begin() + samples_in(twice));
    block.captured += sound_time(twice);
    stats_.frames_dropped += twice;
    count -= twice;
  }
  if (count == 0) return;
  end_ = block.captured + sound_time(count);
  frames_ += count;
  held_.push_back(std::move(block));
  while (frames_ > sound_frames(kMostHeld)) drop_frames(frames_ - sound_frames(kMostHeld));
}

void SoundQueue::clear() {
  const std::lock_guard lock(mutex_);
  held_.clear();
  front_used_ = 0;
  frames_ = 0;
  end_ = next_;
}

bool SoundQueue::read(Timestamp now, SoundBlock& block) {
  block.channels = 2;
  block.samples.clear();
  const std::lock_guard lock(mutex_);
  while (!held_.empty() && now - front_time() > kMostLate) {
    drop_frames(sound_frames(now - front_time() - kMostLate) + 1);
  }
  std::int64_t room = sound_frames(kMostRead);
  while (!held_.empty() && room > 0) {
    const Timestamp time = front_time();
    const std::int64_t due = now > time ? sound_frames(now - time) : 0;
    if (due == 0) break;
    if (next_ && time - *next_ >= kLeastGap) {
      if (!block.samples.empty()) break;  // the gap is the next call's
      if (time - *next_ <= kMostFilled) {
        const std::int64_t missing = std::min(room, sound_frames(time - *next_));
        block.captured = *next_;
        block.samples.assign(static_cast<std::size_t>(missing * 2), 0.0f);
        stats_.frames_filled += missing;
        next_ = time;
        room -= missing;
        continue;
      }
    }
    if (block.samples.empty()) block.captured = time;
    const std::int64_t count = std::min({due, room, frames_of(held_.front()) - front_used_});
    next_ = time + sound_time(count);
    room -= count;
    take(count, block);
  }
  return !block.samples.empty();
}

SoundQueue::Stats SoundQueue::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

Timestamp SoundQueue::front_time() const {
  return held_.front().captured + sound_time(front_used_);
}

void SoundQueue::drop_frames(std::int64_t count) {
  SoundBlock dropped;
  count = std::min(count, frames_of(held_.front()) - front_used_);
  stats_.frames_dropped += count;
  take(count, dropped);
}

void SoundQueue::take(std::int64_t count, SoundBlock& to) {
  const auto from = held_.front().samples.begin() + samples_in(front_used_);
  to.samples.insert(to.samples.end(), from, from + samples_in(count));
  front_used_ += count;
  frames_ -= count;
  if (front_used_ < frames_of(held_.front())) return;
  held_.pop_front();
  front_used_ = 0;
}

}  // namespace qvid::media
