// `qvid call`, `qvid publish`, `qvid watch`: parties of a room.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <map>
#include <mutex>
#include <thread>

#include "app/command/commands.h"
#include "app/command/hosted_call.h"
#include "app/command/party_arguments.h"
#include "app/command/report.h"
#include "app/command/sound_report.h"
#include "app/log/log_flusher.h"
#include "app/log/logged_sound.h"
#include "app/options/line_input.h"
#include "app/options/screenshot.h"
#include "app/options/sound_options.h"
#include "app/reception/volume.h"
#include "app/room/room_party.h"
#include "base/clock.h"
#include "base/text.h"
#include "transport/socket/timer.h"
#include "ui/call/call_window.h"

namespace qvid::app {
namespace {

constexpr const char* kEveryInterface = "0.0.0.0";
constexpr Duration kIdleTurn = std::chrono::milliseconds(250);

struct CallArguments : PartyArguments {
  std::string host;  // where to listen, with --host
  bool hosts = false;
  std::size_t max_parties = 2;
  ServerSecurityArguments security;
};

nlohmann::json json_of(const PartyReport& r) {
  nlohmann::json seats = nlohmann::json::array();
  for (const SeatReport& s : r.seats) {
    const media::PlaybackStats& p = s.playback;
    seats.push_back({{"seat", s.seat},
                     {"name", s.name},
                     {"frames_shown", p.frames_shown},
                     {"frames_lost", p.frames_lost},
                     {"frames_full", p.shown_full},
                     {"longest_gap_ms", to_ms(p.longest_gap)},
                     {"freezes", p.freezes},
                     {"sync", json_of_sync(p.sync_errors)},
                     {"switches", s.switches},
                     {"longest_switch_ms", to_ms(s.longest_switch)}});
  }
  nlohmann::json seen = nlohmann::json::array();
  for (const auto& [name, s] : r.seen) {
    seen.push_back({{"name", name},
                    {"frames_shown", s.shown},
                    {"frames_lost", s.lost},
                    {"frames_full", s.full},
                    {"longest_gap_ms", to_ms(s.longest_gap)}});
  }
  return {{"joined", r.joined},
          {"status", r.status},
          {"members", r.members},
          {"seats", std::move(seats)},
          {"seen", std::move(seen)},
          {"sound", r.sound ? json_of(*r.sound) : nlohmann::json()},
          {"frames_published", r.frames_published},
          {"reconnections", r.reconnections},
          {"rtt_ms", to_ms(r.network.rtt)}};
}

std::string text_of(const PartyReport& r) {
  std::string text =
      fmt::format("published {} frames; {} reconnections\n", r.frames_published, r.reconnections);
  for (const SeatReport& s : r.seats) {
    const media::PlaybackStats& p = s.playback;
    text += fmt::format(
        "  {:<12} {} shown, {} lost, {:.0f}% with all layers, longest gap {:.0f} ms, {} switches\n",
        s.name.empty() ? "-" : printable(s.name), p.frames_shown, p.frames_lost,
        p.frames_shown > 0
            ? 100.0 * static_cast<double>(p.shown_full) / static_cast<double>(p.frames_shown)
            : 0.0,
        to_ms(p.longest_gap), s.switches);
  }
  if (r.sound) text += text_of(*r.sound);
  return text;
}

// What sound devices tell, on any thread: into the log, and to the window while there is one.
class SoundNotices {
 public:
  using Sink = std::function<void(const std::string&)>;
  void tell(const media::SoundStatus& status) {
    log_sound_status(status);
    const std::lock_guard lock(mutex_);
    if (sink_ && !status.ok) sink_(printable(status.text));
  }
  void set_sink(Sink sink) {
    const std::lock_guard lock(mutex_);
    sink_ = std::move(sink);
  }

 private:
  std::mutex mutex_;
  Sink sink_;
};

// A party on its own network thread, and what ends it: Ctrl-C, the duration, or a refusal.
class PartyRun {
 public:
  // `hosted`: what it takes part in, if it is the host; it outlives this.
  PartyRun(boost::asio::io_context& io, const PartyArguments& arguments, PartyOptions options,
           std::optional<RoomSoundOptions> sound, std::shared_ptr<OutputLog> output_log,
           HostedCall* hosted)
      : options_(options),
        io_(io),
        hosted_(hosted),
        output_log_(std::move(output_log)),
        signals_(io_, SIGINT, SIGTERM),
        duration_(io_),
        log_flusher_(io_, output_log_),
        muted_(sound && sound->muted),
        party_(io_, std::move(options), std::move(sound),
               {.picture = [this](int seat, const std::string& name,
                                  media::ShownPicture p) { on_picture(seat, name, std::move(p)); },
                .own_picture = [this](const media::VideoFrame& p) { on_own_picture(p); },
                .changed = [this] { wake(); },
                .notice = [this](const std::string& text) { on_notice(text); },
                .ended = [this](ExitCode code, const std::string& why) { on_ended(code, why); }}) {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      signals_.clear();  // a second Ctrl-C ends at once
      party_.stop();
    });
    if (arguments.best == kFromInput) {
      criteria_.emplace(io_, [this](std::string line) { party_.set_best(std::move(line)); });
    }
    if (arguments.duration > 0) {
      duration_.after(from_seconds(arguments.duration), [this] { party_.stop(); });
    }
  }

