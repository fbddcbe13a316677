// `qvid record`: members of a room into files that any player plays, without decoding.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "app/command/commands.h"
#include "app/command/party_arguments.h"
#include "app/command/program_run.h"
#include "app/command/recorded_seats.h"
#include "app/command/recording_text.h"
#include "app/command/report.h"
#include "app/command/take_over.h"
#include "app/log/log.h"
#include "app/options/output_file.h"
#include "app/room/room_party.h"
#include "base/clock.h"
#include "base/text.h"
#include "transport/socket/timer.h"

namespace qvid::app {
namespace {

constexpr Duration kProgressTurn = std::chrono::seconds(1);
constexpr const char* kNobody = "WHERE 0";  // criteria

struct RecordArguments : PartyArguments {
  std::string output;
  std::string who;
  bool all = false;
  bool force = false;
  std::string takes_over;
};

// A party that writes what it gets. Thread: its own io_context's, which run() keeps.
class RecordRun {
 public:
  RecordRun(const RecordArguments& arguments, PartyOptions options, bool progress)
      : progress_(progress),
        whom_(arguments.who),
        run_(io_, nullptr, [this] { party_.stop(); }),
        seats_({.output = arguments.output,
                .who = arguments.who,
                .all = arguments.all,
                .replace = arguments.force},
               {.members = [this] { return party_.report().members; },
                .watch_only = [this](const std::string& name) { party_.set_names({name}); },
                .began = [this, seconds = arguments.duration] { run_.stop_after(seconds); },
                .comment =
                    [this] {
                      return take_over_ ? take_over_->comment(steady_now()) : std::string();
                    }}),
        party_(io_, std::move(options), seats_, nullptr, nullptr,
               {.own_picture = {},
                .changed = [] {},
                .notice = [](const std::string& text) { log_info("{}", text); },
                .ended =
                    [this](ExitCode code, const std::string& why) {
                      tick_.cancel();
                      run_.ended(code, why);
                    }}) {
    if (!arguments.takes_over.empty()) take_over_.emplace(arguments.takes_over);
  }

  ExitCode run(const CommonOptions& common) {
    party_.start();
    every_second();
    const ExitCode code = run_.headless();
    if (progress_shown_) fmt::print(stderr, "\r\033[K");
    nlohmann::json all = nlohmann::json::array();
    std::string text;
    std::int64_t frames = 0;
    for (const auto& [track, recording] : seats_.recordings()) {
      const std::string name = track.text();
      recording->finish();
      const auto stats = recording->stats();
      if (stats.error) fail(name, *stats.error);
      for (const media::RecordedFile& file : stats.files) frames += file.frames;
      all.push_back(json_of(name, stats));
      text += text_of(name, stats);
    }
    if (common.json) {
      fmt::print("{}\n", dump({{"recordings", std::move(all)}}));
    } else if (!common.quiet) {
      fmt::print("{}", text);
    }
    if (code != kExitOk) return code;
    if (!failed_.empty()) return kExitFailure;
    if (frames > 0) return kExitOk;
    log_error("nothing was recorded: {}", seats_.recordings().empty()
                                              ? "nobody published"
                                              : "no picture that can be written came");
    return kExitFailure;
  }

