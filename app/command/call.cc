// `qvid call`, `qvid publish`, `qvid watch`: parties of a room.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <boost/asio/io_context.hpp>
#include <memory>

#include "app/command/commands.h"
#include "app/command/hosted_call.h"
#include "app/command/party_arguments.h"
#include "app/command/party_run.h"
#include "app/command/party_text.h"
#include "app/command/remembered.h"
#include "app/command/report.h"
#include "app/command/sound_notices.h"
#include "app/log/log.h"
#include "app/log/logged_sound.h"
#include "app/options/output_file.h"
#include "app/options/output_log_option.h"
#include "app/options/playout_option.h"
#include "app/options/scale_option.h"
#include "app/options/screenshot.h"
#include "app/options/sound_options.h"
#include "ui/call/call_window.h"

namespace qvid::app {
namespace {

struct CallArguments : PartyArguments {
  bool hosts = false;  // with --host
  HostArguments hosting;
};

ExitCode run_party(CallArguments a, Role role, const CommonOptions& common) {
  const auto failed = [](const Error& error, ExitCode code) {
    log_error("{}", error.message);
    return code;
  };
  if (a.chat && a.best == kFromInput) {
    return failed(Error{"standard input is for --chat or for --best -, not for both"}, kExitUsage);
  }
  Remembered remembered(a, role);
  a.sound.muted = a.sound.muted || a.push_to_talk;
  boost::asio::io_context io(1);
  std::unique_ptr<HostedCall> hosted;
  if (a.hosts) {
    auto options = hosted_call_options(a.hosting, a.transport, a.client, a.token.passphrase);
    if (!options) return failed(options.error(), kExitUsage);
    a.token.passphrase = options->passphrase;
    auto opened = HostedCall::open(io, *std::move(options));
    if (!opened) return failed(opened.error(), kExitFailure);
    hosted = *std::move(opened);
  }
  const auto to = hosted ? hosted->own(a.transport, a.client) : room_of(a);
  if (!to) return failed(to.error(), kExitUsage);
  auto options = party_options(a, role, *to);
  if (!options) return failed(options.error(), kExitUsage);
  if (!a.screenshot.empty()) {
    if (const auto error = unwritable(a.screenshot)) return failed(*error, kExitUsage);
  }
  std::unique_ptr<ui::CallWindow> window;
  if (role.watches && !a.headless) {
    auto opened = ui::CallWindow::open(
        {.title = "Qvid - " + to->url.name, .size = remembered.window_size(), .scale = a.scale});
    if (!opened) return failed(opened.error(), kExitFailure);
    window = *std::move(opened);
    window->set_layout(remembered.layout());
  }
  const auto notices = std::make_shared<SoundNotices>();
  SoundDevices devices([notices](const media::SoundStatus& status) { notices->tell(status); });
  auto sound = party_sound(a, role, !role.watches, *options, devices);
  if (!sound) return failed(sound.error(), kExitUsage);
  auto output_log = open_output_log(a.output_log);
  if (!output_log) return failed(output_log.error(), kExitUsage);
  if (*sound && *output_log) {
    media::SoundEngineOptions& engine = (*sound)->engine;
    engine.input = logged(std::move(engine.input), *output_log);
    engine.output = logged(std::move(engine.output), *output_log);
  }
  const auto remember = [&remembered](const std::function<void(Settings&)>& change) {
    return remembered.change(change);
  };
  PartyRun run(io, a, *std::move(options), *std::move(sound), *output_log,
               {.publishes = role.publishes, .sound = devices, .remember = remember}, window.get(),
               hosted.get(), common.json);
  notices->set_sink([&run](const media::SoundStatus& status) { run.on_sound_status(status); });
  if (window) run.set_volumes(remembered.volumes());
  for (const std::string& trouble : remembered.troubles()) run.show_notice(trouble);
  if (hosted) hosted->announce(!common.quiet && !common.json);
  const ExitCode code = run.run();
  if (window) {
    remembered.keep(*window, run.report().has_joined && !hosted ? to->url.text() : "",
                    run.report().volumes);
  }
  if (window && !a.screenshot.empty()) save_screenshot(*window, a.screenshot);
  notices->set_sink({});
  const PartyReport report = run.report();
  if (common.json) {
    fmt::print("{}\n", dump(json_of(report)));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(report, role.publishes));
  }
  return code;
}

void add_watch_options(CLI::App& c, PartyArguments& a) {
  c.add_option("--seats", a.seats, "Parties shown at the same time")
      ->check(CLI::Range(1, static_cast<int>(qps::kMaxSeats)))
      ->capture_default_str();
  c.add_option(
      "--best", a.best,
      "Show those who come first by criteria (docs/preferences.md), as \"ORDER BY loudness DESC\", "
      "rather than everybody; -: criteria come on standard input, each line in place of the one "
      "before");
  c.add_flag(
      "--headless", a.headless,
      "Without a window: watch and report; without sound devices, too, unless they are named");
  add_playout_option(c, a.playout);
  add_decoder_option(c, a.decoder);
  add_scale_option(c, a.scale);
  c.add_option("--screenshot", a.screenshot, "Write the window to this file as PNG at the end");
  add_output_log_option(c, a.output_log);
}

void add_chat_option(CLI::App& c, PartyArguments& a) {
  c.add_flag("--chat", a.chat,
             "Lines of standard input are messages to all in the room, or to one: \"@Ann hello\"");
}

}  // namespace

