#include "media/playout/playback.h"

#include <utility>
#include <vector>

#include "base/clock.h"

namespace qvid::media {
Playback::Playback(FrameRate rate, int window, std::unique_ptr<Decoder> decoder,
                   std::function<void(ShownPicture)> on_picture, PlaybackExtras extras)
    : decoder_(std::move(decoder)),
      on_picture_(std::move(on_picture)),
      extras_(std::move(extras)),
      engine_(rate, window, extras_.playout) {
  engine_.keep_records(extras_.on_frame_record != nullptr);
  engine_.present_with(extras_.presentation);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Playback::~Playback() {
  thread_.request_stop();
  thread_.join();
  if (extras_.presentation) extras_.presentation->on_picture_ended();
}

void Playback::on_message(std::uint64_t position, const Payload& payload, Timestamp arrival) {
  const std::lock_guard lock(mutex_);
  if (engine_.on_message(position, payload, arrival)) changed_.notify_all();
}

void Playback::set_least_round_trip(Duration rtt) {
  const std::lock_guard lock(mutex_);
  engine_.set_least_round_trip(rtt);
}

PlaybackStats Playback::stats() const {
  const std::lock_guard lock(mutex_);
  return engine_.stats(steady_now());
}

void Playback::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const Timestamp now = steady_now();
    show_due(lock, now);
    decode_due(lock, now);
    tell_records(lock);
    const Timestamp next = engine_.next_event();
    if (next <= steady_now()) continue;
    const auto sooner = [&] { return engine_.next_event() < next; };
    if (next == kNever) {
      changed_.wait(lock, stop, sooner);
    } else {
      changed_.wait_until(lock, stop, next, sooner);
    }
  }
}

void Playback::show_due(std::unique_lock<std::mutex>& lock, Timestamp now) {
  while (auto picture = engine_.poll_shown(now)) {
    lock.unlock();
    on_picture_(std::move(*picture));
    lock.lock();
  }
}

void Playback::decode_due(std::unique_lock<std::mutex>& lock, Timestamp now) {
  const auto task = engine_.poll_decode(now);
  if (!task) return;
  lock.unlock();
  std::vector<PlaybackEngine::Decoded> results;
  for (const ReceivedFrame& frame : task->frames) results.push_back(decoder_->decode(frame));
  lock.lock();
  engine_.on_decoded(*task, std::move(results), steady_now());
}

void Playback::tell_records(std::unique_lock<std::mutex>& lock) {
  const std::vector<FrameRecord> records = engine_.take_records();
  if (records.empty()) return;
  lock.unlock();
  for (const FrameRecord& record : records) extras_.on_frame_record(record);
  lock.lock();
}

}  // namespace qvid::media
