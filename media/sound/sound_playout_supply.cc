// SoundPlayoutEngine: from the buffer to the line.
#include <algorithm>
#include <utility>

#include "media/sound/sound_playout_engine.h"

namespace qvid::media {
namespace {

constexpr Duration kPieceTime = sound_time(kSoundTurn);
constexpr std::size_t kLeastPiece = 120;  // frames that a decoder makes up
constexpr std::size_t kRaise = 240;       // frames from what was made up to full loudness
constexpr std::uint64_t kMostLost = 150;  // a stream that was not sent for a while: 3 s of it

}  // namespace

void SoundPlayoutEngine::supply(std::size_t frames, bool due) {
  while (line_.frames() < frames) {
    const auto* next = buffer_.first();
    if (next == nullptr) return;
    if (!settle_place(*next)) continue;
    Duration gap = next->packet.captured - end_;
    if (gap <= kTolerance) {
      decode();
      continue;
    }
    const bool missing = next->number != next_ && !silent_;
    // It may come yet.
    if (missing && !due) return;
    fill_gap(gap, missing);
  }
}

// False: it was of no more use and is gone.
bool SoundPlayoutEngine::settle_place(const JitterBuffer::Entry& entry) {
  if (entry.packet.captured >= end_ - kTolerance) return true;
  bool of_use = entry.end() > end_ + kTolerance;
  if (idle_ && line_.frames() == 0) {
    // Nothing is heard: playing goes back to it.
    of_use = heard_ - entry.packet.captured <= meter_.transit() + kMostDelay;
    if (of_use) end_ = entry.packet.captured;
  }
  if (of_use) return true;
  ++stats_.late;
  pass(entry);
  buffer_.take();
  return false;
}

void SoundPlayoutEngine::fill_gap(Duration gap, bool missing) {
  const Duration piece = std::min(gap, kPieceTime);
  const auto frames = std::max<std::size_t>(1, static_cast<std::size_t>(sound_frames(piece)));
  const auto samples = missing ? conceal(frames) : std::vector<float>(2 * frames);
  line_.add(end_, missing ? Kind::kMissing : Kind::kSilence, samples);
  end_ += piece;
}

std::vector<float> SoundPlayoutEngine::conceal(std::size_t frames) {
  if (made_up_ >= kConceal) return std::vector<float>(2 * frames);
  auto samples = decoder_->conceal((frames + kLeastPiece - 1) / kLeastPiece * kLeastPiece);
  samples.resize(2 * frames);
  for (std::size_t i = 0; i < frames; ++i) {
    const double gain = made_up_gain(made_up_ + sound_time(static_cast<std::int64_t>(i)));
    samples[2 * i] *= static_cast<float>(gain);
    samples[2 * i + 1] *= static_cast<float>(gain);
  }
  made_up_ += sound_time(static_cast<std::int64_t>(frames));
  stats_.concealed += static_cast<std::int64_t>(frames);
  return samples;
}

double SoundPlayoutEngine::made_up_gain(Duration made_up) const {
  return std::max(0.0, 1 - to_seconds(made_up) / to_seconds(kConceal));
}

void SoundPlayoutEngine::decode() {
  const JitterBuffer::Entry entry = buffer_.take();
  on_resumed(entry);
  auto samples = decoder_->decode(entry.packet);
  // As long as it says, whatever the decoder made of it.
  samples.resize(
      2 * std::max<std::size_t>(1, static_cast<std::size_t>(sound_frames(entry.packet.duration))));
  Timestamp from = entry.packet.captured;
  if (from < end_ - kTolerance) {
    const auto past =
        std::min(static_cast<std::size_t>(2 * sound_frames(end_ - from)), samples.size() - 2);
    samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(past));
    from = end_;
  }
  if (idle_ || made_up_ > Duration::zero() || from != entry.packet.captured) join(samples);
  line_.add(from, Kind::kSound, samples);
  end_ = from + sound_time(static_cast<std::int64_t>(samples.size() / 2));
  pass(entry);
  made_up_ = {};
  ++stats_.packets;
}

void SoundPlayoutEngine::pass(const JitterBuffer::Entry& entry) {
  if (entry.number > next_) {
    stats_.lost += static_cast<std::int64_t>(std::min(entry.number - next_, kMostLost));
  }
  next_ = entry.number + 1;
  silent_ = entry.packet.last;
}

void SoundPlayoutEngine::join(std::span<float> samples) {
  const double gain = made_up_gain(made_up_);
  float last[2] = {tail_[tail_.size() - 2], tail_[tail_.size() - 1]};
  if (line_.frames() > 0) line_.copy(static_cast<std::int64_t>(line_.frames()) - 1, last);
  const float off[2] = {last[0] - samples[0] * static_cast<float>(gain),
                        last[1] - samples[1] * static_cast<float>(gain)};
  for (std::size_t i = 0; i < std::min(2 * kRaise, samples.size()); ++i) {
    const std::size_t frame = i / 2;
    const double raised = static_cast<double>(frame) / kRaise;
    const auto left = static_cast<float>((1 - raised) * (1 - raised));
    samples[i] = samples[i] * static_cast<float>(gain + (1 - gain) * raised) + off[i % 2] * left;
  }
}

void SoundPlayoutEngine::on_resumed(const JitterBuffer::Entry& entry) {
  if (!starved_) return;
  // Where it follows in number and not in time, it was silence after all.
  const bool silence =
      entry.number == starved_number_ && entry.packet.captured > starved_at_ + kTolerance;
  if (!silence) {
    ++stats_.underruns;
    gap_ += *starved_;
    stats_.longest_gap = std::max(stats_.longest_gap, gap_);
  }
  starved_.reset();
}

}  // namespace qvid::media
