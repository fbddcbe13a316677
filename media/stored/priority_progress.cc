#include "media/stored/priority_progress.h"

#include <algorithm>
#include <cmath>

#include "media/stored/play_speed.h"

namespace qvid::media {

PriorityProgress::PriorityProgress(FrameRate rate, Duration to) : rate_(rate), to_(to), at_(to) {}

void PriorityProgress::on_frame(std::shared_ptr<const WireFrame> frame) {
  Entry entry;
  entry.due = frame->frame.due.time_since_epoch();
  queued_ += frame->header.byte_count();
  for (std::size_t i = 0; i < frame->units.size(); ++i) {
    const CodedUnit& unit = frame->frame.units[i];
    entry.units.push_back({.layer = unit.layer,
                           .state = State::kWaiting,
                           .needed_for = unit.needed_for,
                           .size = frame->units[i].byte_count(),
                           .depends_on = unit.depends_on});
    queued_ += frame->units[i].byte_count();
  }
  entry.frame = std::move(frame);
  entries_.push_back(std::move(entry));
}

void PriorityProgress::on_position(Duration at, double speed, Duration round_trip, Timestamp now) {
  // A player that claims to be beyond what was read would have the file read for nothing.
  const Duration read = entries_.empty() ? to_ : entries_.back().due + rate_.frame_time();
  at_ = std::clamp(at, Duration::zero(), read);
  speed_ = speed;
  round_trip_ = round_trip;
  reported_ = now;
}

Duration PriorityProgress::playing_at(Timestamp now) const {
  const Duration playing = at_ + played_in(now - reported_ + round_trip_ + kDecodeTime, speed_);
  // It waits for what it has not got, however long nothing was heard of it.
  if (first_missing_base_ >= entries_.size()) return playing;
  return std::max(at_, std::min(playing, entries_[first_missing_base_].due));
}

bool PriorityProgress::late(const Entry& entry, const Unit& unit, Duration playing) const {
  const Duration last_use = entry.due + rate_.time_of(unit.needed_for) + rate_.frame_time();
  if (last_use <= to_) return true;  // before the place to be seen, and nothing there needs it
  if (unit.layer == 0) return last_use <= at_;
  if (entry.due >= to_ + kMendable) return entry.due + rate_.frame_time() <= playing;
  return std::min(last_use, std::max(entry.due, to_) + kMendable) <= playing;
}

bool PriorityProgress::depends_on_gone(std::size_t index, const Unit& unit) const {
  return std::ranges::any_of(unit.depends_on, [&](const UnitDependency& d) {
    if (d.frames_back > index) return false;  // delivered long ago, or it would not be forgotten
    const Entry& on = entries_[index - d.frames_back];
    return d.unit < on.units.size() && on.units[d.unit].state == State::kGone;
  });
}

void PriorityProgress::drop(std::size_t index, std::size_t unit, Decisions& decisions) {
  Unit& u = entries_[index].units[unit];
  ++dropped_;
  if (u.state == State::kSent) {
    decisions.cancels.push_back({number_of(index), static_cast<std::uint8_t>(unit)});
  } else {
    queued_ -= u.size;  // of what was sent when its message ends
    u.size = {};
  }
  u.state = State::kGone;
}

// True: a layer was late and goes on further ahead, so that there is more to drop.
bool PriorityProgress::drop_late(Duration playing, Decisions& decisions) {
  bool again = false;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    for (std::size_t n = 0; n < entry.units.size(); ++n) {
      const Unit& unit = entry.units[n];
      if (unit.state == State::kDelivered || unit.state == State::kGone) continue;
      const bool enhancement = unit.layer > 0;
      const bool is_late = late(entry, unit, playing);
      const bool waits = enhancement && entry.due < resumes_at_[unit.layer];
      const bool no_base = enhancement && entry.units[0].state == State::kGone;
      const bool unwanted = unit.layer >= layers_;
      if (!is_late && !waits && !no_base && !unwanted && !depends_on_gone(i, unit)) continue;
      drop(i, n, decisions);
      const Duration last_use = entry.due + rate_.time_of(unit.needed_for);
      const bool mends = entry.due < to_ + kMendable && last_use <= playing;
      if (is_late && enhancement && !waits && !unwanted && unit.needed_for > 0 && last_use > to_ &&
          !mends) {
        resumes_at_[unit.layer] =
            playing + std::min(window_ / kHeadStartDivisor, kLongestHeadStart);
        again = true;
      }
    }
  }
  return again;
}

