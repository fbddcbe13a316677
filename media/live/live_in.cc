#include "media/live/live_in.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "media/picture/frame_scaler.h"
#include "media/source/wayland_session.h"
#include "media/unit/timeline_frames.h"

namespace qvid::media {
namespace {

// Pause before a lost or missing device is tried again.
constexpr Duration kFirstRetry = std::chrono::seconds(1);
constexpr Duration kLastRetry = std::chrono::seconds(5);

// Where each loss is told, key frames are made on demand. What nobody has told of (a receiver that
// could not decode) is mended by then: a minute at 30 frames a second. A key frame on a narrow link
// makes the picture coarse for some seconds: every 10 s they cost a webcam at 100 kbit/s 1.9 dB.
constexpr int kInformedGop = kMaxGop;

// Of a frame's load in the mean: about a second at 30 frames a second.
constexpr double kLoadWeight = 1.0 / 16;

// Frames must come so much more seldom or often for the encoder to be told.
constexpr double kNotableSlowness = 0.1;

// One frame in `places` frame times; to the nearest where the bounds of FrameRate are met.
FrameRate divided(FrameRate rate, int places) {
  if (rate.denominator <= FrameRate::kMaxDenominator / places) {
    rate.denominator *= places;
  } else {
    rate.numerator = std::max(1, rate.numerator / places);
  }
  return rate;
}

}  // namespace

LiveInStats& LiveInStats::operator+=(const LiveInStats& o) {
  const double time = encode_ms * static_cast<double>(frames_encoded) +
                      o.encode_ms * static_cast<double>(o.frames_encoded);
  frames_encoded += o.frames_encoded;
  frames_dropped += o.frames_dropped;
  frames_skipped += o.frames_skipped;
  frames_held += o.frames_held;
  bytes_encoded += o.bytes_encoded;
  encode_ms = frames_encoded > 0 ? time / static_cast<double>(frames_encoded) : 0.0;
  if (o.level > level || frames_per_second == 0.0) {
    size = o.size;
    load = o.load;
    frames_per_second = o.frames_per_second;
    level = o.level;
  }
  return *this;
}

LiveIn::LiveIn(LiveInOptions options, Callbacks callbacks)
    : options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      pacer_(options_.source_options.rate),
      codec_(options_.codec),
      scaler_(std::make_unique<FrameScaler>()),
      policy_(options_.source_options.rate, options_.prefer),
      capture_thread_([this](const std::stop_token& stop) { capture(stop); }),
      encode_thread_([this](const std::stop_token& stop) { encode(stop); }) {}

LiveIn::~LiveIn() { request_stop(); }  // the threads are joined by their destructors

void LiveIn::request_stop() {
  capture_thread_.request_stop();
  encode_thread_.request_stop();
}

void LiveIn::request_sync_point() {
  const std::lock_guard lock(mutex_);
  wishes_.sync.fill(true);
}

void LiveIn::request_sync_point(std::uint8_t layer) {
  if (layer >= kMaxUnits) return;
  const std::lock_guard lock(mutex_);
  wishes_.sync[layer] = true;
}

void LiveIn::expect_newcomers() {
  const std::lock_guard lock(mutex_);
  wishes_.newcomers = true;
}

void LiveIn::on_lost(FrameNumber frame, std::uint8_t layer) {
  if (layer >= kMaxUnits) return;
  const std::lock_guard lock(mutex_);
  if (wishes_.losses.size() < kMaxLosses) {
    wishes_.losses.push_back({frame, layer});
  } else {
    wishes_.sync_next[layer] = true;
  }
}

void LiveIn::set_rates(DataRate total, DataRate base) {
  const std::lock_guard lock(mutex_);
  rates_ = Rates{total, base};
  rates_or_base_changed_ = true;
}

void LiveIn::set_base_needed(bool needed) {
  const std::lock_guard lock(mutex_);
  base_needed_ = needed;
  rates_or_base_changed_ = true;
}

void LiveIn::set_informed(bool informed) {
  const std::lock_guard lock(mutex_);
  informed_ = informed;
}

void LiveIn::set_encoding(bool on) {
  const std::lock_guard lock(mutex_);
  if (on == encoding_) return;
  encoding_ = on;
  pacer_.pause();
  wishes_.sync_next.fill(on);
  changed_.notify_all();
}

void LiveIn::hold_back(bool on) {
  const std::lock_guard lock(mutex_);
  pacer_.hold_back(on);
  changed_.notify_all();
}

void LiveIn::freeze(bool on) {
  const std::lock_guard lock(mutex_);
  frozen_ = on;
}

void LiveIn::set_codec(std::string codec) {
  const std::lock_guard lock(mutex_);
  codec_ = std::move(codec);
}

void LiveIn::set_lines(std::optional<int> lines) {
  const std::lock_guard lock(mutex_);
  needed_.set(lines);
}

LiveInStats LiveIn::stats() const {
  const std::lock_guard lock(mutex_);
  LiveInStats stats = stats_;
  stats.frames_dropped = pacer_.dropped();
  stats.frames_skipped = pacer_.skipped();
  stats.frames_held = pacer_.held();
  return stats;
}

void LiveIn::capture(const std::stop_token& stop) {
  // A file does not come back, and who was asked for a screen is not asked again and again.
  const bool is_asked_for = is_chosen_on_desktop(options_.source);
  const bool once = options_.source.kind == SourceSpec::Kind::kFile || is_asked_for;
  Duration retry = kFirstRetry;
  std::string why;
  while (!stop.stop_requested()) {
    auto source = open_source(options_.source, options_.source_options, stop);
    if (source) {
      callbacks_.status({.ok = true, .text = (*source)->description()});
      retry = kFirstRetry;
      why = pump(**source, stop);
      if (why.empty()) why = "the end of " + options_.source.text();
      if (once || stop.stop_requested()) break;
      const std::lock_guard lock(mutex_);
      pacer_.pause();
    } else {
      why = source.error().message;
      if (once) break;
    }
    callbacks_.status({.ok = false, .text = why + "; trying again", .why = why});
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, retry, [] { return false; });
    retry = std::min(retry * 2, kLastRetry);
  }
  if (is_asked_for && !stop.stop_requested())
    callbacks_.status({.ok = false, .text = why, .why = why});
  const std::lock_guard lock(mutex_);
  finished_ = stop.stop_requested() ? "stopped" : why;
  capture_done_ = true;
  changed_.notify_all();
}

