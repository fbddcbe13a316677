#include "media/sound/sound_playout_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qvid::media {
namespace {

constexpr Duration kPlayoutTurn = sound_time(kSoundTurn);
// An output that took nothing for so long had stopped.
constexpr Duration kOutputStalled = std::chrono::milliseconds(100);
// Where the whole machine stood, what came meanwhile is read, and decoded, in a burst behind that.
constexpr Duration kStallEcho = std::chrono::milliseconds(200);
// Estimates of when a frame is heard jump about; by more than this the output has changed.
constexpr Duration kOutputStep = std::chrono::milliseconds(30);
constexpr Duration kMostPlayoutTime = std::chrono::microseconds(std::int64_t{1} << 50);
// What a sender is told before anything is known.
constexpr Duration kFirstWindow = std::chrono::milliseconds(500);
constexpr Duration kWindowStep = std::chrono::milliseconds(20);
constexpr std::uint64_t kMostReordered = 1000;
constexpr int kRepeatTurns = 4;                       // at least, from one to the next: 20 % slower
constexpr std::size_t kPlayoutTail = kSoundTurn / 2;  // frames

std::size_t playout_frames(Duration time) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, sound_frames(time)));
}

}  // namespace

SoundPlayoutEngine::SoundPlayoutEngine(std::unique_ptr<SoundDecoder> decoder,
                                       std::shared_ptr<PresentationClock> clock)
    : decoder_(std::move(decoder)), clock_(std::move(clock)), tail_(2 * kPlayoutTail) {}

void SoundPlayoutEngine::on_packet(std::uint64_t number, SoundPacket packet, Timestamp arrival) {
  if (packet.duration <= Duration::zero() || packet.duration > kMaxSoundPacket ||
      std::chrono::abs(packet.captured.time_since_epoch()) > kMostPlayoutTime) {
    return on_malformed();
  }
  const Timestamp end = packet.captured + packet.duration;
  // Later in number and much earlier in time, or far back in number: the sender has begun anew.
  if (newest_ && number > *newest_ && end < newest_end_ - kMostDelay) restart();
  if (newest_ && number<*newest_&& * newest_ - number> kMostReordered) restart();
  if (started_ && number < next_) {
    ++stats_.late;
    if (++late_in_a_row_ <= kMostLateInARow) return;
    restart();
  }
  late_in_a_row_ = 0;
  latest_arrival_ = arrival;
  Arrived arrived{.captured = packet.captured, .duration = packet.duration, .arrival = arrival};
  if (newest_ && number > *newest_ + 1 && !newest_last_) arrived.missing = newest_end_;
  arrived_.push_back(arrived);
  if (arrived_.size() > JitterBuffer::kMostPackets) arrived_.pop_front();
  if (!newest_ || number > *newest_) {
    newest_ = number;
    newest_end_ = end;
    newest_last_ = packet.last;
  }
  buffer_.add(number, std::move(packet));
}

void SoundPlayoutEngine::restart() {
  ++stats_.restarts;
  buffer_.clear();
  arrived_.clear();
  meter_.reset();
  newest_.reset();
  newest_last_ = false;
  late_in_a_row_ = 0;
  begin_anew();
}

void SoundPlayoutEngine::begin_anew() {
  line_.clear();
  started_ = stretching_ = false;
  starved_.reset();
  far_since_.reset();
  gap_ = made_up_ = {};
  idle_ = seam_ = true;
}

bool SoundPlayoutEngine::pull(Timestamp heard, std::span<float> frames) {
  std::fill(frames.begin(), frames.end(), 0.0F);
  if (pulled_ && heard - heard_ > kOutputStalled) unheard_to_ = heard + kStallEcho;
  heard_ = smooth(heard);
  pulled_ = true;
  take_arrivals(heard_);
  if (started_) {
    set_target(heard_);
    play(frames);
  }
  finish(frames);
  if (started_ && clock_ && heard_ - latest_arrival_ < kIdle) clock_->on_sound(given_, heard_);
  return std::any_of(frames.begin(), frames.end(), [](float sample) { return sample != 0; });
}

