#include "media/live_in.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace qvid::media {
namespace {

// Pause before a lost or missing device is tried again.
constexpr Duration kFirstRetry = std::chrono::seconds(1);
constexpr Duration kLastRetry = std::chrono::seconds(5);

}  // namespace

LiveInStats& LiveInStats::operator+=(const LiveInStats& o) {
  const double time = encode_ms * static_cast<double>(frames_encoded) +
                      o.encode_ms * static_cast<double>(o.frames_encoded);
  frames_encoded += o.frames_encoded;
  frames_duplicated += o.frames_duplicated;
  frames_dropped += o.frames_dropped;
  places_skipped += o.places_skipped;
  bytes_encoded += o.bytes_encoded;
  encode_ms = frames_encoded > 0 ? time / static_cast<double>(frames_encoded) : 0.0;
  return *this;
}

LiveIn::LiveIn(LiveInOptions options, Callbacks callbacks)
    : options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      pacer_(options_.source_options.rate),
      capture_thread_([this](const std::stop_token& stop) { capture(stop); }),
      encode_thread_([this](const std::stop_token& stop) { encode(stop); }) {}

LiveIn::~LiveIn() { request_stop(); }  // the threads are joined by their destructors

void LiveIn::request_stop() {
  capture_thread_.request_stop();
  encode_thread_.request_stop();
}

void LiveIn::request_sync_point() { sync_wanted_ = true; }

LiveInStats LiveIn::stats() const {
  const std::lock_guard lock(mutex_);
  LiveInStats stats = stats_;
  stats.frames_duplicated = pacer_.duplicated();
  stats.frames_dropped = pacer_.dropped();
  stats.places_skipped = pacer_.skipped();
  return stats;
}

void LiveIn::capture(const std::stop_token& stop) {
  const bool is_file = options_.source.kind == SourceSpec::Kind::kFile;
  Duration retry = kFirstRetry;
  std::string why;
  while (!stop.stop_requested()) {
    auto source = open_source(options_.source, options_.source_options, stop);
    if (source) {
      callbacks_.status({.ok = true, .text = (*source)->description()});
      retry = kFirstRetry;
      why = pump(**source, stop);
      if (why.empty()) why = "the end of " + options_.source.text();
      if (is_file || stop.stop_requested()) break;
      const std::lock_guard lock(mutex_);
      pacer_.pause();
    } else {
      why = source.error().message;
      if (is_file) break;
    }
    callbacks_.status({.ok = false, .text = why + "; trying again"});
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, retry, [] { return false; });
    retry = std::min(retry * 2, kLastRetry);
  }
  const std::lock_guard lock(mutex_);
  finished_ = stop.stop_requested() ? "stopped" : why;
  capture_done_ = true;
  changed_.notify_all();
}

std::string LiveIn::pump(VideoSource& source, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto got = source.read(stop);
    if (!got) return got.error().message;
    if (std::holds_alternative<EndOfStream>(*got)) return {};
    const std::lock_guard lock(mutex_);
    pacer_.offer(std::move(std::get<VideoFrame>(*got)), steady_now());
    changed_.notify_all();
  }
  return {};
}

void LiveIn::encode(const std::stop_token& stop) {
  std::string reason;
  while (reason.empty()) {
    std::optional<FramePacer::Paced> paced;
    {
      std::unique_lock lock(mutex_);
      const auto over = [&] { return capture_done_ && !pacer_.waiting(); };
      if (stop.stop_requested() || over()) break;
      const Timestamp next = pacer_.next_event();
      const Timestamp now = steady_now();
      if (next > now) {
        const auto something = [&] { return over() || pacer_.next_event() != next; };
        if (next == kNever) {
          changed_.wait(lock, stop, something);
        } else {
          changed_.wait_until(lock, stop, next, something);
        }
        continue;
      }
      paced = pacer_.poll(now);
    }
    if (paced) reason = encode_one(std::move(*paced));
  }
  capture_thread_.request_stop();
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return capture_done_; });
    if (reason.empty()) reason = finished_;
  }
  callbacks_.ended(reason);
}

std::string LiveIn::encode_one(FramePacer::Paced paced) {
  if (!encoder_ || encoder_size_ != paced.frame.size) {
    auto made = make_encoder(options_.codec, {.size = paced.frame.size,
                                              .rate = options_.source_options.rate,
                                              .bitrate = options_.bitrate,
                                              .gop = options_.gop});
    if (!made) return made.error().message;
    encoder_ = std::move(*made);
    encoder_size_ = paced.frame.size;
  }
  if (sync_wanted_.exchange(false)) encoder_->request_sync_point();
  const Timestamp began = steady_now();
  auto coded = encoder_->encode(paced.frame, paced.number);
  if (!coded) return coded.error().message;
  const double took = to_ms(steady_now() - began);
  coded->captured = paced.frame.captured;
  coded->due = paced.due;
  const auto wire = std::make_shared<const WireFrame>(serialise(std::move(*coded)));
  std::int64_t bytes = static_cast<std::int64_t>(wire->header.size());
  for (const Payload& unit : wire->units) bytes += static_cast<std::int64_t>(unit.size());
  {
    const std::lock_guard lock(mutex_);
    ++stats_.frames_encoded;
    stats_.bytes_encoded += bytes;
    stats_.encode_ms += (took - stats_.encode_ms) / static_cast<double>(stats_.frames_encoded);
  }
  callbacks_.frame(wire);
  return {};
}

}  // namespace qvid::media