  ExitCode headless() {
    party_.start();
    io_.run();
    return code_;
  }

  ExitCode in_window(ui::CallWindow& window, const std::string& screenshot) {
    window_ = &window;
    party_.start();
    std::jthread network([this] { io_.run(); });
    while (!ended_) {
      for (const ui::CallCommand command : window.wait(kIdleTurn)) act(command, window);
      const PartyReport report = party_.report();
      std::map<int, media::DecodedFrame> pictures;
      std::optional<media::VideoFrame> own;
      {
        const std::lock_guard lock(mutex_);
        for (const std::string& text : std::exchange(notices_, {})) {
          model_.notices.add(text, steady_now());
        }
        pictures = std::exchange(pictures_, {});
        own = std::exchange(own_, {});
      }
      window.set_tiles(tiles(report));
      for (const auto& [seat, picture] : pictures) {
        window.show_tile(key_of(seat), picture.picture, picture.nominal);
      }
      if (own && publishing_) window.show_tile(kOwnTile, *own, own->size);
      model_.room = options_.url.name;
      model_.status = status_of(report);
      model_.camera_on = publishing_ && !sharing_;
      model_.sharing = publishing_ && sharing_;
      model_.microphone = microphone(report);
      model_.volume = volume_.level;
      if (report.sound) model_.overlay.rows = sound_rows(*report.sound);
      window.draw(model_);
    }
    if (!screenshot.empty()) save_screenshot(window, screenshot);
    network.join();
    return code_;
  }
  PartyReport report() const { return party_.report(); }
  // Any thread: shown for a while.
  void show_notice(const std::string& text) {
    {
      const std::lock_guard lock(mutex_);
      notices_.push_back(text);
      if (notices_.size() > kMostNotices) notices_.erase(notices_.begin());
    }
    wake();
  }

 private:
  std::string status_of(const PartyReport& report) const {
    const bool alone = std::ranges::all_of(
        report.members, [this](const std::string& name) { return name == options_.name; });
    if (hosted_ == nullptr || !report.status.empty() || !alone) return report.status;
    return "waiting at " + hosted_->url().text();
  }
  static std::string key_of(int seat) { return fmt::format("seat {}", seat); }

