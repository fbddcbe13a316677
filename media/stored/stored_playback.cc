#include "media/stored/stored_playback.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace qvid::media {

StoredPlayback::StoredPlayback(FrameRate rate, std::string codec, Callbacks callbacks,
                               std::shared_ptr<PlayClock> clock, DecoderMaker decoders)
    : rate_(rate),
      codec_(std::move(codec)),
      callbacks_(std::move(callbacks)),
      clock_(std::move(clock)),
      decoders_(std::move(decoders)),
      playout_(rate, steady_now()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

StoredPlayback::~StoredPlayback() = default;  // thread_ is joined first: it is the last member

// A word of the viewer or the sender, of which clock and thread are to hear.
template <class F>
void StoredPlayback::change(F f) {
  const std::lock_guard lock(mutex_);
  f();
  tell_clock();
  news_ = true;
  changed_.notify_all();
}

void StoredPlayback::seek(Duration to, Timestamp now) {
  change([&] { playout_.seek(to, now); });
}

void StoredPlayback::begin(Duration to, Timestamp now) {
  change([&] { playout_.begin(to, now); });
}

void StoredPlayback::end(Timestamp now) {
  change([&] { playout_.on_end(now); });
}

void StoredPlayback::pause(bool on, Timestamp now) {
  change([&] {
    if (on) {
      playout_.pause(now);
    } else {
      playout_.play(now);
    }
  });
}

void StoredPlayback::set_speed(double speed, Timestamp now) {
  change([&] { playout_.set_speed(speed, now); });
}

void StoredPlayback::on_message(std::uint64_t position, const Payload& payload, Timestamp arrival) {
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
  const Timestamp before = playout_.next_event();
  const bool ran = playout_.runs();
  playout_.on_message(*std::move(message), arrival);
  if (playout_.runs() != ran) tell_clock();
  // What comes far ahead of its time need not wake the thread.
  if (ran && playout_.runs() && playout_.next_event() == before) return;
  news_ = true;
  changed_.notify_all();
}

StoredPlaybackStats StoredPlayback::stats() const {
  const std::lock_guard lock(mutex_);
  const Timestamp now = steady_now();
  StoredPlaybackStats s;
  s.frames = stats_;
  s.frames.recent_fps = recent_shown_.per_second(now);
  s.frames.recent_kbps = recent_bytes_.per_second(now) * 8 / 1000;
  s.measures = playout_.measures().summary(now);
  s.state = playout_.state();
  s.place = playout_.place(now);
  s.buffered = playout_.buffered(now);
  s.paused = playout_.is_paused();
  s.runs = playout_.runs();
  s.speed = playout_.speed();
  s.layer = layer_;
  s.layers = layers_;
  return s;
}

Timestamp StoredPlayback::next_event() const {
  const Timestamp next = playout_.next_event();
  if (pending_.empty()) return next;
  return std::min(next, playout_.show_time(pending_.front().task.due));
}

void StoredPlayback::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    news_ = false;
    const bool shown = show(lock);
    const bool decoded = pending_.size() < kMaxPending && decode(lock);
    tell_change(lock);
    if (shown || decoded || news_) continue;
    const Timestamp next = pending_.size() < kMaxPending
                               ? next_event()
                               : playout_.show_time(pending_.front().task.due);
    const auto sooner = [&] { return news_; };
    if (next == kNever) {
      changed_.wait(lock, stop, sooner);
    } else {
      changed_.wait_until(lock, stop, next, sooner);
    }
  }
}

bool StoredPlayback::decode(std::unique_lock<std::mutex>& lock) {
  auto task = playout_.next_task(steady_now());
  if (!task) return false;
  const std::int64_t epoch = playout_.seek_epoch();
  count(*task);
  lock.unlock();
  if (std::exchange(decoder_epoch_, epoch) != epoch) {
    auto decoder = decoders_(codec_);
    decoder_ = decoder ? std::move(*decoder) : nullptr;
  }
  std::optional<DecodedFrame> decoded;
  std::vector<FrameNumber> failed;
  for (const ReceivedFrame& frame : task->frames) {
    auto picture = decoder_ ? decoder_->decode(frame) : Error{"there is no decoder"};
    if (!picture) {
      failed.push_back(frame.number);
    } else if (picture->has_value() && frame.number == task->number) {
      decoded = std::move(**picture);
    }
  }
  task->frames.clear();
  lock.lock();
  if (epoch != playout_.seek_epoch()) return true;  // the viewer has gone elsewhere
  for (const FrameNumber number : failed) {
    ++stats_.decode_errors;
    playout_.on_decode_error(number);
  }
  if (!decoded) {
    if (!task->again) {
      ++stats_.frames_lost;
      playout_.on_lost();
    }
    return true;
  }
  if (pending_epoch_ != epoch) pending_.clear();
  pending_epoch_ = epoch;
  pending_.push_back({std::move(*decoded), std::move(*task)});
  return true;
}

void StoredPlayback::count(const StoredPlayout::Task& task) {
  if (task.again) return;
  stats_.frames_lost += task.lost;
  ++stats_.frames_due;
  stats_.units_announced += task.announced;
  stats_.units_received += task.received;
}

bool StoredPlayback::show(std::unique_lock<std::mutex>& lock) {
  const Timestamp now = steady_now();
  if (pending_epoch_ != playout_.seek_epoch()) pending_.clear();
  if (pending_.empty() || playout_.show_time(pending_.front().task.due) > now) return false;
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  count_shown(pending, now);
  lock.unlock();
  callbacks_.picture({.decoded = std::move(pending.decoded), .delay = {}});
  lock.lock();
  return true;
}

void StoredPlayback::count_shown(const Pending& pending, Timestamp now) {
  layer_ = pending.decoded.layer;
  layers_ = pending.decoded.layers;
  playout_.on_shown(pending.task, layer_, now);
  if (pending.task.again) return;
  if (clock_) clock_->on_shown(pending.task.due, now);
  // A pause or a seek is no freeze of the picture: what stands still is told by the measures.
  const Duration gap =
      stats_.frames_shown > 0 && playout_.runs() ? now - stats_.last_shown : Duration::zero();
  if (stats_.frames_shown == 0) stats_.first_shown = now;
  stats_.longest_gap = std::max(stats_.longest_gap, gap);
  stats_.last_shown = now;
  ++stats_.frames_shown;
  if (layer_ + 1 == layers_) ++stats_.shown_full;
  recent_shown_.add(1, now);
}

void StoredPlayback::tell_clock() {
  if (!clock_) return;
  if (!playout_.runs()) return clock_->stand();
  const Timestamp now = steady_now();
  clock_->run(playout_.place(now), now, playout_.speed());
}

void StoredPlayback::tell_change(std::unique_lock<std::mutex>& lock) {
  tell_clock();
  const bool same = told_state_ == playout_.state() && told_runs_ == playout_.runs();
  told_state_ = playout_.state();
  told_runs_ = playout_.runs();
  if (same) return;
  lock.unlock();
  callbacks_.change();
  lock.lock();
}

}  // namespace qvid::media
