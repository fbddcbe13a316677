#include "app/play/previews.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qvid::app {

void Previews::set_duration(Duration duration) {
  if (std::exchange(duration_, duration) == duration) return;
  asked_.reset();
  pictures_.clear();
}

std::int64_t Previews::step_of(Duration place) const {
  const double share = to_seconds(place) / to_seconds(duration_);
  return std::clamp<std::int64_t>(std::llround(share * kSteps), 0, kSteps - 1);
}

std::optional<Duration> Previews::ask(std::optional<Duration> pointed, Timestamp now) {
  if (!pointed || duration_ <= Duration::zero()) return std::nullopt;
  const std::int64_t step = step_of(*pointed);
  if (pictures_.contains(step)) return std::nullopt;
  const bool waits = asked_ && now < asked_->at + kPatience;
  if (waits && (!asked_->answered || asked_->step == step)) return std::nullopt;
  asked_ = Question{.step = step, .at = now};
  return place_of(step);
}

void Previews::on_picture(Duration place, media::VideoFrame picture) {
  if (duration_ <= Duration::zero()) return;
  const std::int64_t step = step_of(place);
  if (asked_ && asked_->step == step) asked_->answered = true;
  pictures_.insert_or_assign(step, std::move(picture));
}

const media::VideoFrame* Previews::at(Duration place) const {
  if (duration_ <= Duration::zero()) return nullptr;
  const auto found = pictures_.find(step_of(place));
  return found == pictures_.end() ? nullptr : &found->second;
}

}  // namespace qvid::app