  std::vector<ui::TileModel> tiles(const PartyReport& report) const {
    std::vector<ui::TileModel> all;
    for (const SeatReport& seat : report.seats) {
      if (seat.name.empty()) continue;
      const auto voice = report.voices.find(seat.name);
      const bool heard = voice != report.voices.end();
      all.push_back(
          {.key = key_of(seat.seat),
           .name = seat.name,
           .status = seat.playback.frames_shown == 0 ? "waiting for the first picture" : "",
           .speaking = heard && voice->second.state.speaking && !voice->second.muted,
           .loudness = heard ? voice->second.state.loudness : media::VoiceState{}.loudness,
           .pinned = seat.name == pinned_,
           .muted = report.sound && (!heard || voice->second.muted),
           .volume = volume_of(seat.name).level,
           .silenced = volume_of(seat.name).silenced});
    }
    const media::VoiceState own = report.sound ? report.sound->engine.voice : media::VoiceState{};
    all.push_back({.key = kOwnTile,
                   .name = options_.name,
                   .status = publishing_ ? "" : "camera off",
                   .video = publishing_,
                   .speaking = own.speaking && !own_muted(),
                   .loudness = own.loudness,
                   .muted = own_muted(),
                   .own = true});
    return all;
  }
  bool own_muted() const { return muted_ && !talking_; }
  ui::Microphone microphone(const PartyReport& report) const {
    using enum ui::Microphone;
    if (!report.sound || !report.sound->publishes) return kNone;
    if (!muted_) return kOn;
    if (talking_) return kTalking;
    return report.sound->engine.unheard ? kUnheard : kMuted;
  }
  void on_picture(int seat, const std::string& name, media::ShownPicture picture) {
    if (output_log_) output_log_->picture(steady_now(), name, picture.decoded.picture);
    {
      const std::lock_guard lock(mutex_);
      if (window_ == nullptr) return;
      pictures_.insert_or_assign(seat, std::move(picture.decoded));
    }
    wake();
  }
  void on_own_picture(const media::VideoFrame& picture) {
    if (window_ == nullptr) return;
    {
      const std::lock_guard lock(mutex_);
      own_ = picture;
    }
    wake();
  }
  void on_notice(const std::string& text) {
    spdlog::info("{}", text);
    show_notice(text);
  }
  void wake() {
    if (window_ != nullptr) window_->wake();
  }
  void on_ended(ExitCode code, const std::string& why) {
    signals_.cancel();
    duration_.cancel();
    log_flusher_.stop();
    if (criteria_) criteria_->stop();
    if (hosted_ != nullptr) hosted_->close(options_.name + " has ended the call");
    spdlog::log(code != kExitOk ? spdlog::level::err : spdlog::level::info, "ended: {}", why);
    code_ = code;
    ended_ = true;
    wake();
  }
  void act(ui::CallCommand command, ui::CallWindow& window) {
    using enum ui::CallCommand;
    switch (command) {
      case kQuit: return boost::asio::post(io_, [this] { party_.stop(); });
      case kCamera: return publish(!publishing_ || sharing_, false);
      case kShare: return publish(!publishing_ || !sharing_, true);
      case kPin: pin(window.pin_target()); break;
      case kMute: return mute(!muted_, false);
      case kTalk: return mute(muted_, true);
      case kTalkEnd: return mute(muted_, false);
      case kLouder: return change_volume(window.target(), kVolumeStep);
      case kSofter: return change_volume(window.target(), 1 / kVolumeStep);
      case kSilence: return silence(name_of(window.target()));
      case kScreenshot: return save_screenshot(window, screenshot_name());
      case kLayout:
      case kSelect: break;
    }
  }
  void pin(const std::string& key) {
    const std::string name = name_of(key);
    if (!name.empty()) pinned_ = pinned_ == name ? "" : name;
  }
  // Whom a tile shows; empty: nobody, or oneself.
  std::string name_of(const std::string& key) const {
    for (const SeatReport& seat : party_.report().seats) {
      if (key_of(seat.seat) == key) return seat.name;
    }
    return {};
  }
  // Who holds the key to talk is heard, muted or not.
  void mute(bool muted, bool talking) {
    muted_ = muted;
    talking_ = talking;
    boost::asio::post(io_, [this, own = own_muted()] { party_.set_muted(own); });
  }
  // Of a tile, or of all where none is meant.
  void change_volume(const std::string& key, float by) {
    const std::string name = name_of(key);
    if (name.empty()) {
      volume_.change(by);
      party_.set_volume_of_all(volume_.played());
    } else {
      volumes_[name].change(by);
      party_.set_volume(name, volumes_[name].played());
    }
  }
  void silence(const std::string& name) {
    if (name.empty()) return;
    Volume& volume = volumes_[name];
    volume.silenced = !volume.silenced;
    party_.set_volume(name, volume.played());
  }
  Volume volume_of(const std::string& name) const {
    const auto it = volumes_.find(name);
    return it == volumes_.end() ? Volume() : it->second;
  }
  // The camera (or what was given as source), or the desktop; off: nothing.
  void publish(bool on, bool screen) {
    publishing_ = on;
    sharing_ = on && screen;
    std::optional<media::LiveInOptions> source;
    if (on) {
      source = options_.source ? *options_.source : media::LiveInOptions();
      if (screen) {
        if (const auto spec = media::parse_source_spec("screen")) source->source = *spec;
      } else if (!options_.source) {
        source->source = media::default_source();
      }
    }
    boost::asio::post(io_, [this, source] { party_.set_source(source); });
  }
  static constexpr std::size_t kMostNotices = 16;
  static constexpr const char* kOwnTile = "own";

  const PartyOptions options_;
  boost::asio::io_context& io_;
  HostedCall* const hosted_;
  const std::shared_ptr<OutputLog> output_log_;  // empty: none
  boost::asio::signal_set signals_;
  paceline::Timer duration_;
  LogFlusher log_flusher_;
  std::optional<LineInput> criteria_;
  ui::CallModel model_;  // these eight: of the main thread
  std::string pinned_;
  bool muted_;
  bool talking_ = false;                   // the key to talk is held
  Volume volume_;                          // of all
  std::map<std::string, Volume> volumes_;  // of those for whom it was changed
  bool publishing_ = options_.source.has_value();
  bool sharing_ = false;
  std::mutex mutex_;  // guards the three
  std::map<int, media::DecodedFrame> pictures_;
  std::vector<std::string> notices_;
  std::optional<media::VideoFrame> own_;
  ui::CallWindow* window_ = nullptr;  // set before the network thread starts
  ExitCode code_ = kExitOk;           // set before ended_
  std::atomic<bool> ended_ = false;
  RoomParty party_;
};

