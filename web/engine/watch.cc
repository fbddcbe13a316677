#include "web/engine/watch.h"

#include <utility>
#include <variant>

#include "app/protocol/sound_about.h"
#include "app/protocol/video_about.h"
#include "app/reception/late_sound.h"
#include "app/room/room_tracks.h"
#include "base/clock.h"
#include "base/text.h"
#include "media/codec/codec.h"
#include "media/unit/timeline_frames.h"
#include "pubsub/wire/control_message.h"
#include "web/engine/events.h"
#include "web/engine/link_json.h"

namespace qvid::web {
namespace {

constexpr Duration kWatchTick = std::chrono::milliseconds(500);
constexpr int kWatchWindow = 3;  // frames
constexpr int kOnlySeat = 0;

static_assert(app::SoundWindow::kMost <= app::kMaxSoundWindow);

// What waiting does not mend.
bool is_final(paceline::CloseReason reason) {
  using enum paceline::CloseReason;
  return reason == kNotPaceline || reason == kVersion || reason == kProtocolError ||
         reason == kRefused;
}

}  // namespace

Watch::Watch(boost::asio::io_context& io, WatchOptions options)
    : io_(io),
      options_(std::move(options)),
      retry_timer_(io),
      tick_timer_(io),
      pictures_(app::kPictureViewer, kWatchWindow, clocks_),
      sound_(clocks_) {
  connect();
  tick();
}

Watch::~Watch() { leave(); }

void Watch::connect() {
  tell("status", {{"state", "connecting"}});
  session_ = paceline::Session::connect(
      io_, {.address = options_.server, .trust = {}}, page_session(),
      [this](paceline::SessionEvent&& event) { on_event(std::move(event)); });
}

void Watch::on_event(paceline::SessionEvent&& event) {
  if (!session_) return;  // of one that was left
  if (std::holds_alternative<paceline::SessionEstablished>(event)) {
    ask(app::PlayRequest{.name = options_.name,
                         .window = kWatchWindow,
                         .decodes = {std::string(media::kPlainCodec)},
                         .token = options_.token});
  } else if (const auto* message = std::get_if<paceline::MessageArrived>(&event)) {
    on_message(*message);
  } else if (const auto* closed = std::get_if<paceline::SessionClosed>(&event)) {
    on_closed(*closed);
  }
}

void Watch::ask(const app::ClientMessage& message) {
  if (session_) qps::send_control(*session_, app::serialise(message));
}

void Watch::on_message(const paceline::MessageArrived& message) {
  if (message.stream == paceline::kFirstStream) {
    const auto parsed = app::parse_server_message(message.payload.text());
    return parsed ? on_server_message(*parsed) : end(parsed.error().message);
  }
  if (!playing_) return;
  const Timestamp now = steady_now();
  if (message.stream == sound_stream_) {
    sound_.on_message(kOnlySeat, message.position.value(), message.payload, now);
  } else if (message.stream == stream_) {
    pictures_.on_message(kOnlySeat, message.position.value(), message.payload, now);
  }
}

void Watch::on_server_message(const app::ServerMessage& message) {
  if (const auto* playing = std::get_if<app::Playing>(&message)) {
    on_playing(*playing);
  } else if (const auto* refused = std::get_if<app::Refused>(&message)) {
    end(refused->reason);
  } else if (const auto* status = std::get_if<app::Status>(&message)) {
    tell("source", {{"ok", status->ok}, {"text", status->text}});
  } else if (const auto* limited = std::get_if<app::Limited>(&message)) {
    tell("limited", {{"reason", limited->reason}});
  } else if (const auto* over = std::get_if<app::Ended>(&message)) {
    on_over(*over);
  }
}

void Watch::on_over(const app::Ended& over) {
  over_ = over.reason;
  const Duration rest =
      playing_ ? rate_.time_of(kWatchWindow + media::kDecodeFrames + 1) : Duration::zero();
  retry_timer_.after(rest, [this] { end(*over_); });
}

void Watch::on_playing(const app::Playing& playing) {
  if (playing_) return;
  if (playing.stored) {
    return end("this is a stored video, which a browser cannot watch yet: qvid play shows it");
  }
  clear();
  const auto seen = pictures_.show(
      {.viewer = app::kPictureViewer,
       .seat = kOnlySeat,
       .name = options_.name,
       .about = app::serialise(app::VideoAbout{.codec = playing.codec, .rate = playing.rate})});
  if (seen) return end(seen->message);
  rate_ = playing.rate;
  stream_ = paceline::StreamId(playing.stream);
  sound_stream_.reset();
  if (playing.sound) sound_stream_ = paceline::StreamId(*playing.sound);
  playing_ = true;
  begin_sound();
  backoff_.reset();
  tell("status", {{"state", "playing"}, {"sound", sound_stream_.has_value()}});
}

void Watch::hear(bool on) {
  if (std::exchange(hears_, on) != on) begin_sound();
}

void Watch::begin_sound() {
  sound_.clear();
  if (!playing_ || !sound_stream_) return;
  if (hears_) {
    // Of a codec that is known here, so it is never refused.
    (void)sound_.hear({.viewer = app::kSoundViewer,
                       .seat = kOnlySeat,
                       .name = options_.name,
                       .about = app::serialise(app::SoundAbout{})});
  }
  ask(app::SoundWanted{.on = hears_, .window = sound_.window()});
}

void Watch::on_closed(const paceline::SessionClosed& closed) {
  session_.reset();
  if (over_) return end(*over_);
  if (is_final(closed.reason)) return end(closed.detail);
  clear();
  const Duration wait = backoff_.next();
  tell("status", {{"state", "waiting"}, {"reason", printable(closed.detail)}});
  retry_timer_.after(wait, [this] { connect(); });
}

void Watch::end(const std::string& reason) {
  const std::string text = printable(reason);  // it may be over_
  leave();
  tell("status", {{"state", "ended"}, {"reason", text}});
}

void Watch::leave() {
  retry_timer_.cancel();
  tick_timer_.cancel();
  clear();
  if (const auto session = std::exchange(session_, nullptr)) session->close("the viewer leaves");
}

// Nothing is seen and heard.
void Watch::clear() {
  playing_ = false;
  pictures_.clear();
  sound_.clear();
}

void Watch::on_decoded(int ticket, std::optional<int> picture, media::PictureSize size,
                       Timestamp now) {
  if (!pictures_.on_decoded(ticket, picture, size, now) && picture) free_picture(*picture);
}

void Watch::tick() {
  tick_timer_.after(kWatchTick, [this] {
    const Timestamp now = steady_now();
    if (session_) {
      session_->set_held(pictures_.held(now));
      const bool moved = sound_.tick(app::late_sound(session_->signals()), now);
      if (playing_ && sound_stream_ && moved) {
        ask(app::SoundWanted{.on = hears_, .window = sound_.window()});
      }
      if (playing_ && begin_anew_.due(pictures_.decode_errors(now), now)) {
        ask(app::Pause{});
        ask(app::Resume{});
      }
    }
    tell_report(now);
    tick();
  });
}

void Watch::tell_report(Timestamp now) {
  nlohmann::json seats = nlohmann::json::array();
  pictures_.add_to(seats, now);
  nlohmann::json heard = nlohmann::json::array();
  sound_.add_to(heard);
  nlohmann::json report = {
      {"playing", playing_}, {"seats", std::move(seats)}, {"heard", std::move(heard)}};
  if (session_) report.update(session_json(session_->signals()));
  tell("report", std::move(report));
}

}  // namespace qvid::web