Timestamp SoundPlayoutEngine::smooth(Timestamp heard) {
  if (!pulled_) return heard;
  const Timestamp expected = heard_ + kPlayoutTurn;
  const Duration off = heard - expected;
  return std::chrono::abs(off) > kOutputStep ? heard : expected + off / 16;
}

void SoundPlayoutEngine::take_arrivals(Timestamp heard) {
  // Of what waited because nobody listened yet, the newest alone tells what is needed.
  while (!meter_.started() && arrived_.size() > 1) arrived_.pop_front();
  while (!arrived_.empty()) {
    const Arrived next = arrived_.front();
    arrived_.pop_front();
    if (next.arrival < unheard_to_ && meter_.started()) {
      meter_.on_unheard(next.captured, next.duration, next.arrival);
      continue;
    }
    if (next.missing && meter_.started()) meter_.on_missing(*next.missing, heard);
    if (meter_.on_packet(next.captured, next.duration, next.arrival, heard)) continue;
    // A clock has stepped: what is of the new timeline stays.
    ++stats_.restarts;
    begin_anew();
  }
  if (!started_ && meter_.started() && !buffer_.empty()) start(heard);
}

void SoundPlayoutEngine::start(Timestamp heard) {
  set_target(heard);
  end_ = heard - target_;
  next_ = buffer_.first()->number;
  while (!buffer_.empty() && buffer_.first()->end() <= end_) next_ = buffer_.take().number + 1;
  started_ = idle_ = silent_ = true;
}

void SoundPlayoutEngine::set_target(Timestamp heard) {
  target_ = std::max(meter_.needed(heard), meter_.base() + expected_late_) + kMargin;
  const auto picture = clock_ ? clock_->picture_needs(heard) : std::nullopt;
  picture_ = picture.has_value();
  if (picture) target_ = std::max(target_, *picture);
  target_ = std::min(target_, meter_.transit() + kMostDelay);
}

// What is played.

void SoundPlayoutEngine::play(std::span<float> out) {
  supply(kSoundTurn, true);
  if (skip_if_far()) supply(kSoundTurn, true);
  given_ = front();
  if (line_.frames() < kSoundTurn) return play_nothing(out);
  idle_ = false;
  const bool quiet = line_.quiet(kSoundTurn);
  if (!quiet && wants_stretching() && play_stretched(out)) return;
  if (stretching_) leave_stretching();
  if (!quiet) repeat_if_early();
  given_ = front();
  if (quiet) {
    play_quiet(out);
  } else {
    play_plain(out);
  }
}

void SoundPlayoutEngine::play_nothing(std::span<float> out) {
  if (stretching_) leave_stretching();
  // A rest of less than a turn, as where a packet was trimmed.
  const std::size_t rest = line_.frames();
  line_.copy(0, out.first(2 * rest));
  line_.drop(rest);
  idle_ = true;
  repeated_ = false;
  if (!silent_) return wait_for_more(out.subspan(2 * rest));
  if (rest > 0) seam_ = true;
  if (starved_) {
    *starved_ += kPlayoutTurn;
  } else {
    gap_ = made_up_ = {};
  }
  // Time passes, faster or slower.
  const Duration excess = heard_ - given_ - target_;
  const Duration most = picture_ ? kPlayoutTurn / 2 : kMostDelay;
  const Duration passed = kPlayoutTurn + std::clamp(excess, -most, most);
  if (passed > kPlayoutTurn) stats_.shrunk += sound_frames(passed - kPlayoutTurn);
  if (passed < kPlayoutTurn) stats_.stretched += sound_frames(kPlayoutTurn - passed);
  end_ = given_ + passed;
}

void SoundPlayoutEngine::wait_for_more(std::span<float> out) {
  if (!starved_) {
    starved_ = Duration();
    starved_at_ = end_;
    starved_number_ = next_;
    made_up_ = {};
  }
  const auto made_up = conceal(out.size() / 2);
  std::copy(made_up.begin(), made_up.end(), out.begin());
  *starved_ += kPlayoutTurn;
  const bool bearable = heard_ - end_ < meter_.transit() + kMostDelay;
  if (*starved_ > kMostWait || !bearable) end_ += kPlayoutTurn;
  // Nobody speaks any more, whatever the last packet said.
  if (*starved_ > kMostDelay) silent_ = true;
}

