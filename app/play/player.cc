#include "app/play/player.h"

#include <spdlog/spdlog.h>

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "app/options/transport_options.h"
#include "app/reception/late_sound.h"
#include "app/reception/volume.h"
#include "base/clock.h"
#include "pubsub/wire/control_message.h"

namespace qvid::app {
namespace {

constexpr Duration kConnectTimeout = std::chrono::seconds(5);
constexpr Duration kTick = std::chrono::milliseconds(250);
static_assert(SoundWindow::kMost <= kMaxSoundWindow);

// What was counted before a reconnection goes on counting.
void add_earlier(media::PlaybackStats& now, const media::PlaybackStats& earlier) {
  now.frames_lost += earlier.frames_lost;
  now.shown_full += earlier.shown_full;
  now.frames_due += earlier.frames_due;
  now.units_announced += earlier.units_announced;
  now.units_received += earlier.units_received;
  now.decode_errors += earlier.decode_errors;
  now.bad_messages += earlier.bad_messages;
  now.receiving += earlier.receiving;
  now.bytes_received += earlier.bytes_received;
  now.freezes += earlier.freezes;
  now.bases_due += earlier.bases_due;
  now.bases_late += earlier.bases_late;
  now.clock_steps += earlier.clock_steps;
  now.longest_gap = std::max(now.longest_gap, earlier.longest_gap);
  now.delays.add(earlier.delays);
  now.sync_errors.add(earlier.sync_errors);
  if (!now.sync_error) now.sync_error = earlier.sync_error;
  if (earlier.frames_shown == 0) return;
  if (now.frames_shown > 0) {
    const Duration outage = now.first_shown - earlier.last_shown;
    now.longest_gap = std::max(now.longest_gap, outage);
    if (outage > media::PlaybackStats::kFreeze) ++now.freezes;
  }
  now.frames_shown += earlier.frames_shown;
  now.first_shown = earlier.first_shown;
  if (now.last_shown < earlier.last_shown) now.last_shown = earlier.last_shown;
}

}  // namespace

Player::Player(boost::asio::io_context& io, PlayerOptions options,
               std::unique_ptr<media::SoundOutput> speaker, Callbacks callbacks)
    : io_(io),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      retry_timer_(io),
      tick_(io) {
  report_.window = options_.window;
  media::SoundEngineOptions sound;
  sound.output = std::move(speaker);
  engine_ = std::make_unique<media::SoundEngine>(
      std::move(sound), media::SoundEngine::Callbacks{.packet = [](media::SoundPacket&&) {}});
}

Player::~Player() = default;

void Player::start() {
  if (!options_.signals_file.empty()) {
    auto log = open_signal_log(io_, options_.signals_file);
    if (!log) return end(kExitFailure, log.error().message);
    signals_ = std::move(*log);
  }
  if (!options_.frames_file.empty()) {
    auto log = FrameLog::open(options_.frames_file, steady_now(),
                              [](const std::string& trouble) { spdlog::warn("{}", trouble); });
    if (!log) return end(kExitFailure, log.error().message);
    frames_ = std::move(*log);
  }
  set_status("connecting to " + options_.url.address.text());
  connect();
  every_quarter_second();
}

void Player::stop() {
  if (!ended_) end(kExitOk, "stopped");
}

void Player::end(ExitCode code, const std::string& why) {
  if (std::exchange(ended_, true)) return;
  retry_timer_.cancel();
  tick_.cancel();
  if (session_) {
    if (signals_) signals_->remove(*session_);
    session_->close("the player stops");
  }
  retire_playback();
  retire_stored();
  engine_.reset();
  callbacks_.ended(code, why);
}

void Player::connect() {
  session_ = paceline::Session::connect(
      io_,
      {.address = options_.url.address,
       .trust = options_.trust,
       .connect_timeout = kConnectTimeout},
      options_.session, [this](paceline::SessionEvent&& event) { on_event(std::move(event)); });
  if (signals_) signals_->add(session_);
}

void Player::try_again(const std::string& why) {
  if (!options_.retry) return end(kExitUnreachable, why);
  const Duration wait = backoff_.next();
  const std::string text = fmt::format("{}; trying again in {:.2g} s", why, to_seconds(wait));
  set_status(text);
  spdlog::warn("{}", text);
  retry_timer_.after(wait, [this] { connect(); });
}

void Player::on_event(paceline::SessionEvent&& event) {
  if (ended_) return;
  if (std::holds_alternative<paceline::SessionEstablished>(event)) {
    if (options_.trust) {
      if (const auto notice = options_.trust->take_notice()) spdlog::info("{}", *notice);
    }
    const Duration start = stored_ ? stored_->stats().place : options_.start;
    tell(PlayRequest{.name = options_.url.name,
                     .window = report_.window,
                     .start = start,
                     .prefer = options_.prefer});
  } else if (const auto* message = std::get_if<paceline::MessageArrived>(&event)) {
    on_message(*message);
  } else if (const auto* failover = std::get_if<paceline::FailedOver>(&event)) {
    if (!failover->sending) {
      spdlog::info("the picture goes on over another connection after {:.0f} ms",
                   to_ms(failover->gap));
    }
  } else if (const auto* cut = std::get_if<paceline::SessionInterrupted>(&event)) {
    set_status(fmt::format("the connection is interrupted ({}); resuming", cut->detail));
    spdlog::warn("interrupted: {}; trying to resume", cut->detail);
  } else if (const auto* resumed = std::get_if<paceline::SessionResumed>(&event)) {
    set_status("");
    spdlog::info("resumed after {:.1f} s", to_seconds(resumed->outage));
  } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
    on_closed(*closed);
  }
}

