// The engines of a guest, or of who watches, as the page's worker calls them. One of them a worker;
// after it has left, the worker ends.
//
// Everything runs in the functions here, which return at once: the worker's loop is the event loop,
// and io_context is polled by it.
#include <emscripten.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/clock.h"
#include "pubsub/wire/json_fields.h"
#include "web/engine/browser.h"
#include "web/engine/events.h"
#include "web/engine/guest.h"
#include "web/engine/watch.h"
#include "web/engine/web_sockets.h"

namespace qvid::web {
namespace {

struct Engines {
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  std::optional<Guest> guest;
  std::optional<Watch> watch;
  Timestamp turned{};

  Visit* visit() {
    if (guest) return &*guest;
    return watch ? &*watch : nullptr;
  }
};

// The functions below have no other place for it.
Engines& engines() {
  static Engines* const all = new Engines;  // a page ends without destructors
  return *all;
}

// The worker has a turn every few milliseconds; with none for so long its process, or machine, stood.
constexpr Duration kStood = std::chrono::milliseconds(100);

void turn() {
  Engines& all = engines();
  const Timestamp now = steady_now();
  if (now - std::exchange(all.turned, now) > kStood && all.visit() != nullptr) {
    all.visit()->on_stood(now);
  }
  look_at_sockets();
  all.io.poll();
  if (all.visit() == nullptr) return;
  all.visit()->turn(steady_now());
  // What that has sent goes out now.
  all.io.poll();
}

std::string text_of(const nlohmann::json& from, const char* key) {
  const auto it = from.find(key);
  return it != from.end() && it->is_string() ? it->get<std::string>() : std::string();
}

paceline::Address server_of(const nlohmann::json& from) {
  return {.host = text_of(from, "host"),
          .port = static_cast<std::uint16_t>(from.value("port", 443))};
}

}  // namespace

void tell(std::string_view kind, nlohmann::json fields) {
  fields["event"] = kind;
  qvid_js_event(qps::dump(fields).c_str());
}

void tell_notice(const std::string& text) { tell("notice", {{"text", text}}); }

void free_picture(int picture) { qvid_js_picture_free(picture); }

}  // namespace qvid::web

// Called by page/worker.js. Texts are UTF-8 and end with a zero.
extern "C" {

// `options`: JSON with room, name, token, host, port.
EMSCRIPTEN_KEEPALIVE void qvid_join(const char* options) {
  const auto from = nlohmann::json::parse(options, nullptr, false);
  if (!from.is_object()) return;
  qvid::web::engines().guest.emplace(
      qvid::web::engines().io, qvid::web::GuestOptions{.room = qvid::web::text_of(from, "room"),
                                                       .name = qvid::web::text_of(from, "name"),
                                                       .token = qvid::web::text_of(from, "token"),
                                                       .server = qvid::web::server_of(from)});
  qvid::web::turn();
}

// `options`: JSON with name, token, host, port.
EMSCRIPTEN_KEEPALIVE void qvid_watch(const char* options) {
  const auto from = nlohmann::json::parse(options, nullptr, false);
  if (!from.is_object()) return;
  qvid::web::engines().watch.emplace(
      qvid::web::engines().io, qvid::web::WatchOptions{.name = qvid::web::text_of(from, "name"),
                                                       .token = qvid::web::text_of(from, "token"),
                                                       .server = qvid::web::server_of(from)});
  qvid::web::turn();
}

EMSCRIPTEN_KEEPALIVE void qvid_hear(int on) {
  if (qvid::web::engines().watch) qvid::web::engines().watch->hear(on != 0);
  qvid::web::turn();
}

EMSCRIPTEN_KEEPALIVE void qvid_leave() {
  if (auto* const visit = qvid::web::engines().visit()) visit->leave();
  qvid::web::turn();
}

EMSCRIPTEN_KEEPALIVE void qvid_turn() { qvid::web::turn(); }

EMSCRIPTEN_KEEPALIVE void qvid_socket_open(int socket) {
  qvid::web::on_socket_open(socket);
  qvid::web::turn();
}

EMSCRIPTEN_KEEPALIVE void qvid_socket_message(int socket, const void* bytes, int size) {
  qvid::web::on_socket_message(
      socket, std::span(static_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)));
  qvid::web::turn();
}

EMSCRIPTEN_KEEPALIVE void qvid_socket_closed(int socket) {
  qvid::web::on_socket_closed(socket);
  qvid::web::turn();
}

// `picture`: 0: it could not be decoded.
EMSCRIPTEN_KEEPALIVE void qvid_decoded(int ticket, int picture, int width, int height) {
  auto* const visit = qvid::web::engines().visit();
  if (visit == nullptr) {
    if (picture != 0) qvid_js_picture_free(picture);
    return;
  }
  visit->on_decoded(ticket, picture == 0 ? std::nullopt : std::optional(picture),
                    {.width = width, .height = height}, qvid::steady_now());
  qvid::web::turn();
}