void SoundPlayoutEngine::play_plain(std::span<float> out) {
  const Kind kind = line_.kind();
  line_.copy(0, out);
  line_.drop(kSoundTurn);
  repeated_ = false;
  count_gap(kind);
}

void SoundPlayoutEngine::play_quiet(std::span<float> out) {
  const Duration excess = heard_ - given_ - target_;
  if (excess < -kMargin && !(repeated_ && (picture_ || line_.kind() == Kind::kSound))) {
    const Kind kind = line_.kind();
    line_.copy(0, out);
    repeated_ = seam_ = true;
    stats_.stretched += kSoundTurn;
    return count_gap(kind);
  }
  if (excess > kMargin) {
    const std::size_t most = picture_ ? kSoundTurn / 2 : kSoundTurn;
    const std::size_t extra = std::min(playout_frames(excess), most);
    supply(kSoundTurn + extra, false);
    if (line_.frames() >= kSoundTurn + extra && line_.quiet(kSoundTurn + extra)) {
      line_.drop(extra);
      stats_.shrunk += static_cast<std::int64_t>(extra);
      seam_ = true;
      given_ = front();
    }
  }
  play_plain(out);
}

void SoundPlayoutEngine::count_gap(Kind kind) {
  if (kind == Kind::kMissing) {
    gap_ += kPlayoutTurn;
    stats_.longest_gap = std::max(stats_.longest_gap, gap_);
  } else {
    gap_ = {};
  }
}

// The speed.

bool SoundPlayoutEngine::wants_stretching() {
  const Duration excess = heard_ - given_ - target_;
  const Duration off = std::chrono::abs(excess);
  if (stretching_) {
    if (off < kSettled || (excess > Duration::zero()) != (speed_ > 1)) return false;
  } else {
    if (off < kHysteresis) return false;
    // What it looks ahead must have come.
    supply(TimeStretcher::kAhead + kSoundTurn, false);
    if (line_.frames() < TimeStretcher::kAhead + kSoundTurn) return false;
  }
  const double change = off > kFarOff ? 0.25 : 0.1;
  const double speed = excess > Duration::zero() ? 1 + change : 1 - change;
  if (!stretching_) {
    stretcher_.begin(speed);
    fed_ = 0;
    owed_ = 0;
  } else if (speed != speed_) {
    stretcher_.set_speed(speed);
  }
  stretching_ = true;
  speed_ = speed;
  return true;
}

// Slower without looking ahead, which takes more than has come where delay is least: a piece of
// 2.5..15 ms that is just over is heard again, from where it goes on best, which is a period or
// some of a voice.
void SoundPlayoutEngine::repeat_if_early() {
  constexpr std::size_t kLeast = kSoundTurn / 4;
  constexpr std::size_t kMost = kSoundTurn * 3 / 2;
  static_assert(kMost + kPlayoutTail <= SoundPlayoutLine::kPast);
  since_repeat_ = std::min(since_repeat_ + 1, kRepeatTurns);
  if (since_repeat_ < kRepeatTurns || line_.past() < kMost + kPlayoutTail ||
      heard_ - front() - target_ > -kHysteresis) {
    return;
  }
  since_repeat_ = 0;
  std::vector<float> past(2 * (kMost + kPlayoutTail - kLeast));
  line_.copy(-static_cast<std::int64_t>(kMost + kPlayoutTail), past);
  const std::size_t back = kMost + kPlayoutTail - best_continuation(tail_, past);
  line_.step_back(back);
  stats_.stretched += static_cast<std::int64_t>(back);
  seam_ = true;
}