VideoFrame LiveIn::shown(VideoFrame picture) {
  {
    const std::lock_guard lock(mutex_);
    if (!frozen_) {
      still_.reset();
      return picture;
    }
  }
  if (!still_) still_ = picture;
  const Timestamp captured = picture.captured;
  picture = *still_;
  picture.captured = captured;
  return picture;
}

std::string LiveIn::pump(VideoSource& source, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto got = source.read(stop);
    if (!got) return got.error().message;
    if (std::holds_alternative<EndOfStream>(*got)) return {};
    VideoFrame picture = shown(std::get<VideoFrame>(std::move(*got)));
    if (callbacks_.picture) callbacks_.picture(picture);
    const std::lock_guard lock(mutex_);
    if (!encoding_) continue;
    pacer_.offer(std::move(picture), steady_now());
    changed_.notify_all();
  }
  return {};
}

void LiveIn::encode(const std::stop_token& stop) {
  std::string reason;
  while (reason.empty()) {
    std::optional<FramePacer::Paced> paced;
    bool skipped = false;
    double slowness = 1;
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
      skipped = std::exchange(skipped_, pacer_.skipped()) != pacer_.skipped();
      slowness = pacer_.slowness();
    }
    if (paced) reason = encode_one(std::move(*paced), skipped, slowness);
  }
  capture_thread_.request_stop();
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return capture_done_; });
    if (reason.empty()) reason = finished_;
  }
  callbacks_.ended(reason);
}

std::optional<Error> LiveIn::prepare_encoder(PictureSize source) {
  const std::size_t level = policy_.level();
  const int places = policy_.at(level).places_per_frame;
  const bool same_rate = policy_.at(encoder_level_).places_per_frame == places;
  std::string codec;
  double needed = 1;
  {
    const std::lock_guard lock(mutex_);
    codec = codec_;
    needed = needed_.scale(source, steady_now());
  }
  const PictureSize scaled = scaled_size(source, std::min(policy_.at(level).scale, needed));
  if (encoder_ && encoder_codec_ == codec && encoder_size_ == scaled && same_rate) {
    return std::nullopt;
  }
  const FrameRate rate = divided(options_.source_options.rate, places);
  auto made = options_.make_encoder(codec, {.size = scaled,
                                            .rate = rate,
                                            .bitrate = options_.bitrate,
                                            .gop = std::max(1, options_.gop / places),
                                            .layers = options_.layers});
  if (!made) return made.error();
  encoder_ = std::move(*made);
  encoder_codec_ = std::move(codec);
  encoder_size_ = scaled;
  encoder_level_ = level;
  std::string limit;
  if (level > 0 && (scaled != scaled_size(source, needed) || places > 1)) {
    limit = describe_limit(scaled, rate.per_second(), policy_.overload());
  }
  {
    const std::lock_guard lock(mutex_);
    rates_or_base_changed_ = rates_ || base_needed_;
    stats_.size = scaled;
    stats_.frames_per_second = rate.per_second();
    stats_.level = level;
    stats_.load = 0.0;
  }
  if (limit != limit_ && callbacks_.limited) callbacks_.limited(limit);
  limit_ = std::move(limit);
  return std::nullopt;
}