void Player::on_message(const paceline::MessageArrived& message) {
  if (message.stream == paceline::kFirstStream) {
    const auto parsed = parse_server_message(message.payload.text());
    if (!parsed)
      return end(kExitRefused, options_.url.address.text() + ": " + parsed.error().message);
    return on_server_message(*parsed);
  }
  // Only this thread changes these, so they may be used without the lock here.
  if (sound_ && message.stream == sound_stream_) {
    return sound_->on_message(message.position.value(), message.payload, steady_now());
  }
  if (stored_sound_ && message.stream == sound_stream_) {
    return stored_sound_->on_message(message.position.value(), message.payload);
  }
  if (message.stream != stream_) return;
  if (playback_) {
    playback_->on_message(message.position.value(), message.payload, steady_now());
  } else if (stored_) {
    stored_->on_message(message.position.value(), message.payload, steady_now());
  }
}

void Player::tell(const ClientMessage& message) {
  if (session_) qps::send_control(*session_, serialise(message));
}

void Player::on_server_message(const ServerMessage& message) {
  if (const auto* playing = std::get_if<Playing>(&message)) {
    on_playing(*playing);
  } else if (const auto* refused = std::get_if<Refused>(&message)) {
    end(kExitRefused, "the server refuses: " + refused->reason);
  } else if (const auto* status = std::get_if<Status>(&message)) {
    set_status(status->ok ? "" : "the server says: " + status->text);
    spdlog::log(status->ok ? spdlog::level::info : spdlog::level::warn, "source: {}", status->text);
  } else if (const auto* moved = std::get_if<Moved>(&message)) {
    if (stored_) on_moved(*moved);
  } else if (const auto* limited = std::get_if<Limited>(&message)) {
    {
      const std::lock_guard lock(mutex_);
      report_.limited = limited->reason;
    }
    spdlog::info("the server gives {}", limited->reason.empty() ? "all again" : limited->reason);
    callbacks_.changed();
  } else if (const auto* over = std::get_if<Ended>(&message)) {
    on_ended(*over);
  }
}

// What is on its way is still shown.
void Player::on_ended(const Ended& over) {
  ended_reason_ = over.reason;
  if (stored_sound_) stored_sound_->end();
  if (stored_) return stored_->end(steady_now());  // its own clock says when
  const Duration rest = report_.rate.time_of(report_.window + media::kDecodeFrames + 1);
  retry_timer_.after(rest, [this] { end(kExitOk, *ended_reason_); });
}

