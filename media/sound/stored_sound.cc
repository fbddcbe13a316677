#include "media/sound/stored_sound.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <utility>

namespace qvid::media {
namespace {

constexpr int kSmoothing = 16;           // turns
constexpr Duration kQuicker = 10ms;      // errors beyond are mended by more frames a turn
constexpr std::size_t kFewFrames = 1;    // 2 ms a second
constexpr std::size_t kManyFrames = 3;   // 6 ms a second
constexpr double kStretchedMore = 0.01;  // of the speed
constexpr std::size_t kNeighbours = 2;   // frames after the turn that its last one is drawn by

using Turn = std::array<float, kSoundTurn * 2>;

// Over the whole of a turn, from one volume to another.
void fade(std::span<float> frames, float from, float to) {
  const std::size_t count = frames.size() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const float volume =
        from + (to - from) * (static_cast<float>(i) + 0.5F) / static_cast<float>(count);
    frames[2 * i] *= volume;
    frames[2 * i + 1] *= volume;
  }
}

// Between b and c, by a curve through them that knows their neighbours (Catmull-Rom).
float between(float a, float b, float c, float d, float t) {
  // From b on: differences of neighbours are exact where the samples are large.
  a -= b;
  c -= b;
  d -= b;
  return b + 0.5F * t * (c - a + t * (2 * a + 4 * c - d + t * (d - a - 3 * c)));
}

}  // namespace

StoredSound::StoredSound(std::unique_ptr<SoundDecoder> decoder, std::shared_ptr<PlayClock> clock)
    : clock_(std::move(clock)), line_(std::move(decoder)) {}

void StoredSound::begin() {
  const std::lock_guard lock(mutex_);
  if (playing_) line_.peek(kSoundTurn + kNeighbours);  // to fade out
  line_.clear();
  begun_anew_ = true;
}

void StoredSound::on_message(std::uint64_t position, const Payload& payload) {
  auto packet = parse_sound_packet(payload);
  const std::lock_guard lock(mutex_);
  if (!packet) return line_.add_malformed();
  line_.add(position, *std::move(packet));
}

void StoredSound::end() {
  const std::lock_guard lock(mutex_);
  line_.end();
}

bool StoredSound::pull(Timestamp heard, std::span<float> frames) {
  const auto wanted = clock_->at(heard);
  const std::lock_guard lock(mutex_);
  const bool anew = std::exchange(begun_anew_, false);
  if (playing_ && (!wanted || anew)) {
    playing_ = false;
    play(frames);
    fade(frames, 1, 0);
  } else if (!wanted) {
    std::ranges::fill(frames, 0.0F);
    return false;
  } else if (!std::exchange(playing_, true)) {
    enter(*wanted, heard, frames);
  } else {
    follow(*wanted, heard, frames);
  }
  return std::ranges::any_of(frames, [](float s) { return s != 0; });
}

void StoredSound::enter(const PlayClock::Now& wanted, Timestamp heard, std::span<float> frames) {
  mending_ = false;
  error_ = {};
  line_.go(wanted.place);
  speed_ = wanted.speed;
  stretched_place_ = wanted.place;
  if (speed_ == 1) {
    stretcher_.reset();
  } else {
    if (!stretcher_) stretcher_ = std::make_unique<TimeStretcher>();
    stretcher_->begin(speed_);
  }
  clock_->on_heard(place(), heard);
  play(frames);
  fade(frames, 0, 1);
}

void StoredSound::follow(const PlayClock::Now& wanted, Timestamp heard, std::span<float> frames) {
  error_ += (place() - wanted.place - error_) / kSmoothing;
  const Duration size = std::chrono::abs(error_);
  const bool other_speed = wanted.speed != speed_;
  if (size > kJump || other_speed) {
    if (!other_speed) ++jumps_;
    Turn old{};
    play(old);
    fade(old, 1, 0);
    enter(wanted, heard, frames);
    std::ranges::transform(frames, old, frames.begin(), std::plus<>());
    return;
  }
  mending_ = size > (mending_ ? kMended : kTolerated);
  clock_->on_heard(place(), heard);
  play(frames);
}

std::size_t StoredSound::take() const {
  if (!mending_) return kSoundTurn;
  const std::size_t change = std::chrono::abs(error_) > kQuicker ? kManyFrames : kFewFrames;
  return error_ > Duration::zero() ? kSoundTurn - change : kSoundTurn + change;
}

void StoredSound::play_stretched(std::span<float> frames) {
  const double more = error_ > Duration::zero() ? -kStretchedMore : kStretchedMore;
  const double speed = speed_ * (mending_ ? 1 + more : 1);
  stretcher_->set_speed(speed);
  while (stretcher_->ready() < kSoundTurn) {
    stretcher_->put(line_.peek(kSoundTurn).first(kSoundTurn * 2));
    line_.drop(kSoundTurn);
  }
  stretcher_->take(frames);
  stretched_place_ += std::chrono::duration_cast<Duration>(sound_time(kSoundTurn) * speed);
}

void StoredSound::play(std::span<float> frames) {
  if (stretcher_) return play_stretched(frames);
  const std::size_t taken = take();
  const auto in = line_.peek(taken + kNeighbours);
  if (taken == kSoundTurn) {
    std::ranges::copy(in.first(frames.size()), frames.begin());
  } else {
    (taken < kSoundTurn ? stretched_ : shrunk_) +=
        static_cast<std::int64_t>(taken < kSoundTurn ? kSoundTurn - taken : taken - kSoundTurn);
    const auto sample = [&](std::size_t frame, std::size_t channel) {
      return frame == 0 ? before_[channel] : in[(frame - 1) * 2 + channel];
    };
    for (std::size_t i = 0; i < kSoundTurn; ++i) {
      const std::size_t at = i * taken / kSoundTurn;
      const float t = static_cast<float>(i * taken % kSoundTurn) / static_cast<float>(kSoundTurn);
      for (std::size_t c = 0; c < 2; ++c) {
        frames[i * 2 + c] =
            between(sample(at, c), sample(at + 1, c), sample(at + 2, c), sample(at + 3, c), t);
      }
    }
  }
  std::ranges::copy(in.subspan((taken - 1) * 2, 2), before_);
  line_.drop(taken);
}

SoundPlayoutStats StoredSound::stats() const {
  const std::lock_guard lock(mutex_);
  SoundPlayoutStats stats = line_.stats();
  stats.stretched = stretched_;
  stats.shrunk = shrunk_;
  return stats;
}

std::int64_t StoredSound::jumps() const {
  const std::lock_guard lock(mutex_);
  return jumps_;
}

}  // namespace qvid::media
