#include "app/command/party_arguments.h"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>

#include "app/options/shared_sound.h"
#include "app/options/source_sound.h"
#include "app/options/token_option.h"

namespace qvid::app {

namespace {
constexpr int kShortWindow = 1;  // frames, with --low-delay
}  // namespace

std::string default_name() {
  if (const char* user = std::getenv("USER"); user != nullptr && *user != '\0') return user;
  return fmt::format("guest-{}", ::getpid());
}

void add_party_options(CLI::App& c, PartyArguments& a) {
  c.add_option("-n,--name", a.name, "Your name in the room; default: the login name");
  add_token_options(c, a.token);
  a.window_option =
      c.add_option(
           "-w,--window", a.window,
           "Deadline in frames, for each of the two ways: for so long what is late is still sent")
          ->check(CLI::Range(1, 100))
          ->capture_default_str();
  c.add_option("-d,--duration", a.duration, "Stop after so many seconds; 0: go on")
      ->check(CLI::Range(0.0, 1e7));
  c.add_flag("--no-retry", a.no_retry, "Give up when there is no connection");
  add_transport_options(c, a.transport);
  add_client_options(c, a.client);
  add_limit_down(c, a.client);
}

Result<std::optional<RoomSoundOptions>> party_sound(const PartyArguments& a, Role role,
                                                    bool source_first, PartyOptions& options,
                                                    SoundDevices& devices) {
  // A film that is shared is heard rather than the microphone, as one that is shown is.
  const bool film = options.share && options.share->source.kind == media::SourceSpec::Kind::kFile;
  auto& source = film ? options.share : options.source;
  auto engine = sound_beside(a.sound, source ? &*source : nullptr,
                             {.sends = role.publishes,
                              .plays = role.watches,
                              .headless = a.headless || !role.watches,
                              .is_all_about_it = source_first},
                             devices);
  if (!engine) return engine.error();
  // Only a call shares; without a window all is said beforehand.
  if (role.publishes && role.watches && (a.share_sound || !a.headless)) {
    add_shared_sound(*engine, devices.on_status());
  }
  if (!engine->input && !role.watches) return std::optional<RoomSoundOptions>();
  return std::optional(RoomSoundOptions{.engine = *std::move(engine), .muted = a.sound.muted});
}

Result<Destination> room_of(const PartyArguments& a) {
  return destination_of(a.url, a.transport, a.client, kCallRoom);
}

Result<media::LiveInOptions> share_source(const std::string& spec, const PartyArguments& a) {
  SourceArguments source = a.live;
  source.size.clear();
  source.layers = SourceArguments().layers;
  return live_options(spec, source);
}

Result<PartyOptions> party_options(const PartyArguments& a, Role role, const Destination& to) {
  const auto token = shown_token(a.token);
  if (!token) return token.error();
  PartyOptions options{.url = to.url,
                       .name = qps::name_form(a.name.empty() ? default_name() : a.name),
                       .token = *token,
                       .source = {},
                       .share = {},
                       .share_sound = a.share_sound,
                       .watches = role.watches,
                       .names = a.names,
                       .best = a.best == kFromInput ? std::string() : a.best,
                       .seats = a.seats,
                       .window = a.window,
                       .playout = a.playout,
                       .decoders = decoders_of(a.decoder),
                       .retry = !a.no_retry,
                       .session = to.session,
                       .trust = to.trust,
                       .proxy = to.proxy};
  // It joins anew rather than waits: the others are told soon.
  options.session.resume_limit =
      std::min<Duration>(to.session.resume_limit, std::chrono::seconds(2));
  const bool said = a.window_option != nullptr && a.window_option->count() > 0;
  if (a.sound.low_delay && !said) options.window = kShortWindow;
  if (options.best.size() > qps::kMaxCriterion) {
    return Error{fmt::format("--best: at most {} bytes", qps::kMaxCriterion)};
  }
  if (!qps::is_name(options.name)) {
    return Error{"--name: 1 to 64 bytes, without control characters"};
  }
  if (!qps::is_name(to.url.name)) return Error{"the room is the URL's path: qvid://host/room"};
  if (role.publishes && !a.no_camera) {
    auto source = live_options(a.source, a.live);
    if (!source) return source.error();
    options.source = *std::move(source);
  }
  if (role.publishes && !a.share.empty()) {
    auto share = share_source(a.share, a);
    if (!share) return share.error();
    options.share = *std::move(share);
  }
  return options;
}

}  // namespace qvid::app