// `stereo`: so many interleaved frames; 0: the packet could not be decoded.
EMSCRIPTEN_KEEPALIVE void qvid_sound_decoded(int ticket, const float* stereo, int frames) {
  auto* const visit = qvid::web::engines().visit();
  if (visit == nullptr) return;
  visit->on_sound_decoded(ticket, std::span(stereo, 2 * static_cast<std::size_t>(frames)),
                          qvid::steady_now());
}

// The next kSoundTurn stereo frames, the first of which is heard in so many milliseconds; null: there
// is nobody to hear. Valid until the next call.
EMSCRIPTEN_KEEPALIVE const float* qvid_sound_turn(double heard_in_ms) {
  auto* const visit = qvid::web::engines().visit();
  if (visit == nullptr) return nullptr;
  const auto heard = qvid::steady_now() + qvid::from_seconds(heard_in_ms / 1000);
  return visit->sound_turn(heard).data();
}

// Of the own pictures there are two tracks: the camera's, and what is shared.
EMSCRIPTEN_KEEPALIVE void qvid_own_on(int share, int on) {
  if (qvid::web::engines().guest) qvid::web::engines().guest->own(share != 0).turn_on(on != 0);
  qvid::web::turn();
}

// An own picture has come: as PictureTrack::on_picture.
EMSCRIPTEN_KEEPALIVE int qvid_own_picture(int share) {
  auto& guest = qvid::web::engines().guest;
  return guest ? guest->own(share != 0).on_picture(qvid::steady_now()) : 0;
}

EMSCRIPTEN_KEEPALIVE void qvid_own_encoded(int share, int ticket, int key, int width, int height,
                                           const void* bytes, int size) {
  auto& guest = qvid::web::engines().guest;
  if (!guest) return;
  guest->own(share != 0)
      .on_encoded(ticket, key != 0, {.width = width, .height = height},
                  std::span(static_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)),
                  qvid::steady_now());
  qvid::web::turn();
}

EMSCRIPTEN_KEEPALIVE void qvid_voice_on(int on) {
  if (qvid::web::engines().guest) qvid::web::engines().guest->voice().turn_on(on != 0);
  qvid::web::turn();
}

EMSCRIPTEN_KEEPALIVE void qvid_mute(int on) {
  if (qvid::web::engines().guest) qvid::web::engines().guest->voice().mute(on != 0);
  qvid::web::turn();
}

// Samples of the microphone, one channel at 48 kHz. 1: they are to be encoded; and 2: somebody speaks
// while muted.
EMSCRIPTEN_KEEPALIVE int qvid_voice_samples(const float* mono, int frames) {
  auto& guest = qvid::web::engines().guest;
  if (!guest) return 0;
  const std::span samples(mono, static_cast<std::size_t>(frames));
  const bool wanted = guest->voice().on_samples(samples, qvid::steady_now());
  return (wanted ? 1 : 0) + (guest->voice().speaks_muted() ? 2 : 0);
}

// A packet, whose first sample came so many milliseconds ago.
EMSCRIPTEN_KEEPALIVE void qvid_voice_encoded(double age_ms, const void* bytes, int size) {
  auto& guest = qvid::web::engines().guest;
  if (!guest) return;
  guest->voice().on_encoded(
      std::span(static_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)),
      qvid::steady_now() - qvid::from_seconds(age_ms / 1000));
  qvid::web::turn();
}

EMSCRIPTEN_KEEPALIVE void qvid_say(const char* text) {
  if (qvid::web::engines().guest) qvid::web::engines().guest->say(text);
  qvid::web::turn();
}

EMSCRIPTEN_KEEPALIVE void qvid_raise_hand(int up) {
  if (qvid::web::engines().guest) qvid::web::engines().guest->raise_hand(up != 0);
  qvid::web::turn();
}
// Of who is heard under that name.
EMSCRIPTEN_KEEPALIVE void qvid_volume(const char* name, float volume) {
  if (qvid::web::engines().guest) qvid::web::engines().guest->set_volume(name, volume);
}

// `request`: JSON with what, name, on: as Guest::administer.
EMSCRIPTEN_KEEPALIVE void qvid_administer(const char* request) {
  const auto from = nlohmann::json::parse(request, nullptr, false);
  auto& guest = qvid::web::engines().guest;
  if (!guest || !from.is_object()) return;
  guest->administer(qvid::web::text_of(from, "what"), qvid::web::text_of(from, "name"),
                    from.value("on", false));
  qvid::web::turn();
}
}
