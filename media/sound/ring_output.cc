#include "media/sound/ring_output.h"

#include <algorithm>

#include "media/sound/clock_output.h"

namespace qvid::media {

RingOutput::RingOutput(std::shared_ptr<PlayPort> port, std::string description)
    : port_(std::move(port)), description_(std::move(description)) {}

bool RingOutput::runs(Timestamp now) const {
  return port_->open() && last_.epoch != 0 && last_.epoch == port_->epoch() &&
         now - last_.time < kSilent;
}

void RingOutput::take_marks() {
  DeviceMark mark;
  while (port_->marks().take(std::span(&mark, 1)) == 1) on_mark(mark);
}

void RingOutput::on_mark(const DeviceMark& mark) {
  if (mark.epoch != last_.epoch) {
    clock_.reset();
    goal_ = std::min(mark.frames + kSoundTurn, kMostGoal);
    calm_since_ = mark.time;
    least_left_ = kMostGoal;
  }
  last_ = mark;
  // Its first frame passed then; those behind it one after the other.
  clock_.on_frames(mark.device - static_cast<std::int64_t>(mark.frames), mark.time);
  least_left_ = std::min(least_left_, mark.left);
  if (mark.dry) {
    ++dry_;
    goal_ = std::min(goal_ + kSoundTurn, kMostGoal);
  }
  if (mark.dry || mark.time - calm_since_ >= kCalm) {
    const bool roomy = !mark.dry && least_left_ >= 2 * kSoundTurn;
    if (roomy) goal_ = std::max(goal_ - kSoundTurn, mark.frames + kSoundTurn);
    calm_since_ = mark.time;
    least_left_ = kMostGoal;
  }
}

std::size_t RingOutput::filled() const { return port_->samples().size() / port_->channels(); }

std::size_t RingOutput::wanted(Timestamp now) {
  take_marks();
  runs_ = runs(now);
  if (!runs_) return pace_.due(now + ClockOutput::kAhead);
  pace_.stop();
  const std::size_t there = filled();
  return goal_ > there ? goal_ - there : 0;
}

Timestamp RingOutput::heard(Timestamp now) {
  if (!runs_) return pace_.started() ? pace_.next() : now + ClockOutput::kAhead;
  const Timestamp taken = clock_.time_of(last_.device + written_ - last_.ring);
  return std::max(now, taken) + port_->latency();
}

void RingOutput::write(std::span<const float> stereo) {
  if (!runs_) {
    pace_.take(stereo.size() / port_->channels());
  } else if (port_->samples().put(stereo)) {
    written_ += static_cast<std::int64_t>(stereo.size() / port_->channels());
  }
}

}  // namespace qvid::media
