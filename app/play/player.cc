#include "app/play/player.h"

#include <fmt/format.h>

#include <utility>

#include "app/log/log.h"
#include "app/options/transport_options.h"
#include "app/reception/late_sound.h"
#include "base/clock.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

constexpr Duration kConnectTimeout = std::chrono::seconds(5);
constexpr Duration kTick = std::chrono::milliseconds(250);

}  // namespace

Player::Player(boost::asio::io_context& io, PlayerOptions options,
               std::unique_ptr<media::SoundOutput> speaker, Callbacks callbacks)
    : io_(io),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      retry_timer_(io),
      tick_(io),
      window_(options_.window) {
  report_.window = window_;
  report_.speed = options_.speed;
  report_.layers = options_.layers;
  report_.volume.level = options_.volume;
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
                              [](const std::string& trouble) { log_warning("{}", trouble); });
    if (!log) return end(kExitFailure, log.error().message);
    frames_ = std::move(*log);
  }
  set_status(ui::filled(ui::tr("connecting to {}"), options_.url.address.text()));
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
  if (reception_) reception_->stop();
  engine_.reset();
  callbacks_.ended(code, why);
}

void Player::connect() {
  session_ = paceline::Session::connect(
      io_,
      {.address = options_.url.address,
       .trust = options_.trust,
       .proxy = options_.proxy,
       .connect_timeout = kConnectTimeout},
      options_.session, [this](paceline::SessionEvent&& event) { on_event(std::move(event)); });
  if (signals_) signals_->add(session_);
}

void Player::try_again(const std::string& why) {
  if (!options_.retry) return end(kExitUnreachable, why);
  const Duration wait = backoff_.next();
  const std::string text =
      ui::filled(ui::tr("{}; trying again in {:.2g} s"), why, to_seconds(wait));
  set_status(text);
  log_warning("{}", text);
  retry_timer_.after(wait, [this] { connect(); });
}

void Player::on_event(paceline::SessionEvent&& event) {
  if (ended_) return;
  if (std::holds_alternative<paceline::SessionEstablished>(event)) {
    if (options_.trust) {
      if (const auto notice = options_.trust->take_notice()) log_info("{}", *notice);
    }
    request();
  } else if (const auto* message = std::get_if<paceline::MessageArrived>(&event)) {
    on_message(*message);
  } else if (const auto* failover = std::get_if<paceline::FailedOver>(&event)) {
    if (!failover->sending) {
      log_info("the picture goes on over another connection after {:.0f} ms", to_ms(failover->gap));
    }
  } else if (const auto* cut = std::get_if<paceline::SessionInterrupted>(&event)) {
    set_status(ui::filled(ui::tr("the connection is interrupted ({}); resuming"), cut->detail));
    log_warning("interrupted: {}; trying to resume", cut->detail);
  } else if (const auto* resumed = std::get_if<paceline::SessionResumed>(&event)) {
    set_status("");
    log_info("resumed after {:.1f} s", to_seconds(resumed->outage));
  } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
    on_closed(*closed);
  }
}

void Player::on_closed(const paceline::SessionClosed& closed) {
  if (signals_) signals_->remove(*session_);
  session_.reset();
  const bool played = std::exchange(playing_, false) || places() != nullptr;
  if (reception_ && reception_->lost(steady_now())) return;  // what has come is still played
  if (ended_reason_) return end(kExitOk, *ended_reason_);
  seeking_ = false;
  next_seek_.reset();
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
      if (reception_) session_->set_held(reception_->report().playback.playout);
      const auto signals = session_->signals();
      if (reception_) reception_->on_path(late_sound(signals), signals.rtt_low);
      const std::lock_guard lock(mutex_);
      report_.network = signals;
      report_.security = session_->security();
    }
    tell_place();
    tell_sound();
    begin_anew();
    callbacks_.changed();
    if (!ended_) every_quarter_second();
  });
}

PlayerReport Player::report() const {
  const std::lock_guard lock(mutex_);
  PlayerReport report = report_;
  if (reception_) static_cast<ReceptionReport&>(report) = reception_->report();
  return report;
}

}  // namespace qvid::app
