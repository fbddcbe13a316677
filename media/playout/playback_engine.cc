#include "media/playout/playback_engine.h"

#include <algorithm>

namespace qvid::media {
namespace {

// A sender whose due times have moved against its captures by so much has begun anew.
constexpr Duration kCaptureStep = std::chrono::seconds(1);

}  // namespace

PlaybackEngine::PlaybackEngine(FrameRate rate, int window,
                               std::optional<WindowPolicyOptions> automatic)
    : rate_(rate), clock_(rate, window), told_window_(window) {
  if (automatic) policy_.emplace(rate, window, *automatic);
}

bool PlaybackEngine::on_message(std::uint64_t position, const Payload& payload, Timestamp arrival) {
  auto message = parse_frame_message(position, payload);
  stats_.bytes_received += static_cast<std::int64_t>(payload.size());
  if (!first_message_) first_message_ = arrival;
  stats_.receiving = arrival - *first_message_;
  recent_bytes_.add(static_cast<std::int64_t>(payload.size()), arrival);
  if (!message) {
    ++stats_.bad_messages;
    return false;
  }
  if (auto* header = std::get_if<FrameHeaderMessage>(&*message)) {
    on_header(std::move(*header), arrival);
    return true;
  }
  on_unit(std::move(std::get<UnitMessage>(*message)), arrival);
  return false;
}

void PlaybackEngine::on_header(FrameHeaderMessage header, Timestamp arrival) {
  clock_.on_header(header.due, arrival);
  if (presentation_) tell_needs(header, arrival);
  assembler_.on_header(std::move(header));
}

void PlaybackEngine::tell_needs(const FrameHeaderMessage& header, Timestamp arrival) {
  const Duration after = header.due - header.captured;
  if (!due_after_capture_ || std::chrono::abs(after - *due_after_capture_) > kCaptureStep) {
    due_after_capture_ = after;
  }
  *due_after_capture_ += (after - *due_after_capture_) / 32;
  presentation_->on_picture_needs(clock_.least_lead(header.due) + *due_after_capture_, arrival);
}

void PlaybackEngine::follow_sound(Timestamp now) {
  if (!presentation_ || !due_after_capture_) return;
  const auto lag = presentation_->sound_lag(now);
  clock_.follow(lag ? std::optional(*lag - *due_after_capture_) : std::nullopt, now);
  followed_.reset();
  if (!lag) return;
  followed_ = now;
  if (!first_led_) first_led_ = now;
}

void PlaybackEngine::on_unit(UnitMessage message, Timestamp arrival) {
  const FrameNumber number = message.number;
  const bool base = message.unit.layer == 0;
  assembler_.on_unit(std::move(message), arrival);
  if (!base || !policy_ || !last_taken_ || number > *last_taken_) return;
  if (const auto* header = assembler_.header(number)) {
    policy_->on_base_late(number, clock_.needed_window(header->due, arrival));
  }
}

void PlaybackEngine::set_window(int window, Timestamp now) {
  clock_.set_window(std::clamp(window, kMinWindow, kMaxWindow), now);
}

Timestamp PlaybackEngine::next_event() const {
  Timestamp next = kNever;
  if (!pending_.empty()) next = clock_.show_time(pending_.front().due);
  if (const auto* header = assembler_.next_header()) {
    next = std::min(next, clock_.decode_time(header->due));
  }
  // Sound may make it sooner.
  if (next != kNever && followed_) next = std::min(next, *followed_ + kFollow);
  return next;
}

std::optional<PlaybackEngine::DecodeTask> PlaybackEngine::poll_decode(Timestamp now) {
  follow_sound(now);
  const FrameHeaderMessage* header = assembler_.next_header();
  if (header == nullptr || clock_.decode_time(header->due) > now) return std::nullopt;
  DecodeTask task{
      .number = header->number, .captured = header->captured, .due = header->due, .frames = {}};
  count_gap(task.number, task.due, now);
  count_base(*header, now);
  ++stats_.frames_due;
  stats_.units_announced += header->units;
  stats_.units_received += static_cast<std::int64_t>(assembler_.units_received(task.number));
  task.frames = assembler_.take(task.number);
  return task;
}

// Frames of which not even the header came. A gap that no window could have covered is an outage
// and no reason for a larger one.
void PlaybackEngine::count_gap(FrameNumber number, Timestamp due, Timestamp now) {
  const std::int64_t first = last_taken_ ? last_taken_->value() + 1 : number.value();
  last_taken_ = number;
  const std::int64_t gap = number.value() - first;
  stats_.frames_lost += gap;
  stats_.bases_due += gap;
  stats_.bases_late += gap;
  for (std::int64_t n = std::max(first, number.value() - kMaxGapRecords); n < number.value(); ++n) {
    const Timestamp reckoned = due - rate_.time_of(number.value() - n);
    if (policy_ && gap <= policy_->largest()) {
      policy_->on_base_missing(FrameNumber(n), now, clock_.window_in_effect(reckoned));
    }
    record({.number = FrameNumber(n),
            .due = reckoned,
            .shown = clock_.show_time(reckoned),
            .layer = std::nullopt});
  }
}

void PlaybackEngine::count_base(const FrameHeaderMessage& header, Timestamp now) {
  ++stats_.bases_due;
  const auto arrival = assembler_.base_arrival(header.number);
  if (!arrival) {
    ++stats_.bases_late;
    const Duration waited = clock_.needed_window(header.due, now);
    if (policy_) policy_->on_base_missing(header.number, now, waited);
    return;
  }
  const Duration needed = clock_.needed_window(header.due, *arrival);
  if (needed > clock_.window_in_effect(header.due)) ++stats_.bases_late;
  if (policy_) policy_->on_base(now, needed);
}

void PlaybackEngine::on_decoded(const DecodeTask& task, std::vector<Decoded> results,
                                Timestamp now) {
  std::optional<DecodedFrame> newest;
  for (std::size_t i = 0; i < std::min(results.size(), task.frames.size()); ++i) {
    const ReceivedFrame& frame = task.frames[i];
    Decoded& decoded = results[i];
    std::bitset<kMaxUnits> failed;
    if (!decoded) {
      for (const CodedUnit& unit : frame.units) failed.set(unit.layer);
    } else if (decoded->has_value()) {
      failed = (*decoded)->failed;
      newest = std::move(**decoded);
    }
    if (failed.none()) continue;
    ++stats_.decode_errors;
    assembler_.on_decode_error(frame.number, failed);
  }
  const Timestamp show_time = clock_.show_time(task.due);
  const bool whole = newest && newest->number == task.number;
  if (whole && now < show_time + rate_.frame_time()) {
    return show(std::move(*newest), task.captured, task.due);
  }
  ++stats_.frames_lost;
  record({.number = task.number, .due = task.due, .shown = show_time, .layer = std::nullopt});
  if (newest && starved(now)) show_late(std::move(*newest));
}

void PlaybackEngine::show(DecodedFrame frame, Timestamp captured, Timestamp due) {
  last_planned_ = frame.number;
  pending_.push_back({.picture = {.decoded = std::move(frame)}, .captured = captured, .due = due});
}

// Too late for its place, and counted as lost; but better than the one that has been standing.
void PlaybackEngine::show_late(DecodedFrame frame) {
  const FrameHeaderMessage* header = assembler_.header(frame.number);
  if (header == nullptr || (last_planned_ && frame.number <= *last_planned_)) return;
  --stats_.frames_lost;
  show(std::move(frame), header->captured, header->due);
}

bool PlaybackEngine::starved(Timestamp now) const {
  return stats_.frames_shown > 0 && pending_.empty() && now > stats_.last_shown + kStarved;
}

std::optional<ShownPicture> PlaybackEngine::poll_shown(Timestamp now) {
  follow_sound(now);
  if (pending_.empty()) return std::nullopt;
  if (clock_.show_time(pending_.front().due) > now &&
      pending_.size() <= std::size_t{kDecodeFrames} + 1) {
    return std::nullopt;
  }
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  pending.picture.delay = clock_.delay(pending.captured, now, least_round_trip_);
  count_shown(pending, now);
  return std::move(pending.picture);
}

void PlaybackEngine::count_shown(const Pending& pending, Timestamp now) {
  const Duration gap = stats_.frames_shown > 0 ? now - stats_.last_shown : Duration();
  if (stats_.frames_shown == 0) stats_.first_shown = now;
  if (gap > PlaybackStats::kFreeze) ++stats_.freezes;
  stats_.longest_gap = std::max(stats_.longest_gap, gap);
  stats_.last_shown = now;
  ++stats_.frames_shown;
  const DecodedFrame& decoded = pending.picture.decoded;
  if (decoded.layer + 1 == decoded.layers) ++stats_.shown_full;
  stats_.delay = pending.picture.delay;
  stats_.delays.add(stats_.delay);
  recent_shown_.add(1, now);
  stats_.sync_error = presentation_ ? presentation_->on_shown(pending.captured, now) : std::nullopt;
  if (stats_.sync_error && first_led_ && now - *first_led_ >= kSyncSettled) {
    stats_.sync_errors.add(std::chrono::abs(*stats_.sync_error));
  }
  record({.number = decoded.number,
          .due = pending.due,
          .shown = now,
          .layer = decoded.layer,
          .delay = stats_.delay});
}

void PlaybackEngine::record(const FrameRecord& record) {
  if (keep_records_) records_.push_back(record);
}

std::optional<int> PlaybackEngine::take_wanted_window() {
  if (!policy_ || !last_taken_ || policy_->wanted() == told_window_) return std::nullopt;
  return told_window_ = policy_->wanted();
}

PlaybackStats PlaybackEngine::stats(Timestamp now) const {
  PlaybackStats stats = stats_;
  stats.recent_fps = recent_shown_.per_second(now);
  stats.recent_kbps = recent_bytes_.per_second(now) * 8 / 1000;
  stats.drift_ppm = clock_.drift_ppm();
  stats.clock_steps = clock_.steps();
  stats.window = clock_.window();
  if (policy_) stats.window_reason = policy_->reason();
  return stats;
}

}  // namespace qvid::media