void PriorityProgress::send(std::size_t index, Decisions& decisions) {
  Entry& entry = entries_[index];
  const FrameNumber number = number_of(index);
  const bool of_use =
      std::ranges::any_of(entry.units, [](const Unit& u) { return u.state == State::kWaiting; });
  if (entry.header == State::kWaiting) {
    if (of_use) {
      decisions.sends.push_back({.part = {number, std::nullopt},
                                 .importance = stored_importance(0),
                                 .position = header_position(number),
                                 .payload = entry.frame->header});
      entry.header = State::kSent;
    } else {
      queued_ -= entry.frame->header.byte_count();
      entry.header = State::kGone;
    }
  }
  for (std::size_t n = 0; n < entry.units.size(); ++n) {
    Unit& unit = entry.units[n];
    if (unit.state != State::kWaiting) continue;
    decisions.sends.push_back({.part = {number, static_cast<std::uint8_t>(n)},
                               .importance = stored_importance(unit.layer),
                               .position = unit_position(number, unit.layer),
                               .payload = entry.frame->units[n]});
    unit.state = State::kSent;
  }
}

void PriorityProgress::on_part_ended(const Part& part, bool delivered) {
  const std::int64_t index = part.number.value() - first_;
  if (index < 0 || index >= static_cast<std::int64_t>(entries_.size())) return;
  Entry& entry = entries_[static_cast<std::size_t>(index)];
  if (!part.unit) {
    if (entry.header != State::kSent) return;
    queued_ -= entry.frame->header.byte_count();
    entry.header = delivered ? State::kDelivered : State::kGone;
    return;
  }
  if (*part.unit >= entry.units.size()) return;
  Unit& unit = entry.units[*part.unit];
  queued_ -= unit.size;
  unit.size = {};
  // What was cancelled may have got there all the same; then it is not gone.
  if (delivered) {
    unit.state = State::kDelivered;
  } else if (unit.state == State::kSent) {
    unit.state = State::kGone;
  }
}

PriorityProgress::Decisions PriorityProgress::poll(Timestamp now) {
  Decisions decisions;
  while (first_missing_base_ < entries_.size()) {
    const Entry& entry = entries_[first_missing_base_];
    const State base = entry.units.empty() ? State::kGone : entry.units[0].state;
    if (base != State::kDelivered && base != State::kGone) break;
    ++first_missing_base_;
  }
  const Duration playing = playing_at(now);
  while (drop_late(playing, decisions)) {
  }
  for (; unsent_ < entries_.size(); ++unsent_) send(unsent_, decisions);
  grow(playing, now);
  forget_old(playing);
  return decisions;
}

void PriorityProgress::grow(Duration playing, Timestamp now) {
  const Duration passed = grown_ ? now - *grown_ : Duration::zero();
  grown_ = now;
  const Duration ahead = playing + window_ / 2;
  const Duration read = entries_.empty() ? to_ : entries_.back().due;
  if (read < ahead && !end_) return;  // the reader does not keep up, or has only begun
  bool base = true;
  bool enhancement = true;
  for (std::size_t i = 0; i < entries_.size() && entries_[i].due < ahead; ++i) {
    for (const Unit& unit : entries_[i].units) {
      if (unit.layer >= layers_) continue;
      const bool there = unit.state == State::kDelivered ||
                         (unit.state == State::kGone && entries_[i].due < playing);
      if (!there) (unit.layer == 0 ? base : enhancement) = false;
    }
  }
  if (!base) return;
  const double factor =
      std::pow(enhancement ? kGrowth : kCautiousGrowth, std::min(1.0, to_seconds(passed)));
  window_ = std::min(kLongestWindow, from_seconds(to_seconds(window_) * factor));
}

// What has been played and is over at this end goes, but for what frames to come may depend on.
void PriorityProgress::forget_old(Duration playing) {
  for (Entry& entry : entries_) {
    if (!entry.frame || entry.header == State::kWaiting || entry.header == State::kSent) continue;
    const bool over = std::ranges::all_of(entry.units, [](const Unit& u) {
      return u.state == State::kDelivered || (u.state == State::kGone && u.size == ByteCount());
    });
    if (over) entry.frame.reset();
  }
  const auto keep = static_cast<std::size_t>(kMaxReferenceDistance);
  while (entries_.size() > keep && entries_[keep].due < std::min(at_, playing) && unsent_ > keep &&
         first_missing_base_ > keep) {
    entries_.pop_front();
    ++first_;
    --first_missing_base_;
    --unsent_;
  }
}

Duration PriorityProgress::base_until() const {
  if (first_missing_base_ < entries_.size()) return entries_[first_missing_base_].due;
  return entries_.empty() ? to_ : entries_.back().due + rate_.frame_time();
}

Duration PriorityProgress::read_until() const {
  const Duration read = entries_.empty() ? at_ : entries_.back().due;
  if (queued_ >= kMaxQueued || entries_.size() >= kMaxFrames) return read - rate_.frame_time();
  return at_ + window_;
}

}  // namespace qvid::media
