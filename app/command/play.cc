// `qvid play`: QClient on the command line, in a window or without one.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command/commands.h"
#include "app/command/play_run.h"
#include "app/command/remembered.h"
#include "app/command/report.h"
#include "app/command/sound_notices.h"
#include "app/log/log.h"
#include "app/log/logged_sound.h"
#include "app/options/decoder_option.h"
#include "app/options/output_file.h"
#include "app/options/output_log_option.h"
#include "app/options/playout_option.h"
#include "app/options/scale_option.h"
#include "app/options/source_sound.h"
#include "app/options/token_option.h"
#include "app/options/transport_options.h"
#include "app/options/values.h"
#include "base/text.h"
#include "media/picture/image_file.h"

namespace qvid::app {
namespace {

struct PlayArguments {
  std::string url;
  int window = 3;  // frames
  int layers = kAllLayers;
  media::PlayoutMode playout = media::PlayoutMode::kEarly;
  DecoderArguments decoder;
  std::string prefer = "motion";
  CredentialArguments token;
  std::string frames;               // file for the CSV
  std::string start;                // place in a file
  double speed = 1;                 // of a file
  std::vector<std::string> seeks;   // "AT=TO"
  std::vector<std::string> pauses;  // "AT=FOR"
  double duration = 0;              // seconds; 0: until stopped
  int pictures = 0;                 // 0: until stopped
  bool headless = false;
  bool no_retry = false;
  bool overlay = false;
  bool fullscreen = false;
  float scale = 0;
  std::string screenshot;  // file for the last picture
  std::string output_log;
  SoundArguments sound;
  TransportArguments transport;
  ClientArguments client;
};

Result<std::vector<Timed>> parse_timed(const std::vector<std::string>& texts,
                                       const std::string& option) {
  std::vector<Timed> all;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const auto at = parse_place(text.substr(0, equals));
    const auto what = parse_place(equals == std::string::npos ? "" : text.substr(equals + 1));
    if (!at || !what) {
      return Error{option + ": " + in_quotes(text) +
                   " is not AT=" + (option == "--seek" ? "PLACE" : "TIME") + ", as 5=1:02"};
    }
    all.push_back({.at = *at, .what = *what});
  }
  return all;
}

ExitCode play(PlayArguments arguments, const CommonOptions& common) {
  const Remembered remembered({.client = arguments.client,
                               .sound = arguments.sound,
                               .scale = arguments.scale,
                               .in_window = !arguments.headless});
  auto to = destination_of(arguments.url, arguments.transport, arguments.client);
  if (!to) {
    log_error("{}", to.error().message);
    return kExitUsage;
  }
  if (arguments.no_retry) to->session.resume_limit = {};
  const auto start = parse_place(arguments.start.empty() ? "0" : arguments.start);
  if (!start) {
    log_error("{}", start.error().message);
    return kExitUsage;
  }
  const auto token = shown_token(arguments.token);
  if (!token) {
    log_error("{}", token.error().message);
    return kExitUsage;
  }
  const auto seeks = parse_timed(arguments.seeks, "--seek");
  const auto pauses = parse_timed(arguments.pauses, "--pause");
  if (!seeks || !pauses) {
    log_error("{}", (seeks ? pauses : seeks).error().message);
    return kExitUsage;
  }
  const auto notices = std::make_shared<SoundNotices>();
  SoundDevices devices([notices](const media::SoundStatus& status) { notices->tell(status); });
  auto sound = sound_beside(arguments.sound, nullptr,
                            {.plays = true, .headless = arguments.headless}, devices);
  if (!sound) {
    log_error("{}", sound.error().message);
    return kExitUsage;
  }
  const auto output_log = open_output_log(arguments.output_log);
  if (!output_log) {
    log_error("{}", output_log.error().message);
    return kExitUsage;
  }
  for (const std::string& file : {arguments.frames, arguments.screenshot}) {
    if (file.empty()) continue;
    if (const auto error = unwritable(file)) {
      log_error("{}", error->message);
      return kExitUsage;
    }
  }
  std::unique_ptr<ui::PlayerWindow> window;
  if (!arguments.headless) {
    auto opened = ui::PlayerWindow::open({.title = "Qvid - " + to->url.text(),
                                          .size = {960, 540},
                                          .show_overlay = arguments.overlay,
                                          .fullscreen = arguments.fullscreen,
                                          .scale = arguments.scale});
    if (!opened) {
      log_error("{}", opened.error().message);
      return kExitFailure;
    }
    window = std::move(*opened);
  }
  PlayRun run({.url = to->url,
               .window = arguments.window,
               .playout = arguments.playout,
               .prefer = *media::parse_preference(arguments.prefer),
               .layers = arguments.layers,
               .start = *start,
               .speed = arguments.speed,
               .volume = window ? remembered.volume_of(to->url.text()) : 1,
               .token = *token,
               .retry = !arguments.no_retry,
               .session = to->session,
               .trust = to->trust,
               .proxy = to->proxy,
               .signals_file = arguments.transport.signals,
               .frames_file = arguments.frames,
               .decoders = decoders_of(arguments.decoder)},
              logged(std::move(sound->output), *output_log), *output_log, window.get());
  for (const Timed& seek : *seeks) run.seek(seek);
  for (const Timed& pause : *pauses) run.pause(pause);
  notices->set_sink([&run](const media::SoundStatus& status) {
    if (!status.ok) run.show_notice(printable(status.text));
  });
  for (const std::string& trouble : remembered.troubles()) run.show_notice(trouble);
  ExitCode code = run.run({.seconds = arguments.duration, .pictures = arguments.pictures});
  notices->set_sink({});
  const PlayerReport report = run.report();
  if (window) remembered.keep_volume(to->url.text(), report.volume.level);
  if (common.json) {
    fmt::print("{}\n", dump(json_of(report, to->url)));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(report, to->url));
  }
  if (code == kExitOk && report.playback.frames_shown == 0) {
    if (!report.status.empty()) log_error("{}", report.status);
    code = kExitFailure;
  }
  if (!arguments.screenshot.empty() && run.last_picture()) {
    if (auto saved = media::write_png(run.last_picture()->picture, arguments.screenshot); !saved) {
      log_error("{}", saved.error().message);
      code = kExitFailure;
    }
  }
  return code;
}

}  // namespace