void Player::on_playing(const Playing& playing) {
  if (playback_) return;
  auto decoder = media::make_decoder(playing.codec);
  if (!decoder) return end(kExitRefused, decoder.error().message);
  if (playing.stored) return on_playing_stored(playing);
  stream_ = paceline::StreamId(playing.stream);
  backoff_.reset();
  begin_sound(playing);
  {
    const std::lock_guard lock(mutex_);
    report_.rate = playing.rate;
    report_.window = playing.window;
    report_.status.clear();
    playback_ = std::make_unique<media::Playback>(playing.rate, playing.window, std::move(*decoder),
                                                  picture_sink(), playback_extras());
  }
  spdlog::info("playing {}: {}, {:.4g} frames/s, window of {} frames", options_.url.text(),
               playing.codec, playing.rate.per_second(), playing.window);
  callbacks_.changed();
}

void Player::begin_sound(const Playing& playing) {
  retire_sound();
  if (!playing.sound) return;
  told_sound_.reset();
  if (!engine_) return tell_sound();
  auto decoder = media::SoundDecoder::make();
  if (!decoder) {
    spdlog::warn("there is no sound: {}", decoder.error().message);
    return;
  }
  sound_stream_ = paceline::StreamId(*playing.sound);
  {
    const std::lock_guard lock(mutex_);
    clock_ = std::make_shared<media::PresentationClock>();
    sound_ = std::make_shared<media::SoundPlayout>(*std::move(decoder), clock_);
    if (!report_.sound) report_.sound.emplace();
  }
  engine_->add(sound_);
  apply_volume();
}

void Player::retire_sound() {
  std::shared_ptr<media::SoundPlayout> gone;
  {
    const std::lock_guard lock(mutex_);
    clock_.reset();
    gone = std::exchange(sound_, nullptr);
    if (gone) report_.sound->playout = gone->stats() += report_.sound->playout;
  }
  if (gone) engine_->remove(gone.get());
  sound_stream_.reset();
}

// Of the stretch that begins on `stream`; empty: it has none.
void Player::begin_stored_sound(std::optional<std::uint32_t> stream) {
  sound_stream_.reset();
  if (stored_sound_) stored_sound_->begin();
  if (!stream) return;
  if (engine_ && !stored_sound_) {
    auto decoder = media::SoundDecoder::make();
    if (decoder) {
      const std::lock_guard lock(mutex_);
      stored_sound_ = std::make_shared<media::StoredSound>(*std::move(decoder), play_clock_);
      if (!report_.sound) report_.sound.emplace();
    } else {
      spdlog::warn("there is no sound: {}", decoder.error().message);
    }
    if (stored_sound_) engine_->add(stored_sound_);
  }
  if (!stored_sound_) return tell_sound();
  sound_stream_ = paceline::StreamId(*stream);
  apply_volume();
}

void Player::change_volume(float factor) {
  {
    const std::lock_guard lock(mutex_);
    if (!report_.sound) return;
    report_.sound->volume = changed_volume(report_.sound->volume, factor);
  }
  apply_volume();
}

void Player::toggle_silence() {
  {
    const std::lock_guard lock(mutex_);
    if (!report_.sound) return;
    report_.sound->silenced = !report_.sound->silenced;
  }
  apply_volume();
}

void Player::apply_volume() {
  float volume = 1;
  {
    const std::lock_guard lock(mutex_);
    if (report_.sound) volume = report_.sound->silenced ? 0 : report_.sound->volume;
  }
  if (sound_) engine_->set_volume(sound_.get(), volume);
  if (stored_sound_) engine_->set_volume(stored_sound_.get(), volume);
  tell_sound();
  callbacks_.changed();
}

// Whether sound is played here and how long its packets are of use, where that has changed.
void Player::tell_sound() {
  const bool on = sound_ || stored_sound_;
  const bool moved = sound_window_.follow(sound_ ? sound_->window() : Duration(), steady_now());
  if (!moved && told_sound_ == on) return;
  told_sound_ = on;
  tell(SoundWanted{.on = on, .window = sound_window_.now()});
}

