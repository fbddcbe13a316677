#include "media/playout/playback_engine.h"

#include <algorithm>

#include "media/unit/timeline_frames.h"

namespace qvid::media {
namespace {

// A capture time that is further from when the frame left is none.
constexpr Duration kMostCaptureDistance = std::chrono::seconds(1);
// Slower or faster by this is not seen. Early, a gap that was seen is made good twice as fast.
constexpr double kEarlySlew = 0.1;
constexpr double kEvenSlew = 0.05;

}  // namespace

PlaybackEngine::PlaybackEngine(FrameRate rate, int window, PlayoutMode mode)
    : rate_(rate),
      delay_(rate, mode, window),
      clock_(rate, mode == PlayoutMode::kEarly ? kEarlySlew : kEvenSlew) {
  clock_.set_target(delay_.target(), delay_.most(), {});
}

bool PlaybackEngine::on_message(std::uint64_t position, const Payload& payload, Timestamp arrival) {
  auto message = parse_frame_message(position, payload);
  stats_.bytes_received += static_cast<std::int64_t>(payload.size());
  on_arrival(arrival);
  stats_.receiving = arrival - *first_message_;
  recent_bytes_.add(static_cast<std::int64_t>(payload.size()), arrival);
  if (!message) {
    ++stats_.bad_messages;
    return false;
  }
  if (auto* header = std::get_if<FrameHeaderMessage>(&*message)) {
    return on_header(std::move(*header), arrival);
  }
  return on_unit(std::get<UnitMessage>(*message), arrival);
}

void PlaybackEngine::on_arrival(Timestamp now) {
  if (!first_message_) first_message_ = last_message_ = now;
  const bool outage = now - std::exchange(last_message_, now) > delay_.most();
  // A clock that was set back leaves no outage in the future.
  outage_until_ = outage ? now : std::min(outage_until_, now);
  const Duration missed = std::exchange(missed_, Duration());
  if (!outage && missed > Duration()) delay_.on_base(missed, now);
}

void PlaybackEngine::on_stood(Timestamp now) {
  outage_until_ = now;
  missed_ = {};
}

// It would have been here before an outage was over, and was not.
bool PlaybackEngine::cut_off(Timestamp captured) const {
  return clock_.least_arrival(captured) < outage_until_;
}

bool PlaybackEngine::on_header(FrameHeaderMessage header, Timestamp arrival) {
  if (std::chrono::abs(header.due - header.captured) > kMostCaptureDistance) {
    header.captured = header.due;
  }
  const FrameNumber number = header.number;
  delay_.on_offset_risen(clock_.on_header(header.captured, header.due, arrival));
  assembler_.on_header(std::move(header));
  // Units that came before it.
  if (const auto* kept = assembler_.header(number)) {
    for (std::uint8_t layer = 0; layer < kept->units; ++layer) {
      if (assembler_.came(number, layer)) note_need(*kept, layer, arrival);
    }
  }
  follow_target(arrival);
  return true;
}

bool PlaybackEngine::on_unit(const UnitMessage& message, Timestamp arrival) {
  assembler_.on_unit(message, arrival);
  const auto* header = assembler_.header(message.number);
  if (header == nullptr) return false;
  note_need(*header, message.unit.layer, arrival);
  follow_target(arrival);
  return message.unit.layer == 0 || assembler_.complete(message.number);
}

void PlaybackEngine::note_need(const FrameHeaderMessage& header, std::uint8_t layer,
                               Timestamp arrival) {
  if (cut_off(header.captured)) return;
  const Duration need = clock_.need(header.captured, arrival);
  if (layer == 0) delay_.on_base(need, arrival);
  if (layer + 1 == header.units) delay_.on_whole(need, arrival);
}

void PlaybackEngine::follow_target(Timestamp now) {
  clock_.set_target(delay_.target(), delay_.most(), now);
  const auto* next = assembler_.next_header();
  if (presentation_ && next != nullptr) {
    presentation_->on_picture_needs(clock_.least_lead(next->captured), now);
  }
}

void PlaybackEngine::follow_sound(Timestamp now) {
  if (!presentation_ || !clock_.started()) return;
  const auto lag = presentation_->sound_lag(now);
  clock_.follow(lag, now);
  followed_.reset();
  if (!lag) return;
  followed_ = now;
  if (!first_led_) first_led_ = now;
}

// Later nothing of it comes: the sender has given it up.
Timestamp PlaybackEngine::deadline(Timestamp captured) const {
  return clock_.least_arrival(captured) + delay_.most() + rate_.frame_time();
}

// A picture that is shown with all layers is rather a few milliseconds late than coarse for once,
// which would be seen as a flicker.
Timestamp PlaybackEngine::latest_decode_time(const FrameHeaderMessage& header) const {
  const Duration patience = sharp_ && is_early() ? rate_.frame_time() / 4 : Duration();
  return show_time(header) - delay_.decoding() + patience;
}

bool PlaybackEngine::ends_gap(const FrameHeaderMessage& header) const {
  return is_early() && pending_.empty() && last_planned_ && header.number > last_planned_->next();
}

Timestamp PlaybackEngine::show_time(const FrameHeaderMessage& header) const {
  const Timestamp planned = clock_.show_time(header.captured);
  if (!ends_gap(header)) return planned;
  return std::min(planned, std::max(clock_.goal_time(header.captured), stood_at()));
}

Timestamp PlaybackEngine::decode_time(const FrameHeaderMessage& header) const {
  const Timestamp latest = latest_decode_time(header);
  if (!assembler_.showable(header.number)) {
    if (delay_.mode() == PlayoutMode::kFixed) return latest;
    // While nothing is known of a newer one it is not too late: where the picture has stood, it is
    // shown.
    if (assembler_.header_after(header.number) == nullptr) return kNever;
    return std::max(latest, deadline(header.captured));
  }
  const bool next = !last_taken_ || header.number == last_taken_->next();
  if (!next || !assembler_.complete(header.number)) return latest;
  return std::min(latest, show_time(header) - rate_.time_of(kDecodeFrames));
}

// The first whose time has come; of several that are later than the deadline, as behind a decoder
// that is too slow, the newest.
const FrameHeaderMessage* PlaybackEngine::next_to_decode(Timestamp now) const {
  const FrameHeaderMessage* header = assembler_.next_header();
  while (header != nullptr && decode_time(*header) > now) {
    // What is behind it is later.
    if (assembler_.showable(header->number)) return nullptr;
    header = assembler_.header_after(header->number);
  }
  while (header != nullptr && deadline(header->captured) < now) {
    const FrameHeaderMessage* later = assembler_.header_after(header->number);
    if (later == nullptr || decode_time(*later) > now) break;
    header = later;
  }
  return header;
}

Timestamp PlaybackEngine::next_event() const {
  Timestamp next = kNever;
  if (!pending_.empty()) next = clock_.show_time(pending_.front().captured);
  for (const auto* header = assembler_.next_header(); header != nullptr;
       header = assembler_.header_after(header->number)) {
    next = std::min(next, decode_time(*header));
    // What is behind it is later.
    if (assembler_.showable(header->number)) break;
  }
  // Sound may make it sooner.
  if (next != kNever && followed_) next = std::min(next, *followed_ + kFollow);
  return next;
}

std::optional<PlaybackEngine::DecodeTask> PlaybackEngine::poll_decode(Timestamp now) {
  follow_sound(now);
  const FrameHeaderMessage* header = next_to_decode(now);
  if (header == nullptr) return std::nullopt;
  if (ends_gap(*header) && now >= stood_at() - delay_.decoding()) {
    clock_.on_gap_ends(header->captured);
  }
  DecodeTask task{
      .number = header->number, .captured = header->captured, .began = now, .frames = {}};
  count_gap(task.number, task.captured);
  count_base(*header, now);
  ++stats_.frames_due;
  stats_.units_announced += header->units;
  stats_.units_received += static_cast<std::int64_t>(assembler_.units_received(task.number));
  task.frames = assembler_.take(task.number);
  return task;
}

// Frames that are passed over, as those of which not even the header came.
void PlaybackEngine::count_gap(FrameNumber number, Timestamp captured) {
  const std::int64_t first = last_taken_ ? last_taken_->value() + 1 : number.value();
  last_taken_ = number;
  const std::int64_t gap = number.value() - first;
  stats_.frames_lost += gap;
  stats_.bases_due += gap;
  stats_.bases_late += gap;
  for (std::int64_t n = std::max(first, number.value() - kMaxGapRecords); n < number.value(); ++n) {
    const Timestamp reckoned = captured - rate_.time_of(number.value() - n);
    record({.number = FrameNumber(n),
            .captured = reckoned,
            .shown = clock_.show_time(reckoned),
            .layer = std::nullopt});
  }
}

void PlaybackEngine::count_base(const FrameHeaderMessage& header, Timestamp now) {
  ++stats_.bases_due;
  const auto arrival = assembler_.base_arrival(header.number);
  if (!arrival || *arrival > latest_decode_time(header)) ++stats_.bases_late;
  if (arrival || cut_off(header.captured)) return;
  // As late as that already, and perhaps later; but whether there is an outage is not known yet.
  missed_ = std::max(missed_, clock_.need(header.captured, now));
}

Duration PlaybackEngine::bearable_lateness() const {
  if (clock_.follows()) return 2 * PlayoutClock::kLipSlack;
  return delay_.mode() == PlayoutMode::kFixed ? rate_.frame_time() : Duration::max();
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
  delay_.on_decoded(now - task.began, now);
  follow_target(now);
  const Timestamp show_time = clock_.show_time(task.captured);
  const bool of_this = newest && newest->number == task.number;
  const bool bearable = now - show_time < bearable_lateness() || starved(now);
  if (newest && bearable && show(std::move(*newest), now) && of_this) return;
  ++stats_.frames_lost;
  record({.number = task.number,
          .captured = task.captured,
          .shown = show_time,
          .layer = std::nullopt});
}

// True: it is newer than what is shown, and will be.
bool PlaybackEngine::show(DecodedFrame frame, Timestamp now) {
  const FrameHeaderMessage* header = assembler_.header(frame.number);
  if (header == nullptr || (last_planned_ && frame.number <= *last_planned_)) return false;
  if (frame.number != *last_taken_) --stats_.frames_lost;  // one before, which was counted as that
  last_planned_ = frame.number;
  const Timestamp captured = header->captured;
  const bool late = now > clock_.show_time(captured);
  if (late && !clock_.follows() && !cut_off(captured)) clock_.on_shown_late(captured, now);
  pending_.push_back({.picture = {.decoded = std::move(frame)}, .captured = captured});
  return true;
}

bool PlaybackEngine::starved(Timestamp now) const {
  return stats_.frames_shown > 0 && pending_.empty() && now > stood_at();
}

std::optional<ShownPicture> PlaybackEngine::poll_shown(Timestamp now) {
  follow_sound(now);
  if (pending_.empty()) return std::nullopt;
  if (clock_.show_time(pending_.front().captured) > now && pending_.size() <= kMostPending) {
    return std::nullopt;
  }
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  pending.picture.delay = clock_.delay(pending.captured, now, least_round_trip_);
  count_shown(pending, now);
  return std::move(pending.picture);
}

void PlaybackEngine::count_shown(const Pending& pending, Timestamp now) {
  if (stats_.frames_shown == 0) {
    stats_.first_shown = now;
  } else {
    const Duration gap = now - stats_.last_shown;
    stats_.intervals.add(gap);
    stats_.longest_gap = std::max(stats_.longest_gap, gap);
    if (gap > PlaybackStats::kFreeze) ++stats_.freezes;
  }
  stats_.last_shown = now;
  ++stats_.frames_shown;
  const DecodedFrame& decoded = pending.picture.decoded;
  sharp_ = decoded.layer + 1 == decoded.layers;
  if (sharp_) ++stats_.shown_full;
  stats_.delay = pending.picture.delay;
  stats_.delays.add(stats_.delay);
  stats_.playout = clock_.in_effect(pending.captured);
  recent_shown_.add(1, now);
  stats_.sync_error = presentation_ ? presentation_->on_shown(pending.captured, now) : std::nullopt;
  if (stats_.sync_error && first_led_ && now - *first_led_ >= kSyncSettled) {
    stats_.sync_errors.add(std::chrono::abs(*stats_.sync_error));
  }
  record({.number = decoded.number,
          .captured = pending.captured,
          .shown = now,
          .layer = decoded.layer,
          .delay = stats_.delay});
}

void PlaybackEngine::record(const FrameRecord& record) {
  if (keep_records_) records_.push_back(record);
}

PlaybackStats PlaybackEngine::stats(Timestamp now) const {
  PlaybackStats stats = stats_;
  stats.recent_fps = recent_shown_.per_second(now);
  stats.recent_kbps = recent_bytes_.per_second(now) * 8 / 1000;
  stats.drift_ppm = clock_.drift_ppm();
  stats.clock_steps = clock_.steps();
  stats.base_need = delay_.base_need();
  stats.whole_need = delay_.whole_need();
  return stats;
}

}  // namespace qvid::media