 private:
  void every_second() {
    tick_.after(kProgressTurn, [this] {
      if (take_over_ && !take_over_->begun()) {
        wait_to_take_over();
        return every_second();
      }
      std::string line;
      for (const auto& [track, recording] : seats_.recordings()) {
        const std::string name = track.text();
        const auto stats = recording->stats();
        if (stats.error) fail(name, *stats.error);
        Duration lasts{};
        ByteCount bytes;
        for (const media::RecordedFile& file : stats.files) {
          lasts += file.lasts;
          bytes += file.bytes;
        }
        line += fmt::format("{}{}: {:.0f} s, {:.1f} MB", line.empty() ? "" : "; ", printable(name),
                            to_seconds(lasts), static_cast<double>(bytes.value()) / 1e6);
      }
      if (progress_) show(line);
      if (seats_.recordings().empty() && !std::exchange(told_waiting_, true)) {
        log_info("waiting for {} to publish",
                 seats_.wanted().empty() ? "somebody" : "'" + printable(seats_.wanted()) + "'");
      }
      if (!failed_.empty() && failed_.size() == seats_.recordings().size()) return party_.stop();
      every_second();
    });
  }
  void wait_to_take_over() {
    const PartyReport report = party_.report();
    const std::string& other = take_over_->of();
    if (!std::exchange(told_waiting_, true)) {
      log_info("waits until '{}' is there no more", printable(other));
    }
    if (!take_over_->look(report.joined, report.members.contains(other), steady_now())) return;
    log_warning("'{}' is there no more: this one records from now on", printable(other));
    told_waiting_ = false;
    whom_.empty() ? party_.set_best("") : party_.set_names({whom_});
  }
  void show(const std::string& line) {
    if (line.empty()) return;
    progress_shown_ = true;
    fmt::print(stderr, "\r\033[K{}", line.substr(0, 200));
    std::fflush(stderr);
  }
  // Once for each.
  void fail(const std::string& name, const Error& error) {
    if (!failed_.insert(name).second) return;
    log_error("'{}': {}", printable(name), printable(error.message));
  }

  const bool progress_;
  const std::string whom_;  // empty: the first, or everybody
  std::optional<TakeOver> take_over_;
  bool progress_shown_ = false;
  bool told_waiting_ = false;
  boost::asio::io_context io_{1};
  paceline::Timer tick_{io_};
  std::set<std::string> failed_;
  ProgramRun run_;
  RecordedSeats seats_;
  RoomParty party_;
};

// What can be told before anything is connected.
std::optional<Error> check(const RecordArguments& a) {
  const std::filesystem::path path = a.output;
  if (auto error = media::check_recording_name(path)) return error;
  if (a.all && !a.who.empty()) return Error{"either one member, or --all"};
  if (!a.takes_over.empty() && !qps::is_name(a.takes_over)) {
    return Error{"--takes-over: nobody has such a name in a room"};
  }
  for (const auto& file : {path, share_file(path)}) {
    if (std::error_code ignored; !a.all && !a.force && std::filesystem::exists(file, ignored)) {
      return Error{"there is a file " + file.string() + "; choose another name, or say --force"};
    }
  }
  return unwritable(path);
}

ExitCode record(RecordArguments a, const CommonOptions& common) {
  const auto usage = [](const Error& error) {
    log_error("{}", printable(error.message));
    return kExitUsage;
  };
  if (const auto error = check(a)) return usage(*error);
  if (a.name.empty()) a.name = default_name() + " (recording)";
  if (a.name == a.takes_over)
    return usage({"--takes-over: that is this one's own name: choose --name"});
  if (!a.who.empty()) a.names = {a.who};
  if (!a.takes_over.empty()) {
    a.names.clear();
    a.best = kNobody;
  }
  a.seats = a.all ? static_cast<int>(qps::kMaxSeats) : 1;
  const auto to = room_of(a);
  if (!to) return usage(to.error());
  auto options = party_options(a, {.publishes = false, .watches = true}, *to);
  if (!options) return usage(options.error());
  options->records = true;
  const bool progress = !common.quiet && !common.json && ::isatty(STDERR_FILENO) == 1;
  RecordRun run(a, *std::move(options), progress);
  return run.run(common);
}

}  // namespace

Run add_record(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<RecordArguments>();
  a->window = kRecordingWindow;
  CLI::App* c = qvid.add_subcommand("record", "Record members of a room to files");
  c->add_option("url", a->url, kRoomUrl)->required();
  c->add_option("who", a->who, "Whom to record; default: the first who publishes");
  c->add_option("-o,--output", a->output,
                "File to write, .mkv or .mp4; where another is needed: FILE-2, FILE-3 ...")
      ->required();
  c->add_flag("--all", a->all, "Everybody, each to a file FILE-NAME");
  c->add_flag("--force", a->force, "Overwrite the file if it is there");
  c->add_option(
      "--takes-over", a->takes_over,
      "Wait in the room, and record when this member, another recorder, is there no more: the files say "
      "since when nothing was recorded");
  add_party_options(*c, *a);
  return [a, &common] { return record(*a, common); };
}

}  // namespace qvid::app