media::PlaybackExtras Player::playback_extras() {
  media::PlaybackExtras extras;
  extras.presentation = clock_;
  extras.automatic_window = options_.automatic_window;
  extras.on_window = [this, weak = std::weak_ptr(alive_)](int window) {
    boost::asio::post(io_, [this, weak, window] {
      if (!weak.expired()) on_window_wanted(window);
    });
  };
  if (frames_) {
    extras.on_frame_record = [log = frames_.get()](const media::FrameRecord& r) { log->add(r); };
  }
  return extras;
}

void Player::on_window_wanted(int window) {
  if (ended_ || !playback_) return;
  tell(SetWindow{window});
  playback_->set_window(window);
  const std::lock_guard lock(mutex_);
  report_.window = window;
}

void Player::on_playing_stored(const Playing& playing) {
  const Duration asked = stored_ ? stored_->stats().place : options_.start;
  backoff_.reset();
  told_sound_.reset();
  if (!stored_) {
    const std::lock_guard lock(mutex_);
    play_clock_ = std::make_shared<media::PlayClock>();
    stored_ = std::make_unique<media::StoredPlayback>(
        playing.rate, playing.codec,
        media::StoredPlayback::Callbacks{.picture = picture_sink(),
                                         .change =
                                             [this, weak = std::weak_ptr(alive_)] {
                                               boost::asio::post(io_, [this, weak] {
                                                 if (!weak.expired()) on_stored_change();
                                               });
                                             }},
        play_clock_);
    report_.stored.emplace();
  }
  {
    const std::lock_guard lock(mutex_);
    report_.rate = playing.rate;
    report_.status.clear();
    report_.stored->duration = playing.stored->duration;
  }
  spdlog::info("playing {}: {}, {:.4g} frames/s, {:.0f} s", options_.url.text(), playing.codec,
               playing.rate.per_second(), to_seconds(playing.stored->duration));
  on_moved({.stream = playing.stream,
            .sound = playing.sound,
            .at = playing.stored->at,
            .to = media::place_to_see(asked, playing.stored->at, playing.stored->duration,
                                      playing.rate)});
  callbacks_.changed();
}

void Player::on_moved(const Moved& moved) {
  stream_ = paceline::StreamId(moved.stream);
  begin_stored_sound(moved.sound);
  seeking_ = false;
  ended_reason_.reset();
  if (next_seek_) return seek(*std::exchange(next_seek_, std::nullopt));
  stored_->begin(moved.to, steady_now());
}

void Player::on_stored_change() {
  if (ended_) return;
  if (stored_->stats().state == media::StoredPlayout::State::kFinished && !seeking_) {
    return end(kExitOk, ended_reason_.value_or("the video is at its end"));
  }
  tell_position();
  callbacks_.changed();
}

void Player::tell_position() {
  const auto now = stored_->stats();
  if (seeking_ || now.state == media::StoredPlayout::State::kMoving) return;
  tell(PlayerPosition{.at = now.place, .buffered = now.buffered, .running = now.runs});
}

void Player::toggle_pause() {
  if (ended_ || (!playback_ && !stored_)) return;
  bool paused = false;
  {
    const std::lock_guard lock(mutex_);
    paused = report_.paused = !report_.paused;
  }
  if (stored_) {
    // The server goes on filling the window: it hears that time does not run.
    stored_->pause(paused, steady_now());
    tell_position();
  } else {
    tell(paused ? ClientMessage(Pause{}) : ClientMessage(Resume{}));
  }
  callbacks_.changed();
}

void Player::seek(Duration to) {
  if (ended_ || !stored_) return;
  const Duration duration = report_.stored->duration;
  if (duration > Duration::zero()) to = std::min(to, duration - report_.rate.frame_time());
  to = std::max(to, Duration::zero());
  stored_->seek(to, steady_now());
  callbacks_.changed();
  if (seeking_) {
    next_seek_ = to;
    return;
  }
  // Without a session the next one begins there.
  if (!session_) {
    if (std::exchange(ended_reason_, std::nullopt)) connect();
    return;
  }
  seeking_ = true;
  tell(Seek{.to = to});
}

void Player::seek_by(Duration distance) {
  if (stored_) seek(stored_->stats().place + distance);
}

