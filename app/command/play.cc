// `qvid play`: QClient on the command line, in a window or without one.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "app/command/commands.h"
#include "app/command/report.h"
#include "app/log/log_flusher.h"
#include "app/log/logged_sound.h"
#include "app/options/screenshot.h"
#include "app/options/source_sound.h"
#include "app/options/transport_options.h"
#include "app/options/values.h"
#include "app/play/player.h"
#include "app/reception/volume.h"
#include "base/clock.h"
#include "media/picture/image_file.h"
#include "media/picture/latest_frame.h"
#include "transport/socket/timer.h"
#include "ui/player/player_window.h"

namespace qvid::app {
namespace {

constexpr std::size_t kPlottedDelays = 120;
constexpr Duration kPlayTurn = std::chrono::milliseconds(250);
constexpr int kFirstWindow = 3;  // frames, of an automatic one
constexpr Duration kNoticeTime = std::chrono::seconds(3);

struct PlayArguments {
  std::string url;
  std::string window = "3";
  double max_delay = 400;  // ms
  std::string prefer = "motion";
  std::string frames;               // file for the CSV
  std::string start;                // place in a file
  std::vector<std::string> seeks;   // "AT=TO"
  std::vector<std::string> pauses;  // "AT=FOR"
  double duration = 0;              // seconds; 0: until stopped
  bool headless = false;
  bool no_retry = false;
  bool overlay = false;
  bool fullscreen = false;
  std::string screenshot;  // file for the last picture
  std::string output_log;
  SoundArguments sound;
  TransportArguments transport;
  ClientArguments client;
};

// What a viewer would do with keys, told beforehand: for scripts and measurements.
struct Timed {
  Duration at{};    // since the start
  Duration what{};  // the place to go to, or how long to pause
};

Result<std::vector<Timed>> parse_timed(const std::vector<std::string>& texts,
                                       const std::string& option) {
  std::vector<Timed> all;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const auto at = parse_place(text.substr(0, equals));
    const auto what = parse_place(equals == std::string::npos ? "" : text.substr(equals + 1));
    if (!at || !what) {
      return Error{option + ": '" + text +
                   "' is not AT=" + (option == "--seek" ? "PLACE" : "TIME") + ", as 5=1:02"};
    }
    all.push_back({.at = *at, .what = *what});
  }
  return all;
}

// A player on its own network thread, and what ends it: Ctrl-C, the duration, or the stream.
class PlayRun {
 public:
  PlayRun(const PlayArguments& arguments, PlayerOptions options,
          std::unique_ptr<media::SoundOutput> speaker, std::shared_ptr<OutputLog> output_log,
          const std::vector<Timed>& seeks, const std::vector<Timed>& pauses)
      : url_(options.url),
        output_log_(std::move(output_log)),
        log_flusher_(io_, output_log_),
        signals_(io_, SIGINT, SIGTERM),
        player_(io_, std::move(options), std::move(speaker),
                {.picture = [this](media::ShownPicture p) { on_picture(std::move(p)); },
                 .changed = [this] { wake(); },
                 .ended = [this](ExitCode code, const std::string& why) { on_ended(code, why); }}) {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      signals_.clear();  // a second Ctrl-C ends at once, whatever a name server does
      player_.stop();
    });
    for (const Timed& seek : seeks) {
      later(seek.at, [this, to = seek.what] { player_.seek(to); });
    }
    for (const Timed& pause : pauses) {
      later(pause.at, [this] { player_.toggle_pause(); });
      later(pause.at + pause.what, [this] { player_.toggle_pause(); });
    }
    if (arguments.duration > 0) {
      later(from_seconds(arguments.duration), [this] { player_.stop(); });
    }
  }

  ExitCode headless() {
    player_.start();
    io_.run();
    return code_;
  }

  ExitCode in_window(ui::PlayerWindow& window) {
    window_ = &window;
    player_.start();
    std::jthread network([this] { io_.run(); });
    std::vector<float> delays;
    while (!ended_) {
      for (const ui::KeyCommand command : window.wait(kPlayTurn)) act(command, window);
      if (auto picture = latest_.take()) {
        window.show(picture->decoded.picture, picture->decoded.nominal);
        if (delays.size() >= kPlottedDelays) delays.erase(delays.begin());
        if (!stored_) delays.push_back(static_cast<float>(to_ms(picture->delay)));
        keep_last(*picture);
      }
      const PlayerReport report = player_.report();
      stored_ = report.stored.has_value();
      const bool noticed = steady_now() < notice_until_;
      window.draw({.title = url_.text(),
                   .rows = overlay_rows(report),
                   .delay_ms = delays,
                   .status = report.status.empty() && noticed ? notice_ : report.status,
                   .progress = progress_of(report),
                   .paused = report.paused,
                   .volume = report.volume.level,
                   .silenced = report.volume.silenced});
    }
    network.join();
    window_ = nullptr;
    return code_;
  }

  PlayerReport report() const { return player_.report(); }
  const std::optional<media::DecodedFrame>& last_picture() {
    if (auto picture = latest_.take()) keep_last(*picture);
    return last_;
  }

 private:
  void on_picture(media::ShownPicture picture) {
    if (output_log_) output_log_->picture(steady_now(), url_.name, picture.decoded.picture);
    latest_.put(std::move(picture));
    wake();
  }
  void wake() {
    if (window_ != nullptr) window_->wake();
  }
  template <class F>
  void later(Duration wait, F f) {
    timers_.push_back(std::make_unique<paceline::Timer>(io_));
    timers_.back()->after(wait, std::move(f));
  }
  void on_ended(ExitCode code, const std::string& why) {
    signals_.cancel();
    timers_.clear();
    log_flusher_.stop();
    if (code != kExitOk) {
      spdlog::error("{}", why);
    } else {
      spdlog::info("ended: {}", why);
    }
    code_ = code;
    ended_ = true;
    wake();
  }
  static std::optional<ui::ProgressModel> progress_of(const PlayerReport& report) {
    if (!report.stored) return std::nullopt;
    const media::StoredPlaybackStats& now = report.stored->now;
    return ui::ProgressModel{
        .place = now.place, .duration = report.stored->duration, .buffered = now.buffered};
  }
  void act(ui::KeyCommand command, ui::PlayerWindow& window) {
    using enum ui::KeyCommand;
    switch (command) {
      case kQuit: return on_network([this] { player_.stop(); });
      case kScreenshot: return save_screenshot(window, screenshot_name());
      case kPause: return on_network([this] { player_.toggle_pause(); });
      case kSeek: return on_network([this, to = window.sought()] { player_.seek(to); });
      case kBegin: return go([this] { player_.seek({}); });
      case kBack10: return go([this] { player_.seek_by(-10s); });
      case kForward10: return go([this] { player_.seek_by(10s); });
      case kBack60: return go([this] { player_.seek_by(-60s); });
      case kForward60: return go([this] { player_.seek_by(60s); });
      case kSilence: return on_network([this] { player_.toggle_silence(); });
      case kLouder: return on_network([this] { player_.change_volume(kVolumeStep); });
      case kSofter: return on_network([this] { player_.change_volume(1 / kVolumeStep); });
    }
  }
  template <class F>
  void on_network(F f) {
    boost::asio::post(io_, std::move(f));
  }
  // A seek, which live video does not know.
  template <class F>
  void go(F f) {
    if (stored_) return on_network(std::move(f));
    notice_ = "this is live: it can be paused, but it has no other place to go to";
    notice_until_ = steady_now() + kNoticeTime;
  }
  void keep_last(const media::ShownPicture& picture) { last_ = picture.decoded; }

  const Url url_;
  const std::shared_ptr<OutputLog> output_log_;  // empty: none
  boost::asio::io_context io_{1};
  LogFlusher log_flusher_;
  boost::asio::signal_set signals_;
  std::vector<std::unique_ptr<paceline::Timer>> timers_;
  media::Latest<media::ShownPicture> latest_;
  std::optional<media::DecodedFrame> last_;
  bool stored_ = false;  // these three: of the main thread
  std::string notice_;
  Timestamp notice_until_{};
  ui::PlayerWindow* window_ = nullptr;  // set before the network thread starts
  ExitCode code_ = kExitOk;             // set before ended_
  std::atomic<bool> ended_ = false;
  Player player_;
};

