#include "media/sound/ring_input.h"

#include <algorithm>

namespace qvid::media {

RingInput::RingInput(std::shared_ptr<CapturePort> port, std::string description)
    : port_(std::move(port)), description_(std::move(description)) {}

bool RingInput::runs(Timestamp now) const {
  return port_->open() && last_.epoch != 0 && last_.epoch == port_->epoch() &&
         now - last_.time < kPatience;
}

void RingInput::drop(std::int64_t frames) {
  if (frames <= 0) return;
  const std::size_t gone =
      port_->samples().drop(static_cast<std::size_t>(frames) * port_->channels());
  read_ += static_cast<std::int64_t>(gone / port_->channels());
  dropped_ += frames;
}

void RingInput::take_marks() {
  DeviceMark mark;
  while (port_->marks().take(std::span(&mark, 1)) == 1) on_mark(mark);
}

void RingInput::on_mark(const DeviceMark& mark) {
  const bool another = mark.epoch != last_.epoch;
  if (another) clock_.reset();
  // The ring was full, or it is another device: what waits is not followed by what comes.
  if (another || mark.device - mark.ring != last_.device - last_.ring) {
    drop(mark.ring - static_cast<std::int64_t>(mark.frames) - read_);
  }
  last_ = mark;
  clock_.on_frames(mark.device, mark.time);
}

Timestamp RingInput::captured() const {
  return clock_.time_of(last_.device - last_.ring + read_) - port_->latency();
}

bool RingInput::read(Timestamp now, SoundBlock& block) {
  take_marks();
  if (!next_) next_ = now;
  if (runs(now)) return sound(block);
  drop(last_.ring - read_);
  return silence(now - kPatience, block);
}

bool RingInput::silence(Timestamp until, SoundBlock& block) {
  const std::int64_t most = static_cast<std::int64_t>(kMostWaiting);
  std::int64_t due = sound_frames(until - *next_);
  if (due <= 0) return false;
  if (due > most) {
    *next_ += sound_time(due - static_cast<std::int64_t>(kKept));
    due = static_cast<std::int64_t>(kKept);
  }
  due = std::min(due, static_cast<std::int64_t>(kMostAtOnce));
  block.captured = *next_;
  block.channels = channels();
  block.samples.assign(static_cast<std::size_t>(due) * port_->channels(), 0.0f);
  *next_ += sound_time(due);
  after_silence_ = true;
  return true;
}

bool RingInput::sound(SoundBlock& block) {
  if (after_silence_) {
    if (last_.ring > read_ && silence(captured(), block)) return true;
    drop(std::min(last_.ring - read_, sound_frames(*next_ - captured())));
  }
  if (last_.ring - read_ > static_cast<std::int64_t>(kMostWaiting)) {
    drop(last_.ring - read_ - static_cast<std::int64_t>(kKept));
  }
  const auto frames = std::min(last_.ring - read_, static_cast<std::int64_t>(kMostAtOnce));
  if (frames <= 0) return false;
  after_silence_ = false;
  block.captured = captured();
  block.channels = channels();
  block.samples.resize(static_cast<std::size_t>(frames) * port_->channels());
  port_->samples().take(block.samples);
  read_ += frames;
  *next_ = block.captured + sound_time(frames);
  return true;
}

}  // namespace qvid::media