bool SoundPlayoutEngine::play_stretched(std::span<float> out) {
  std::vector<float> chunk;
  while (stretcher_.ready() < kSoundTurn) {
    supply(fed_ + kSoundTurn, false);
    const std::size_t more = std::min(line_.frames() - std::min(fed_, line_.frames()), kSoundTurn);
    if (more == 0) break;
    chunk.resize(2 * more);
    line_.copy(static_cast<std::int64_t>(fed_), chunk);
    stretcher_.put(chunk);
    fed_ += more;
  }
  if (stretcher_.ready() < kSoundTurn) return false;
  const Kind kind = line_.kind();
  stretcher_.take(out);
  owed_ += kSoundTurn * speed_;
  const auto used = std::min({static_cast<std::size_t>(owed_), fed_, line_.frames()});
  owed_ = std::min(owed_ - static_cast<double>(used), 1.0 * kSoundTurn);
  line_.drop(used);
  fed_ -= used;
  if (used > kSoundTurn) stats_.shrunk += static_cast<std::int64_t>(used - kSoundTurn);
  if (used < kSoundTurn) stats_.stretched += static_cast<std::int64_t>(kSoundTurn - used);
  repeated_ = false;
  count_gap(kind);
  return true;
}

// Where the stretcher stands in the line is known to a seek window: playing goes on at the place
// near it that is most like what was heard last.
void SoundPlayoutEngine::leave_stretching() {
  stretching_ = false;
  seam_ = true;
  if (line_.frames() < 2 * kSoundTurn || line_.past() < kSoundTurn + kPlayoutTail) return;
  std::vector<float> around(2 * (2 * kSoundTurn + kPlayoutTail));
  const auto from = -static_cast<std::int64_t>(kSoundTurn + kPlayoutTail);
  line_.copy(from, around);
  const std::int64_t to = from + static_cast<std::int64_t>(best_continuation(tail_, around));
  if (to > 0) {
    line_.drop(static_cast<std::size_t>(to));
  } else {
    line_.step_back(static_cast<std::size_t>(-to));
  }
}

bool SoundPlayoutEngine::skip_if_far() {
  if (heard_ - front() - target_ <= kFar || idle_) {
    far_since_.reset();
    return false;
  }
  if (!far_since_) far_since_ = heard_;
  const bool quiet = line_.frames() >= kSoundTurn && line_.quiet(kSoundTurn);
  if (!quiet && heard_ - *far_since_ < kPlayoutTurn * 50) return false;
  skip_to(heard_ - target_);
  far_since_.reset();
  return true;
}

void SoundPlayoutEngine::skip_to(Timestamp captured) {
  stats_.skipped += sound_frames(captured - front());
  stretching_ = false;
  seam_ = true;
  if (captured < end_) {
    line_.drop(std::min(playout_frames(captured - front()), line_.frames()));
    return;
  }
  line_.clear();
  end_ = captured;
  while (const auto* first = buffer_.first()) {
    if (first->end() > captured) break;
    pass(*first);
    buffer_.take();
  }
}

// Where this turn does not go on from the last, the step between them fades within 2.5 ms.
void SoundPlayoutEngine::finish(std::span<float> out) {
  constexpr std::size_t kFade = kSoundTurn / 4;
  const bool step = seam_ || idle_;
  for (std::size_t channel = 0; step && channel < 2; ++channel) {
    const float off = tail_[tail_.size() - 2 + channel] - out[channel];
    for (std::size_t i = 0; i < kFade; ++i) {
      const float left = 1 - static_cast<float>(i + 1) / kFade;
      out[2 * i + channel] += off * left * left;
    }
  }
  seam_ = false;
  std::copy(out.end() - static_cast<std::ptrdiff_t>(tail_.size()), out.end(), tail_.begin());
}

Duration SoundPlayoutEngine::window() const {
  if (!meter_.started()) return kFirstWindow;
  const Duration playing = target_ - meter_.transit() - meter_.latency() + kMostWait;
  return (std::clamp(playing, kWindowStep, kMostDelay + kMostWait) + kWindowStep - Duration(1)) /
         kWindowStep * kWindowStep;
}

SoundPlayoutStats SoundPlayoutEngine::stats() const {
  SoundPlayoutStats stats = stats_;
  if (!started_) return stats;
  stats.delay = heard_ - given_ - meter_.transit();
  stats.target = target_ - meter_.transit();
  stats.jitter = meter_.needed(heard_) - meter_.base();
  return stats;
}

}  // namespace qvid::media
