#include "media/stored/stored_playout.h"

#include <algorithm>
#include <utility>

namespace qvid::media {

StoredPlayout::StoredPlayout(FrameRate rate, Timestamp now) : rate_(rate) { measures_.opened(now); }

void StoredPlayout::seek(Duration to, Timestamp now) {
  run(false, now);
  state_ = State::kMoving;
  ++seek_epoch_;
  anchor_place_ = to;
  there_.clear();
  first_.reset();
  measures_.seek(now);
}

void StoredPlayout::begin(Duration to, Timestamp now) {
  run(false, now);
  state_ = State::kStarting;
  ++seek_epoch_;
  to_ = anchor_place_ = to;
  end_ = false;
  assembler_ = FrameAssembler(kAhead, kMaxBytes);
  there_.clear();
  first_.reset();
  without_gap_ = last_taken_ = FrameNumber(-1);
  taken_units_ = 0;
}

void StoredPlayout::on_message(FrameMessage message, Timestamp now) {
  if (state_ == State::kMoving) return;
  FrameNumber number;
  if (auto* header = std::get_if<FrameHeaderMessage>(&message)) {
    number = header->number;
    assembler_.on_header(std::move(*header));
  } else {
    auto& unit = std::get<UnitMessage>(message);
    number = unit.number;
    assembler_.on_unit(std::move(unit));
  }
  if (number > last_taken_ && assembler_.header(number) != nullptr && assembler_.came(number, 0) &&
      there_.insert(number).second) {
    measures_.received(number, now);
    if (state_ == State::kStalled && there_.size() == 1) filling_since_ = now;
  }
  advance(now);
}

void StoredPlayout::on_end(Timestamp now) {
  if (state_ == State::kMoving) return;
  end_ = true;
  advance(now);
}

void StoredPlayout::pause(Timestamp now) {
  if (std::exchange(paused_, true)) return;
  run(false, now);
  measures_.paused(now);
}

void StoredPlayout::play(Timestamp now) {
  if (!std::exchange(paused_, false)) return;
  if (state_ == State::kRunning) run(true, now);
}

void StoredPlayout::set_speed(double speed, Timestamp now) {
  run(running_, now);
  speed_ = speed;
}

void StoredPlayout::run(bool on, Timestamp now) {
  anchor_place_ = place(now);
  anchor_time_ = now;
  if (on && !running_) measures_.resumed(now);
  running_ = on;
}

Duration StoredPlayout::place(Timestamp now) const {
  return running_ ? anchor_place_ + played_in(now - anchor_time_, speed_) : anchor_place_;
}

Duration StoredPlayout::due_of(FrameNumber number) const {
  const FrameHeaderMessage* header = assembler_.header(number);
  return header != nullptr ? header->due.time_since_epoch() : Duration::zero();
}

std::optional<FrameNumber> StoredPlayout::next_there() const {
  if (!first_) return std::nullopt;
  const auto it = there_.upper_bound(last_taken_);
  return it != there_.end() ? std::optional(*it) : std::nullopt;
}

Duration StoredPlayout::buffered(Timestamp now) const {
  if (without_gap_ <= last_taken_) return std::max(Duration::zero(), last_due_ - place(now));
  return std::max(Duration::zero(), due_of(without_gap_) + rate_.frame_time() - place(now));
}

// The first to be seen: the one that is on the screen at `to_`; of a place beyond the end the last.
void StoredPlayout::choose_first(Timestamp now) {
  for (const FrameNumber number : there_) {
    // Places travel as whole milliseconds, cut off.
    if (due_of(number) + rate_.frame_time() > to_ + std::chrono::milliseconds(1)) {
      first_ = number;
      break;
    }
  }
  if (!first_ && end_ && !there_.empty()) first_ = *there_.rbegin();
  if (!first_) return;
  anchor_place_ = due_of(*first_);
  last_taken_ = FrameNumber(first_->value() - 1);
  last_due_ = anchor_place_ - rate_.frame_time();
  state_ = State::kFilling;
  filling_since_ = now;
}

bool StoredPlayout::has_reserve(Timestamp now) const {
  if (end_) return true;
  if (there_.empty()) return false;
  const Duration reserve = due_of(*there_.rbegin()) + rate_.frame_time() - anchor_place_;
  const Duration lasts = time_to_play(reserve, speed_);
  if (lasts < kFastFill * (now - filling_since_)) return lasts >= kCarefulReserve;
  return lasts >= (state_ == State::kFilling ? kReserve : kReserveAgain);
}

void StoredPlayout::advance(Timestamp now) {
  if (state_ == State::kStarting) choose_first(now);
  if (const auto next = next_there(); next && *next > without_gap_) without_gap_ = *next;
  while (there_.contains(without_gap_.next())) without_gap_ = without_gap_.next();
  switch (state_) {
    case State::kStarting:
      if (end_) state_ = State::kFinished;  // there is nothing
      break;
    case State::kFilling:
    case State::kStalled:
      if (!has_reserve(now)) break;
      state_ = State::kRunning;
      if (!paused_) run(true, now);
      break;
    case State::kRunning: {
      const Duration over = last_due_ + rate_.frame_time();
      if (next_there() || place(now) < over) break;
      run(false, now);
      anchor_place_ = over;
      state_ = end_ ? State::kFinished : State::kStalled;
      if (end_) {
        measures_.ended(now);
      } else {
        measures_.stalled(now);
      }
      break;
    }
    case State::kMoving:
    case State::kFinished: break;
  }
}

Timestamp StoredPlayout::show_time(Duration due) const {
  if (running_) return anchor_time_ + time_to_play(due - anchor_place_, speed_);
  return due <= anchor_place_ ? anchor_time_ : kNever;
}

std::optional<StoredPlayout::Task> StoredPlayout::next_task(Timestamp now) {
  advance(now);
  auto next = next_there();
  if (!next) return better_picture(now);
  const Timestamp show = show_time(due_of(*next));
  if (show == kNever || show - kLead > now) return better_picture(now);
  // Where decoding is behind the newest that is not too late is shown.
  for (auto it = there_.upper_bound(*next); running_ && it != there_.end(); ++it) {
    if (show_time(due_of(*next)) + rate_.frame_time() > now || show_time(due_of(*it)) > now) break;
    next = *it;
  }
  Task task{.number = *next,
            .due = due_of(*next),
            .frames = {},
            .lost = static_cast<int>(next->value() - last_taken_.value() - 1),
            .announced = assembler_.header(*next)->units,
            .received = static_cast<int>(assembler_.units_received(*next))};
  for (int i = 0; i < task.lost; ++i) on_lost();
  task.frames = assembler_.take(*next);
  last_taken_ = *next;
  last_due_ = task.due;
  taken_units_ = assembler_.units_received(*next);
  there_.erase(there_.begin(), there_.upper_bound(*next));
  return task;
}

// Enhancement that came after the picture was shown, while time stands still.
std::optional<StoredPlayout::Task> StoredPlayout::better_picture(Timestamp now) {
  const std::size_t units = assembler_.units_received(last_taken_);
  if (running_ || state_ == State::kMoving || last_due_ > place(now) || units <= taken_units_ ||
      taken_units_ == 0) {
    return std::nullopt;
  }
  taken_units_ = units;
  Task task{.number = last_taken_,
            .due = last_due_,
            .frames = assembler_.take(last_taken_),
            .again = true};
  return task;
}

void StoredPlayout::on_shown(const Task& task, int layer, Timestamp now) {
  if (!task.again) measures_.shown(rate_.frame_time(), layer, now);
}

Timestamp StoredPlayout::next_event() const {
  if (const auto next = next_there()) {
    const Timestamp show = show_time(due_of(*next));
    return show == kNever ? kNever : show - kLead;
  }
  return running_ ? show_time(last_due_ + rate_.frame_time()) : kNever;
}

}  // namespace qvid::media