ExitCode play(const PlayArguments& arguments, const CommonOptions& common) {
  auto to = destination_of(arguments.url, arguments.transport, arguments.client);
  if (!to) {
    spdlog::error("{}", to.error().message);
    return kExitUsage;
  }
  if (arguments.no_retry) to->session.resume_limit = {};
  const auto start = parse_place(arguments.start.empty() ? "0" : arguments.start);
  if (!start) {
    spdlog::error("{}", start.error().message);
    return kExitUsage;
  }
  const auto seeks = parse_timed(arguments.seeks, "--seek");
  const auto pauses = parse_timed(arguments.pauses, "--pause");
  if (!seeks || !pauses) {
    spdlog::error("{}", (seeks ? pauses : seeks).error().message);
    return kExitUsage;
  }
  auto sound = sound_beside(arguments.sound, nullptr,
                            {.plays = true, .headless = arguments.headless}, log_sound_status);
  if (!sound) {
    spdlog::error("{}", sound.error().message);
    return kExitUsage;
  }
  const auto output_log = open_output_log(arguments.output_log);
  if (!output_log) {
    spdlog::error("{}", output_log.error().message);
    return kExitUsage;
  }
  std::unique_ptr<ui::PlayerWindow> window;
  if (!arguments.headless) {
    auto opened = ui::PlayerWindow::open({.title = "Qvid - " + to->url.text(),
                                          .size = {960, 540},
                                          .show_overlay = arguments.overlay,
                                          .fullscreen = arguments.fullscreen});
    if (!opened) {
      spdlog::error("{}", opened.error().message);
      return kExitFailure;
    }
    window = std::move(*opened);
  }
  std::optional<media::WindowPolicyOptions> automatic;
  if (arguments.window == "auto") {
    automatic.emplace();
    automatic->max_delay = from_seconds(arguments.max_delay / 1000);
  }
  PlayRun run(arguments,
              {.url = to->url,
               .window = automatic ? kFirstWindow : std::stoi(arguments.window),
               .automatic_window = automatic,
               .prefer = *media::parse_preference(arguments.prefer),
               .start = *start,
               .retry = !arguments.no_retry,
               .session = to->session,
               .trust = to->trust,
               .signals_file = arguments.transport.signals,
               .frames_file = arguments.frames},
              logged(std::move(sound->output), *output_log), *output_log, *seeks, *pauses);
  ExitCode code = window ? run.in_window(*window) : run.headless();
  const PlayerReport report = run.report();
  if (common.json) {
    fmt::print("{}\n", dump(json_of(report, to->url)));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(report, to->url));
  }
  if (code == kExitOk && report.playback.frames_shown == 0) {
    if (!report.status.empty()) spdlog::error("{}", report.status);
    code = kExitFailure;
  }
  if (!arguments.screenshot.empty() && run.last_picture()) {
    if (auto saved = media::write_png(run.last_picture()->picture, arguments.screenshot); !saved) {
      spdlog::error("{}", saved.error().message);
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
                "Transmit window in frames: more survives a worse network, and is later. "
                "Delay = 1 + window + 2 frames. auto: as small as the network lets it")
      ->check(CLI::Range(1, 300) | CLI::IsMember({"auto"}))
      ->capture_default_str();
  c->add_option("--max-delay", a->max_delay,
                "The most that --window auto may make of the delay, in ms, without the path")
      ->check(CLI::Range(50.0, 10'000.0))
      ->capture_default_str();
  c->add_option("--prefer", a->prefer,
                "What goes first where not all fits: motion (all frames, soft), detail (fewer, "
                "sharp) or balanced")
      ->check(CLI::IsMember({"motion", "detail", "balanced"}))
      ->capture_default_str();
  c->add_option("--start", a->start, "Of a file: the place to begin at, as 1:02:03, 2:03 or 90s");
  c->add_option("--seek", a->seeks,
                "Of a file: go to a place some seconds after the start, as 5=1:02:03; for scripts");
  c->add_option("--pause", a->pauses,
                "Pause some seconds after the start for so long, as 5=10; for scripts");
  c->add_flag("--headless", a->headless,
              "Without a window, and without a loudspeaker unless it is named: play and report");
  add_speaker_option(*c, a->sound);
  c->add_option("-d,--duration", a->duration, "Stop after so many seconds; 0: play on")
      ->check(CLI::Range(0.0, 1e7))
      ->capture_default_str();
  c->add_flag("--no-retry", a->no_retry, "Give up when there is no connection");
  c->add_flag("--overlay", a->overlay, "Show statistics from the start (key i)");
  c->add_flag("--fullscreen", a->fullscreen, "Fill the screen from the start (key f)");
  c->add_option("--frames", a->frames,
                "Write a line for every frame of live video to this file, as CSV");
  c->add_option("--screenshot", a->screenshot, "Write the last picture to this file as PNG");
  add_output_log_option(*c, a->output_log);
  add_transport_options(*c, a->transport);
  add_client_options(*c, a->client);
  return [a, &common] { return play(*a, common); };
}

}  // namespace qvid::app
