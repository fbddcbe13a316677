// What a player asks of its server, and what it is told.
#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "app/log/log.h"
#include "app/play/player.h"
#include "app/reception/live_reception.h"
#include "app/reception/stored_reception.h"
#include "base/clock.h"
#include "pubsub/wire/control_message.h"
#include "ui/text/translated.h"

namespace qvid::app {

static_assert(SoundWindow::kMost <= kMaxSoundWindow);

template <class F>
void Player::post(F f) {
  boost::asio::post(io_, [weak = std::weak_ptr(alive_), f = std::move(f)] {
    if (!weak.expired()) f();
  });
}

void Player::tell(const ClientMessage& message) {
  if (session_) qps::send_control(*session_, serialise(message));
}

void Player::request() {
  tell(PlayRequest{.name = options_.url.name,
                   .window = window_,
                   .start = places() != nullptr ? places()->now().place : options_.start,
                   .prefer = options_.prefer,
                   .layers = report_.layers,
                   .decodes = media::codec_names(),
                   .token = options_.token});
}

void Player::on_message(const paceline::MessageArrived& message) {
  if (message.stream == paceline::kFirstStream) {
    const auto parsed = parse_server_message(message.payload.text());
    if (!parsed)
      return end(kExitRefused, options_.url.address.text() + ": " + parsed.error().message);
    return on_server_message(*parsed);
  }
  if (!playing_) return;
  if (message.stream == sound_stream_) {
    reception_->on_sound(message.position.value(), message.payload, steady_now());
  } else if (message.stream == stream_) {
    reception_->on_picture(message.position.value(), message.payload, steady_now());
  } else if (message.stream == preview_stream_) {
    auto whole = previews_.on_message(message.position.value(), message.payload);
    if (whole) callbacks_.preview(*std::move(whole));
  }
}

void Player::on_server_message(const ServerMessage& message) {
  if (const auto* playing = std::get_if<Playing>(&message)) {
    on_playing(*playing);
  } else if (const auto* refused = std::get_if<Refused>(&message)) {
    end(kExitRefused, "the server refuses: " + refused->reason);
  } else if (const auto* status = std::get_if<Status>(&message)) {
    set_status(status->ok ? "" : ui::filled(ui::tr("the server says: {}"), status->text));
    log_at(status->ok ? LogLevel::kInfo : LogLevel::kWarning, "source: {}", status->text);
  } else if (const auto* moved = std::get_if<Moved>(&message)) {
    if (playing_ && places() != nullptr) on_moved(*moved);
  } else if (const auto* limited = std::get_if<Limited>(&message)) {
    on_limited(*limited);
  } else if (const auto* over = std::get_if<Ended>(&message)) {
    on_ended(*over);
  }
}

void Player::on_playing(const Playing& playing) {
  if (playing_) return;
  const bool stored = playing.stored.has_value();
  const Duration asked = places() != nullptr ? places()->now().place : options_.start;
  if (!reception_ || (places() != nullptr) != stored) {
    auto fresh = make_reception(stored);
    const std::lock_guard lock(mutex_);
    reception_.swap(fresh);
  }
  first_picture_ = true;
  const auto error =
      reception_->begin({.picture = PictureFormat{.rate = playing.rate,
                                                  .codec = playing.codec,
                                                  .window = stored ? window_ : playing.window},
                         .sound = playing.sound.has_value(),
                         .duration = stored ? playing.stored->duration : Duration()});
  if (error) return end(kExitRefused, error->message);
  playing_ = true;
  previews_ = {};
  preview_stream_.reset();
  if (playing.previews) preview_stream_ = paceline::StreamId(*playing.previews);
  backoff_.reset();
  told_sound_.reset();
  {
    const std::lock_guard lock(mutex_);
    report_.layers_heard = playing.layers;
  }
  if (report_.layers != kAllLayers && !playing.layers) {
    log_warning("this server has no choice of layers: it is older than that");
  }
  set_status("");
  log_info("playing {}: {}, {:.4g} frames/s, {}", options_.url.text(), playing.codec,
           playing.rate.per_second(),
           stored ? fmt::format("{:.0f} s", to_seconds(playing.stored->duration))
                  : fmt::format("window of {} frames", playing.window));
  if (stored) {
    places()->set_speed(report_.speed, steady_now());
    on_moved({.stream = playing.stream,
              .sound = playing.sound,
              .at = playing.stored->at,
              .to = media::place_to_see(asked, playing.stored->at, playing.stored->duration,
                                        playing.rate)});
  } else {
    window_ = playing.window;
    stream_ = paceline::StreamId(playing.stream);
    sound_stream_.reset();
    if (playing.sound) sound_stream_ = paceline::StreamId(*playing.sound);
    apply_volume();
  }
  callbacks_.changed();
}

std::unique_ptr<Reception> Player::make_reception(bool stored) {
  const auto on_picture = [this](media::ShownPicture picture) { show(std::move(picture)); };
  if (stored) {
    return std::make_unique<StoredReception>(
        StoredReceptionOptions{.on_picture = on_picture,
                               .on_change = [this] { post([this] { on_places_change(); }); },
                               .engine = engine_.get(),
                               .decoders = options_.decoders});
  }
  media::PlaybackExtras extras;
  extras.playout = options_.playout;
  if (frames_) {
    extras.on_frame_record = [log = frames_.get()](const media::FrameRecord& r) { log->add(r); };
  }
  return std::make_unique<LiveReception>(LiveReceptionOptions{.on_picture = on_picture,
                                                              .extras = std::move(extras),
                                                              .engine = engine_.get(),
                                                              .decoders = options_.decoders});
}

// On the decode thread.
void Player::show(media::ShownPicture picture) {
  if (first_picture_.exchange(false)) {
    log_info("first picture: {}x{}", picture.decoded.nominal.width, picture.decoded.nominal.height);
  }
  callbacks_.picture(std::move(picture));
}

void Player::on_limited(const Limited& limited) {
  {
    const std::lock_guard lock(mutex_);
    report_.limited = limited.reason;
  }
  log_info("the server gives {}", limited.reason.empty() ? "all again" : limited.reason);
  callbacks_.changed();
}

// What is on its way is still shown.
void Player::on_ended(const Ended& over) {
  if (seeking_) return;  // of what the viewer has left
  ended_reason_ = over.reason;
  if (!reception_) return end(kExitOk, over.reason);
  if (const auto rest = reception_->complete(steady_now())) {
    retry_timer_.after(*rest, [this] { end(kExitOk, *ended_reason_); });
  }
}

void Player::on_moved(const Moved& moved) {
  stream_ = paceline::StreamId(moved.stream);
  sound_stream_.reset();
  seeking_ = false;
  ended_reason_.reset();
  if (next_seek_) return seek(*std::exchange(next_seek_, std::nullopt));
  places()->begin(moved.to, moved.sound.has_value(), steady_now());
  if (!moved.sound) return;
  sound_stream_ = paceline::StreamId(*moved.sound);
  apply_volume();
}

void Player::on_places_change() {
  if (ended_ || places() == nullptr) return;
  if (places()->now().finished && !seeking_) {
    return end(kExitOk, ended_reason_.value_or("the video is at its end"));
  }
  tell_place();
  callbacks_.changed();
}

void Player::tell_place() {
  if (!playing_ || seeking_ || places() == nullptr) return;
  const Places::Now now = places()->now();
  if (now.moving) return;
  tell(PlayerPosition{
      .at = now.place, .buffered = now.buffered, .running = now.runs, .speed = now.speed});
}

// Whether sound is played here and how long its packets are of use, where that has changed.
void Player::tell_sound() {
  if (!playing_ || !sound_stream_) return;
  const bool on = reception_->plays_sound();
  const bool moved = sound_window_.follow(reception_->sound_needs(), steady_now());
  if (!moved && told_sound_ == on) return;
  told_sound_ = on;
  tell(SoundWanted{.on = on, .window = sound_window_.now()});
}

void Player::begin_anew() {
  if (!playing_ || places() != nullptr) return;
  const PlayerReport now = report();
  if (now.paused || !begin_anew_.due(now.playback.decode_errors, steady_now())) return;
  log_warning("a frame could not be decoded: the video begins anew");
  tell(Pause{});
  tell(Resume{});
}

void Player::toggle_pause() {
  if (ended_ || !reception_) return;
  bool paused = false;
  {
    const std::lock_guard lock(mutex_);
    paused = report_.paused = !report_.paused;
  }
  // Where time stands still here the server goes on filling the window: it hears of that.
  if (reception_->pause(paused, steady_now())) {
    tell_place();
  } else {
    tell(paused ? ClientMessage(Pause{}) : ClientMessage(Resume{}));
  }
  callbacks_.changed();
}

void Player::seek(Duration to) {
  if (ended_ || places() == nullptr) return;
  to = places()->within(to);
  places()->seek(to, steady_now());
  callbacks_.changed();
  const bool was_over = std::exchange(ended_reason_, std::nullopt).has_value();
  if (seeking_) {
    next_seek_ = to;
    return;
  }
  // Without a session the next one begins there.
  if (!session_) {
    if (was_over) connect();
    return;
  }
  seeking_ = true;
  tell(Seek{.to = to});
}

void Player::seek_by(Duration distance) {
  if (places() != nullptr) seek(places()->now().place + distance);
}

void Player::ask_preview(Duration place) {
  if (playing_ && preview_stream_) tell(PreviewWanted{.at = place});
}

void Player::change_speed(double (*step)(double now)) {
  if (ended_ || places() == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    report_.speed = step(report_.speed);
  }
  places()->set_speed(report_.speed, steady_now());
  tell_place();
  callbacks_.changed();
}

void Player::toggle_layers() {
  if (ended_ || !playing_ || !report_.layers_heard) return;
  const bool more = report_.layers == 1;
  {
    const std::lock_guard lock(mutex_);
    report_.layers = more ? kAllLayers : 1;
  }
  tell(LayersWanted{report_.layers});
  if (more) seek_by({});
  callbacks_.changed();
}

void Player::change_volume(float factor) {
  if (!report().sound) return;
  {
    const std::lock_guard lock(mutex_);
    report_.volume.change(factor);
  }
  apply_volume();
}

void Player::toggle_silence() {
  if (!report().sound) return;
  {
    const std::lock_guard lock(mutex_);
    report_.volume.silenced = !report_.volume.silenced;
  }
  apply_volume();
}

void Player::apply_volume() {
  if (ended_ || !reception_) return;
  reception_->set_volume(report_.volume.played());
  tell_sound();
  callbacks_.changed();
}

}  // namespace qvid::app
