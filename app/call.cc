// `qvid call`, `qvid publish`, `qvid watch`: parties of a room.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "app/commands.h"
#include "app/report.h"
#include "app/room_party.h"
#include "app/screenshot.h"
#include "app/source_options.h"
#include "app/token_option.h"
#include "app/transport_options.h"
#include "base/clock.h"
#include "base/text.h"
#include "transport/timer.h"
#include "ui/call_window.h"

namespace qvid::app {
namespace {

constexpr Duration kIdleTurn = std::chrono::milliseconds(250);

struct PartyArguments {
  std::string url;
  std::string source;
  std::string name;
  std::string token;
  std::string best;
  std::string share;
  std::vector<std::string> names;
  int seats = 9;
  int window = 3;
  double duration = 0;
  bool headless = false;
  bool no_retry = false;
  bool no_camera = false;
  std::string screenshot;
  SourceArguments live;
  TransportArguments transport;
  ClientArguments client;
};

std::string default_name() {
  if (const char* user = std::getenv("USER"); user != nullptr && *user != '\0') return user;
  return fmt::format("guest-{}", ::getpid());
}

nlohmann::json json_of(const PartyReport& r) {
  nlohmann::json seats = nlohmann::json::array();
  for (const PartyReport::Seat& s : r.seats) {
    const media::PlaybackStats& p = s.playback;
    seats.push_back({{"seat", s.seat},
                     {"name", s.name},
                     {"frames_shown", p.frames_shown},
                     {"frames_lost", p.frames_lost},
                     {"frames_full", p.shown_full},
                     {"longest_gap_ms", to_ms(p.longest_gap)},
                     {"freezes", p.freezes},
                     {"switches", s.switches}});
  }
  return {{"joined", r.joined},
          {"status", r.status},
          {"members", r.members},
          {"seats", std::move(seats)},
          {"frames_published", r.frames_published},
          {"reconnections", r.reconnections},
          {"rtt_ms", to_ms(r.network.rtt)}};
}

std::string text_of(const PartyReport& r) {
  std::string text =
      fmt::format("published {} frames; {} reconnections\n", r.frames_published, r.reconnections);
  for (const PartyReport::Seat& s : r.seats) {
    const media::PlaybackStats& p = s.playback;
    text += fmt::format(
        "  {:<12} {} shown, {} lost, {:.0f}% with all layers, longest gap {:.0f} ms, {} switches\n",
        s.name.empty() ? "-" : printable(s.name), p.frames_shown, p.frames_lost,
        p.frames_shown > 0
            ? 100.0 * static_cast<double>(p.shown_full) / static_cast<double>(p.frames_shown)
            : 0.0,
        to_ms(p.longest_gap), s.switches);
  }
  return text;
}

// A party on its own network thread, and what ends it: Ctrl-C, the duration, or a refusal.
class PartyRun {
 public:
  PartyRun(const PartyArguments& arguments, PartyOptions options)
      : options_(options),
        signals_(io_, SIGINT, SIGTERM),
        duration_(io_),
        party_(io_, std::move(options),
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
      model_.status = report.status;
      model_.camera_on = publishing_ && !sharing_;
      model_.sharing = publishing_ && sharing_;
      window.draw(model_);
    }
    if (!screenshot.empty()) save_screenshot(window, screenshot);
    network.join();
    return code_;
  }
  PartyReport report() const { return party_.report(); }

 private:
  static std::string key_of(int seat) { return fmt::format("seat {}", seat); }