Run add_play(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<PlayArguments>();
  CLI::App* c = qvid.add_subcommand("play", "Play a video that `qvid serve` serves");
  c->add_option("url", a->url,
                "qvid://host[:port]/live or qvid://host[:port]/path/of/file; behind it, "
                "#sha256:... names the one server key to trust")
      ->required();
  c->add_option("-w,--window", a->window,
                "Deadline in frames: for so long the server still sends what is late. More "
                "survives a worse network; on a good one it makes no delay")
      ->check(CLI::Range(1, 300))
      ->capture_default_str();
  add_token_options(*c, a->token);
  add_playout_option(*c, a->playout);
  add_decoder_option(*c, a->decoder);
  c->add_option("--prefer", a->prefer,
                "What goes first where not all fits: motion (all frames, soft), detail (fewer, "
                "sharp) or balanced")
      ->check(CLI::IsMember({"motion", "detail", "balanced"}))
      ->capture_default_str();
  c->add_option(
       "--layers", a->layers,
       "No more layers of the picture than so many: 1, the base alone, takes the least data "
       "(key l)")
      ->check(CLI::Range(1, kAllLayers));
  c->add_option("--start", a->start, "Of a file: the place to begin at, as 1:02:03, 2:03 or 90s");
  c->add_option("--speed", a->speed,
                "Of a file: how fast it is played, 0.5 to 2 (keys [ and ]); sound keeps its pitch")
      ->check(CLI::Range(media::kPlaySpeeds.front(), media::kPlaySpeeds.back()))
      ->capture_default_str();
  c->add_option("--seek", a->seeks,
                "Of a file: go to a place some seconds after the first picture, as 5=1:02:03; for "
                "scripts");
  c->add_option("--pause", a->pauses,
                "Pause some seconds after the first picture for so long, as 5=10; for scripts");
  c->add_flag("--headless", a->headless,
              "Without a window, and without a loudspeaker unless it is named: play and report");
  add_speaker_option(*c, a->sound);
  c->add_option("-d,--duration", a->duration, "Stop after so many seconds; 0: play on")
      ->check(CLI::Range(0.0, 1e7))
      ->capture_default_str();
  c->add_option("--pictures", a->pictures,
                "Stop after so many pictures; 0: play on. For scripts: 1 says whether video comes")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  c->add_flag("--no-retry", a->no_retry, "Give up when there is no connection");
  c->add_flag("--overlay", a->overlay, "Show statistics from the start (key i)");
  c->add_flag("--fullscreen", a->fullscreen, "Fill the screen from the start (key f)");
  add_scale_option(*c, a->scale);
  c->add_option("--frames", a->frames,
                "Write a line for every frame of live video to this file, as CSV");
  c->add_option("--screenshot", a->screenshot, "Write the last picture to this file as PNG");
  add_output_log_option(*c, a->output_log);
  add_transport_options(*c, a->transport);
  add_client_options(*c, a->client);
  add_limit_down(*c, a->client);
  return [a, &common] { return play(*a, common); };
}

}  // namespace qvid::app