// The encoder counts frames: of a source that is slower than the rate each may take more.
void LiveIn::tell_encoder(double slowness, Timestamp now) {
  Wishes wishes;
  std::optional<Rates> rates;
  std::optional<bool> base_needed;
  bool informed = false;
  {
    const std::lock_guard lock(mutex_);
    informed = informed_;
    wishes = std::exchange(wishes_, {});
    if (std::abs(slowness - told_slowness_) > kNotableSlowness * told_slowness_) {
      told_slowness_ = slowness;
      rates_or_base_changed_ = true;
    }
    if (std::exchange(rates_or_base_changed_, false)) {
      rates = rates_;
      base_needed = base_needed_;
    }
  }
  if (rates) {
    encoder_->set_rates(rates->total * told_slowness_, rates->base * told_slowness_);
  }
  if (base_needed) {
    told_base_needed_ = *base_needed;
    encoder_->set_base_needed(*base_needed);
  }
  const int places = policy_.at(encoder_level_).places_per_frame;
  encoder_->set_droppable_frames(!informed || told_base_needed_);
  encoder_->set_gop((informed ? kInformedGop : options_.gop) / places);
  for (const Wishes::Loss& loss : wishes.losses) encoder_->on_lost(loss.frame, loss.layer);
  if (wishes.newcomers) sync_requests_.open(now);
  for (std::uint8_t layer = 0; layer < kMaxUnits; ++layer) {
    if (wishes.sync[layer]) sync_requests_.ask(layer);
    if (wishes.sync_next[layer] || sync_requests_.take(layer, now)) {
      encoder_->request_sync_point(layer);
    }
  }
}

void LiveIn::follow_load(Duration encoding, bool skipped, Timestamp now) {
  if (!options_.adapt_to_load || !policy_.on_frame(encoding, skipped, now)) return;
  const std::lock_guard lock(mutex_);
  pacer_.set_places_per_frame(policy_.at(policy_.level()).places_per_frame);
}

std::string LiveIn::encode_one(const FramePacer::Paced& paced, bool skipped, double slowness) {
  const PictureSize source = paced.frame.size;
  if (auto error = prepare_encoder(source)) return error->message;
  const Timestamp began = steady_now();
  tell_encoder(slowness, began);
  auto scaled = scaler_->scale(paced.frame, encoder_size_);
  if (!scaled) return scaled.error().message;
  auto coded = encoder_->encode(*scaled, paced.number);
  if (!coded) return coded.error().message;
  const Timestamp ended = steady_now();
  for (const CodedUnit& unit : coded->units) {
    if (unit.is_sync_point()) sync_requests_.on_sync_point(unit.layer, ended);
  }
  coded->captured = paced.frame.captured;
  coded->due = ended - options_.source_options.rate.time_of(kSetupFrames);
  const auto wire = std::make_shared<const WireFrame>(serialise(std::move(*coded)));
  std::int64_t bytes = static_cast<std::int64_t>(wire->header.size());
  for (const Payload& unit : wire->units) bytes += static_cast<std::int64_t>(unit.size());
  {
    const std::lock_guard lock(mutex_);
    ++stats_.frames_encoded;
    stats_.bytes_encoded += bytes;
    stats_.encode_ms +=
        (to_ms(ended - began) - stats_.encode_ms) / static_cast<double>(stats_.frames_encoded);
    const double load = to_seconds(ended - began) * stats_.frames_per_second;
    stats_.load += (load - stats_.load) * kLoadWeight;
  }
  callbacks_.frame(wire);
  follow_load(ended - began, skipped, ended);
  return {};
}

}  // namespace qvid::media