  std::vector<ui::TileModel> tiles(const PartyReport& report) const {
    std::vector<ui::TileModel> all;
    for (const PartyReport::Seat& seat : report.seats) {
      if (seat.name.empty()) continue;
      all.push_back(
          {.key = key_of(seat.seat),
           .name = seat.name,
           .status = seat.playback.frames_shown == 0 ? "waiting for the first picture" : "",
           .pinned = seat.name == pinned_});
    }
    all.push_back({.key = kOwnTile,
                   .name = options_.name,
                   .status = publishing_ ? "" : "camera off",
                   .video = publishing_,
                   .own = true});
    return all;
  }
  void on_picture(int seat, const std::string&, media::ShownPicture picture) {
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
    const std::lock_guard lock(mutex_);
    notices_.push_back(text);
    if (notices_.size() > kMostNotices) notices_.erase(notices_.begin());
  }
  void wake() {
    if (window_ != nullptr) window_->wake();
  }
  void on_ended(ExitCode code, const std::string& why) {
    signals_.cancel();
    duration_.cancel();
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
      case kScreenshot: return save_screenshot(window, screenshot_name());
      case kLayout:
      case kSelect: break;
    }
  }
  void pin(const std::string& key) {
    for (const PartyReport::Seat& seat : party_.report().seats) {
      if (key_of(seat.seat) == key) pinned_ = pinned_ == seat.name ? "" : seat.name;
    }
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
  boost::asio::io_context io_{1};
  boost::asio::signal_set signals_;
  paceline::Timer duration_;
  ui::CallModel model_;  // these four: of the main thread
  std::string pinned_;
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

struct Role {
  bool publishes = false;
  bool watches = false;
};

ExitCode run_party(const PartyArguments& a, Role role, const CommonOptions& common) {
  const auto usage = [](const Error& error) {
    spdlog::error("{}", error.message);
    return kExitUsage;
  };
  auto to = destination_of(a.url, a.transport, a.client);
  if (!to) return usage(to.error());
  const auto token = read_token(a.token);
  if (!token) return usage(token.error());
  // It joins anew rather than waits: the others are told soon.
  to->session.resume_limit = std::min<Duration>(to->session.resume_limit, std::chrono::seconds(2));
  PartyOptions options{.url = to->url,
                       .name = a.name.empty() ? default_name() : a.name,
                       .token = *token,
                       .source = {},
                       .watches = role.watches,
                       .names = a.names,
                       .best = a.best,
                       .seats = a.seats,
                       .window = a.window,
                       .retry = !a.no_retry,
                       .session = to->session,
                       .trust = to->trust};
  if (!qps::is_name(options.name))
    return usage({"--name: 1 to 64 bytes, without control characters"});
  if (!qps::is_name(to->url.name)) return usage({"the room is the URL's path: qvid://host/room"});
  if (role.publishes && !a.no_camera) {
    auto source = live_options(a.share.empty() ? a.source : a.share, a.live);
    if (!source) return usage(source.error());
    options.source = *std::move(source);
  }
  std::unique_ptr<ui::CallWindow> window;
  if (role.watches && !a.headless) {
    auto opened = ui::CallWindow::open({.title = "Qvid - " + to->url.name, .size = {1280, 720}});
    if (!opened) {
      spdlog::error("{}", opened.error().message);
      return kExitFailure;
    }
    window = *std::move(opened);
  }
  PartyRun run(a, std::move(options));
  const ExitCode code = window ? run.in_window(*window, a.screenshot) : run.headless();
  const PartyReport report = run.report();
  if (common.json) {
    fmt::print("{}\n", dump(json_of(report)));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(report));
  }
  return code;
}

void add_party_options(CLI::App& c, PartyArguments& a) {
  c.add_option("-n,--name", a.name, "Your name in the room; default: the login name");
  add_token_option(c, a.token);
  c.add_option("-w,--window", a.window, "Transmit window in frames of each of the two ways")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  c.add_option("-d,--duration", a.duration, "Stop after so many seconds; 0: go on")
      ->check(CLI::Range(0.0, 1e7));
  c.add_flag("--no-retry", a.no_retry, "Give up when there is no connection");
  add_transport_options(c, a.transport);
  add_client_options(c, a.client);
}

void add_watch_options(CLI::App& c, PartyArguments& a) {
  c.add_option("--seats", a.seats, "Parties shown at the same time")
      ->check(CLI::Range(1, static_cast<int>(qps::kMaxSeats)))
      ->capture_default_str();
  c.add_option("--best", a.best,
               "Show the best by criteria, as \"ORDER BY loudness DESC\", rather than everybody");
  c.add_flag("--headless", a.headless, "Without a window: watch and report");
  c.add_option("--screenshot", a.screenshot, "Write the window to this file as PNG at the end");
}

constexpr const char* kRoomUrl =
    "qvid://broker[:port]/room; behind it, #sha256:... names the one broker key to trust";

}  // namespace

Run add_call(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<PartyArguments>();
  CLI::App* c = qvid.add_subcommand("call", "Join a room: show yourself and see the others");
  c->add_option("url", a->url, kRoomUrl)->required();
  c->add_option("--source", a->source, "What to show, as of `qvid serve`; default: the camera");
  c->add_option("--share", a->share, "Show this instead: screen, or a file");
  c->add_flag("--no-camera", a->no_camera, "Begin without a picture of yourself");
  add_watch_options(*c, *a);
  add_party_options(*c, *a);
  add_source_options(*c, a->live);
  return [a, &common] { return run_party(*a, {.publishes = true, .watches = true}, common); };
}

Run add_publish(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<PartyArguments>();
  CLI::App* c = qvid.add_subcommand("publish", "Publish a source in a room");
  c->add_option("source", a->source, "As of `qvid serve`: camera, screen, test, a file or URL")
      ->required();
  c->add_option("url", a->url, kRoomUrl)->required();
  add_party_options(*c, *a);
  add_source_options(*c, a->live);
  return [a, &common] { return run_party(*a, {.publishes = true, .watches = false}, common); };
}

Run add_watch(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<PartyArguments>();
  CLI::App* c = qvid.add_subcommand("watch", "Watch a room without being seen");
  c->add_option("url", a->url, kRoomUrl)->required();
  c->add_option("who", a->names, "Whom to watch; default: everybody");
  add_watch_options(*c, *a);
  add_party_options(*c, *a);
  return [a, &common] { return run_party(*a, {.publishes = false, .watches = true}, common); };
}

}  // namespace qvid::app
