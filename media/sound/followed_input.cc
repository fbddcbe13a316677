#include "media/sound/followed_input.h"

#include <algorithm>
#include <chrono>

namespace qvid::media {
namespace {

constexpr int kReadsAtOnce = 8;

}  // namespace

bool FollowedInput::pull(Timestamp captured, Timestamp now, std::span<float> stereo) {
  SoundBlock block;
  for (int i = 0; i < kReadsAtOnce && input_->read(now, block); ++i) add(block);
  std::ranges::fill(stereo, 0.0f);
  const Duration apart = end_ - sound_time(frames()) - (captured - kBehind);
  if (held_.empty() || apart > kAstray) return false;
  if (apart < -kAstray) drop(sound_frames(-apart));
  const std::size_t count = std::min(held_.size(), stereo.size());
  std::copy_n(held_.begin(), count, stereo.begin());
  drop(static_cast<std::int64_t>(count / 2));
  return count > 0;
}

void FollowedInput::add(const SoundBlock& block) {
  if (std::chrono::abs(block.captured - end_) > kAstray) held_.clear();
  for (std::size_t i = 0; i < block.samples.size(); ++i) {
    held_.push_back(block.samples[i]);
    if (block.channels == 1) held_.push_back(block.samples[i]);
  }
  end_ = block.captured + sound_time(static_cast<std::int64_t>(block.frames()));
  drop(frames() - sound_frames(kMostHeld));
}

void FollowedInput::drop(std::int64_t count) {
  count = std::clamp<std::int64_t>(count, 0, frames());
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(2 * count));
}

}  // namespace qvid::media