// Called on the decode thread: one sink a playback.
std::function<void(media::ShownPicture)> Player::picture_sink() {
  return [this, first = true](media::ShownPicture picture) mutable {
    if (std::exchange(first, false)) {
      spdlog::info("first picture: {}x{}", picture.decoded.nominal.width,
                   picture.decoded.nominal.height);
    }
    callbacks_.picture(std::move(picture));
  };
}

void Player::retire_stored() {
  if (stored_sound_) {
    engine_->remove(stored_sound_.get());
    const std::lock_guard lock(mutex_);
    report_.sound->playout = stored_sound_->stats();
    report_.sound->sync_error = play_clock_->sync_error();
    stored_sound_.reset();
  }
  std::unique_ptr<media::StoredPlayback> gone;
  {
    const std::lock_guard lock(mutex_);
    if (!stored_) return;
    report_.stored->now = stored_->stats();
    gone = std::move(stored_);
  }
  // Joined here, outside the lock, as below.
}

void Player::retire_playback() {
  retire_sound();
  std::unique_ptr<media::Playback> gone;
  {
    const std::lock_guard lock(mutex_);
    if (!playback_) return;
    media::PlaybackStats stats = playback_->stats();
    add_earlier(stats, report_.playback);
    stats.recent_fps = stats.recent_kbps = 0;
    report_.playback = std::move(stats);
    gone = std::move(playback_);
  }
  // Joined here, outside the lock: its thread may be in a callback that asks for the report.
}

void Player::on_closed(const paceline::SessionClosed& closed) {
  if (signals_) signals_->remove(*session_);
  session_.reset();
  const bool played = playback_ != nullptr || stored_ != nullptr;
  if (stored_ && ended_reason_) return;  // all that there is has come, and is still played
  retire_playback();
  if (ended_reason_) return end(kExitOk, *ended_reason_);
  seeking_ = false;
  next_seek_.reset();
  // The next session begins where this one was.
  if (stored_) stored_->seek(stored_->stats().place, steady_now());
  const std::string where = options_.url.address.text() + ": ";
  switch (closed.reason) {
    case paceline::CloseReason::kNotPaceline:
      return end(kExitRefused, where + closed.detail + "; is that the port of a Qvid server?");
    case paceline::CloseReason::kUntrusted: return end(kExitRefused, closed.detail);
    case paceline::CloseReason::kVersion:
    case paceline::CloseReason::kProtocolError:
    case paceline::CloseReason::kRefused: return end(kExitRefused, where + closed.detail);
    default: break;
  }
  if (played) {
    const std::lock_guard lock(mutex_);
    ++report_.reconnections;
  }
  const bool needs_tls =
      !played && !options_.trust && closed.reason == paceline::CloseReason::kConnectionLost;
  try_again((played ? "connection lost: " : "") + closed.detail +
            (needs_tls ? "; if the server uses TLS, leave out --insecure" : ""));
}

void Player::set_status(std::string status) {
  {
    const std::lock_guard lock(mutex_);
    report_.status = std::move(status);
  }
  callbacks_.changed();
}

void Player::every_quarter_second() {
  tick_.after(kTick, [this] {
    if (session_) {
      const auto signals = session_->signals();
      const std::lock_guard lock(mutex_);
      report_.network = signals;
      report_.security = session_->security();
      if (playback_) playback_->set_least_round_trip(signals.rtt_low);
      if (sound_) sound_->expect_late(late_sound(signals));
    }
    if (stored_) tell_position();
    if (sound_) tell_sound();
    callbacks_.changed();
    if (!ended_) every_quarter_second();
  });
}

PlayerReport Player::report() const {
  const std::lock_guard lock(mutex_);
  PlayerReport report = report_;
  if (sound_) report.sound->playout = sound_->stats() += report_.sound->playout;
  if (stored_sound_) {
    report.sound->playout = stored_sound_->stats();
    report.sound->sync_error = play_clock_->sync_error();
  }
  if (stored_) report.stored->now = stored_->stats();
  if (report.stored) report.playback = report.stored->now.frames;
  if (playback_) {
    report.playback = playback_->stats();
    add_earlier(report.playback, report_.playback);
  }
  if (report.sound && !report.stored) report.sound->sync_error = report.playback.sync_error;
  return report;
}

}  // namespace qvid::app