Result<HostedCallOptions> host_options(const CallArguments& a) {
  const auto listen =
      paceline::parse_address(a.host.empty() ? kEveryInterface : a.host, kDefaultPort);
  if (!listen) return listen.error();
  auto session = session_config(a.transport);
  if (!session) return session.error();
  auto identity = server_identity(a.security, a.transport, *listen);
  if (!identity) return identity.error();
  return HostedCallOptions{
      .listen = *listen, .identity = *identity, .session = *session, .max_parties = a.max_parties};
}

ExitCode run_party(const CallArguments& a, Role role, const CommonOptions& common) {
  const auto failed = [](const Error& error, ExitCode code) {
    spdlog::error("{}", error.message);
    return code;
  };
  boost::asio::io_context io(1);
  std::unique_ptr<HostedCall> hosted;
  if (a.hosts) {
    auto options = host_options(a);
    if (!options) return failed(options.error(), kExitUsage);
    auto opened = HostedCall::open(io, *std::move(options));
    if (!opened) return failed(opened.error(), kExitFailure);
    hosted = *std::move(opened);
  }
  const auto to = hosted ? hosted->own(a.transport, a.client) : room_of(a);
  if (!to) return failed(to.error(), kExitUsage);
  auto options = party_options(a, role, *to);
  if (!options) return failed(options.error(), kExitUsage);
  std::unique_ptr<ui::CallWindow> window;
  if (role.watches && !a.headless) {
    auto opened = ui::CallWindow::open({.title = "Qvid - " + to->url.name, .size = {1280, 720}});
    if (!opened) return failed(opened.error(), kExitFailure);
    window = *std::move(opened);
  }
  const auto notices = std::make_shared<SoundNotices>();
  auto sound = party_sound(a, role, !role.watches, *options,
                           [notices](const media::SoundStatus& status) { notices->tell(status); });
  if (!sound) return failed(sound.error(), kExitUsage);
  auto output_log = open_output_log(a.output_log);
  if (!output_log) return failed(output_log.error(), kExitUsage);
  if (*sound && *output_log) {
    media::SoundEngineOptions& engine = (*sound)->engine;
    engine.input = logged(std::move(engine.input), *output_log);
    engine.output = logged(std::move(engine.output), *output_log);
  }
  PartyRun run(io, a, *std::move(options), *std::move(sound), *output_log, hosted.get());
  notices->set_sink([&run](const std::string& text) { run.show_notice(text); });
  if (hosted) hosted->announce();
  const ExitCode code = window ? run.in_window(*window, a.screenshot) : run.headless();
  notices->set_sink({});
  const PartyReport report = run.report();
  if (common.json) {
    fmt::print("{}\n", dump(json_of(report)));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(report));
  }
  return code;
}

void add_watch_options(CLI::App& c, PartyArguments& a) {
  c.add_option("--seats", a.seats, "Parties shown at the same time")
      ->check(CLI::Range(1, static_cast<int>(qps::kMaxSeats)))
      ->capture_default_str();
  c.add_option(
      "--best", a.best,
      "Show the best by criteria, as \"ORDER BY loudness DESC\", rather than everybody; -: "
      "by those on standard input, a line each, from its coming on");
  c.add_flag(
      "--headless", a.headless,
      "Without a window: watch and report; without sound devices, too, unless they are named");
  c.add_option("--screenshot", a.screenshot, "Write the window to this file as PNG at the end");
  add_output_log_option(c, a.output_log);
}

}  // namespace

Run add_call(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<CallArguments>();
  CLI::App* c = qvid.add_subcommand("call", "Join a room: show yourself and see the others");
  auto* url = c->add_option("url", a->url, kRoomUrl);
  auto* host = c->add_option("--host", a->host,
                             "A call without a broker: wait for others at this address; without "
                             "one, at port 7400 of all interfaces")
                   ->expected(0, 1)
                   ->excludes(url);
  c->add_option("--max-parties", a->max_parties, "Parties of a hosted call, yourself among them")
      ->check(CLI::Range(2, 8))
      ->capture_default_str()
      ->needs(host);
  c->add_option("--source", a->source, "What to show, as of `qvid serve`; default: the camera");
  c->add_option("--share", a->share, "Show this instead: screen, or a file");
  c->add_flag("--no-camera", a->no_camera, "Begin without a picture of yourself");
  add_watch_options(*c, *a);
  add_party_options(*c, *a);
  add_source_options(*c, a->live);
  add_microphone_options(*c, a->sound);
  add_speaker_option(*c, a->sound);
  add_server_security(*c, a->security);
  return [a, url, host, &common]() -> ExitCode {
    a->hosts = host->count() > 0;
    if (!a->hosts && url->count() == 0) {
      spdlog::error("say whom to call: the URL of a room, or of a host; or --host to wait here");
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
  return [a, &common] { return run_party(*a, {.publishes = false, .watches = true}, common); };
}

}  // namespace qvid::app
