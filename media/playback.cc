#include "media/playback.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace qvid::media {
Playback::Playback(FrameRate rate, int window, std::unique_ptr<Decoder> decoder,
                   std::function<void(ShownPicture)> on_picture)
    : rate_(rate),
      decoder_(std::move(decoder)),
      on_picture_(std::move(on_picture)),
      clock_(rate, window),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Playback::~Playback() = default;  // thread_ is stopped and joined first: it is the last member

void Playback::on_message(std::uint64_t position, const Payload& payload, Timestamp arrival) {
  auto message = parse_frame_message(position, payload);
  const std::lock_guard lock(mutex_);
  stats_.bytes_received += static_cast<std::int64_t>(payload.size());
  if (!first_message_) first_message_ = arrival;
  stats_.receiving = arrival - *first_message_;
  recent_bytes_.add(static_cast<std::int64_t>(payload.size()), arrival);
  if (!message) {
    ++stats_.bad_messages;
    return;
  }
  if (auto* header = std::get_if<FrameHeaderMessage>(&*message)) {
    clock_.on_header(header->due, arrival);
    assembler_.on_header(std::move(*header));
    changed_.notify_all();
  } else {
    assembler_.on_unit(std::move(std::get<UnitMessage>(*message)));
  }
}

void Playback::set_least_round_trip(Duration rtt) {
  const std::lock_guard lock(mutex_);
  least_round_trip_ = rtt;
}

PlaybackStats Playback::stats() const {
  const std::lock_guard lock(mutex_);
  PlaybackStats stats = stats_;
  const Timestamp now = steady_now();
  stats.recent_fps = recent_shown_.per_second(now);
  stats.recent_kbps = recent_bytes_.per_second(now) * 8 / 1000;
  return stats;
}

Timestamp Playback::next_event() const {
  Timestamp next = kNever;
  if (!pending_.empty()) next = clock_.show_time(pending_.front().due);
  if (const auto* header = assembler_.next_header()) {
    next = std::min(next, clock_.decode_time(header->due));
  }
  return next;
}

void Playback::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const Timestamp now = steady_now();
    show_due(lock, now);
    decode_due(lock, now);
    const Timestamp next = next_event();
    if (next <= steady_now()) continue;
    const auto sooner = [&] { return next_event() < next; };
    if (next == kNever) {
      changed_.wait(lock, stop, sooner);
    } else {
      changed_.wait_until(lock, stop, next, sooner);
    }
  }
}

void Playback::decode_due(std::unique_lock<std::mutex>& lock, Timestamp now) {
  const FrameHeaderMessage* header = assembler_.next_header();
  if (header == nullptr || clock_.decode_time(header->due) > now) return;
  const FrameNumber number = header->number;
  const Timestamp captured = header->captured;
  const Timestamp due = header->due;
  count_frame(number);
  const std::vector<ReceivedFrame> frames = assembler_.take(number);
  lock.unlock();
  std::optional<DecodedFrame> shown;
  std::vector<FrameNumber> failed;
  for (const ReceivedFrame& frame : frames) {
    auto decoded = decoder_->decode(frame);
    if (!decoded) {
      failed.push_back(frame.number);
    } else if (decoded->has_value() && frame.number == number) {
      shown = std::move(**decoded);
    }
  }
  lock.lock();
  for (const FrameNumber n : failed) {
    ++stats_.decode_errors;
    assembler_.on_decode_error(n);
  }
  // Decoded for the sake of later frames, but too late to be seen.
  const bool in_time = clock_.show_time(due) + rate_.frame_time() > steady_now();
  if (!shown || !in_time) {
    ++stats_.frames_lost;
    return;
  }
  pending_.push_back({.picture = {.decoded = std::move(*shown)}, .captured = captured, .due = due});
}

void Playback::count_frame(FrameNumber number) {
  // Frames of which not even the header came.
  if (any_taken_)
    stats_.frames_lost += std::max<std::int64_t>(0, number.value() - last_taken_.value() - 1);
  any_taken_ = true;
  last_taken_ = number;
  ++stats_.frames_due;
  stats_.units_announced += assembler_.header(number)->units;
  stats_.units_received += static_cast<std::int64_t>(assembler_.units_received(number));
}

void Playback::show_due(std::unique_lock<std::mutex>& lock, Timestamp now) {
  while (!pending_.empty() && (clock_.show_time(pending_.front().due) <= now ||
                               pending_.size() > std::size_t{kDecodeFrames} + 1)) {
    Pending pending = std::move(pending_.front());
    pending_.pop_front();
    pending.picture.delay = clock_.delay(pending.captured, now, least_round_trip_);
    count_shown(pending, now);
    lock.unlock();
    on_picture_(std::move(pending.picture));
    lock.lock();
  }
}

void Playback::count_shown(const Pending& pending, Timestamp now) {
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
}

}  // namespace qvid::media