Run add_call(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<CallArguments>();
  CLI::App* c = qvid.add_subcommand("call", "Join a room: show yourself and see the others");
  auto* url = c->add_option("url", a->url, kRoomUrl);
  auto* host = c->add_option("--host", a->hosting.listen,
                             "A call without a broker: wait for others at this address; without "
                             "one, at port 7400 of all interfaces")
                   ->expected(0, 1);
  add_open_option(*c, a->hosting.open)
      ->needs(host);  // else there is a --passphrase, made if not given
  c->add_option("--max-parties", a->hosting.max_parties,
                "Parties of a hosted call, yourself among them")
      ->check(CLI::Range(2, 8))
      ->capture_default_str()
      ->needs(host);
  c->add_option("--source", a->source, "What to show, as of `qvid serve`; default: the camera");
  c->add_option(
      "--share", a->share,
      "Share this beside your camera: screen[:DISPLAY][@WxH+X+Y|@window=NUMBER], or a file; "
      "screen on Wayland: the desktop lets you choose");
  c->add_flag(
      "--share-sound", a->share_sound,
      "What other programs play goes along with what is shared, from the first time on; needs "
      "PulseAudio, or PipeWire in its place");
  c->add_flag("--no-camera", a->no_camera, "Begin without a picture of yourself");
  add_watch_options(*c, *a);
  add_party_options(*c, *a);
  add_source_options(*c, a->live);
  add_microphone_options(*c, a->sound);
  c->add_flag(
      "--push-to-talk", a->push_to_talk,
      "Begin muted, and talk while a key is held: space in the window, or in any window the "
      "key that the desktop gives, where its portal has global shortcuts");
  add_speaker_option(*c, a->sound);
  add_server_security(*c, a->hosting.security);
  add_chat_option(*c, *a);
  return [a, url, host, &common]() -> ExitCode {
    a->hosts = host->count() > 0;
    if (a->hosts && url->count() > 0) {
      log_error("give the URL of who waits, or --host to wait here, not both");
      return kExitUsage;
    }
    if (!a->hosts && url->count() == 0) {
      log_error("say whom to call: the URL of a room, or of a host; or --host to wait here");
      return kExitUsage;
    }
    return run_party(*a, {.publishes = true, .watches = true}, common);
  };
}

Run add_publish(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<CallArguments>();
  CLI::App* c = qvid.add_subcommand("publish", "Publish a source in a room");
  c->add_option("source", a->source, "As of `qvid serve`: camera, screen, test, a file or URL")
      ->required();
  c->add_option("url", a->url, kRoomUrl)->required();
  add_party_options(*c, *a);
  add_source_options(*c, a->live);
  add_microphone_options(*c, a->sound);
  add_output_log_option(*c, a->output_log);
  add_chat_option(*c, *a);
  return [a, &common] { return run_party(*a, {.publishes = true, .watches = false}, common); };
}

Run add_watch(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<CallArguments>();
  CLI::App* c = qvid.add_subcommand("watch", "Watch a room without being seen");
  c->add_option("url", a->url, kRoomUrl)->required();
  c->add_option("who", a->names, "Whom to watch; default: everybody");
  add_watch_options(*c, *a);
  add_party_options(*c, *a);
  add_speaker_option(*c, a->sound);
  add_chat_option(*c, *a);
  return [a, &common] { return run_party(*a, {.publishes = false, .watches = true}, common); };
}

}  // namespace qvid::app
