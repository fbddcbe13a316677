// `qvid record`: members of a room into files that any player plays, without decoding.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/command/commands.h"
#include "app/command/party_arguments.h"
#include "app/command/report.h"
#include "app/options/member_file.h"
#include "app/protocol/video_about.h"
#include "base/clock.h"
#include "base/text.h"
#include "media/recording/recording.h"
#include "transport/socket/timer.h"

namespace qvid::app {
namespace {

constexpr Duration kProgressTurn = std::chrono::seconds(1);
// A recording is in no hurry: what comes a second late is still of use.
constexpr int kWindow = 30;
// Recorded at all, each with a thread of its own; as many as a room has.
constexpr std::size_t kMostMembers = 256;

struct RecordArguments : PartyArguments {
  std::string output;
  std::string who;
  bool all = false;
  bool force = false;
};

nlohmann::json json_of(const std::string& name, const media::Recording::Stats& s) {
  nlohmann::json files = nlohmann::json::array();
  for (const media::RecordedFile& f : s.files) {
    files.push_back({{"path", f.path.string()},
                     {"width", f.size.width},
                     {"height", f.size.height},
                     {"layer", f.layer},
                     {"frames", f.frames},
                     {"sound_packets", f.sound_packets},
                     {"seconds", to_seconds(f.lasts)},
                     {"longest_gap_ms", to_ms(f.longest_gap)},
                     {"bytes", f.bytes.value()},
                     {"sound", f.sound},
                     {"sound_packets", f.sound_packets},
                     {"sound_bytes", f.sound_bytes.value()}});
  }
  return {{"name", name},
          {"files", std::move(files)},
          {"frames_left_out", s.left_out},
          {"sound_packets_left_out", s.sound_left_out},
          {"units_dropped", s.dropped},
          {"sound_left_out", s.sound_left_out},
          {"error", s.error ? s.error->message : ""}};
}

std::string text_of(const std::string& name, const media::Recording::Stats& s) {
  std::string text = fmt::format("{}: {} left out for what they need, {} dropped by the disk\n",
                                 printable(name), s.left_out, s.dropped);
  for (const media::RecordedFile& f : s.files) {
    text += fmt::format("  {}: {}x{}{}, {} frames, {:.1f} s{}, {:.1f} MB, longest gap {:.0f} ms\n",
                        printable(f.path.string()), f.size.width, f.size.height,
                        f.layer == 0 ? " (the base layer)" : "", f.frames, to_seconds(f.lasts),
                        f.sound_packets > 0 ? " with sound"
                        : f.sound           ? " (no sound came)"
                                            : "",
                        static_cast<double>(f.bytes.value()) / 1e6, to_ms(f.longest_gap));
  }
  return text;
}

// A party that writes what it gets. Thread: its own io_context's, which run() keeps.
class RecordRun {
 public:
  RecordRun(const RecordArguments& arguments, PartyOptions options, bool progress)
      : arguments_(arguments),
        wanted_(arguments.who),
        progress_(progress),
        signals_(io_, SIGINT, SIGTERM),
        duration_(io_),
        tick_(io_),
        party_(io_, std::move(options), std::nullopt,
               {.picture = [](int, const std::string&, const media::ShownPicture&) {},
                .own_picture = {},
                .changed = [] {},
                .notice = [](const std::string& text) { spdlog::info("{}", text); },
                .ended = [this](ExitCode code, const std::string& why) { on_ended(code, why); },
                .coded_seat = [this](const qps::Seat& seat) { on_seat(seat); },
                .coded_message = [this](int seat, std::uint64_t position,
                                        const Payload& data) { on_message(seat, position, data); },
                .coded_sound = [this](const std::string& name,
                                      const Payload& data) { on_sound(name, data); }}) {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      signals_.clear();  // a second Ctrl-C ends at once; what is written by then can be played
      party_.stop();
    });
  }

  ExitCode run(const CommonOptions& common) {
    party_.start();
    every_second();
    io_.run();
    if (progress_shown_) fmt::print(stderr, "\r\033[K");
    nlohmann::json all = nlohmann::json::array();
    std::string text;
    std::int64_t frames = 0;
    for (const auto& [name, recording] : recordings_) {
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
    if (code_ != kExitOk) return code_;
    if (!failed_.empty()) return kExitFailure;
    if (frames > 0) return kExitOk;
    spdlog::error("nothing was recorded: {}",
                  recordings_.empty() ? "nobody published" : "no picture that can be written came");
    return kExitFailure;
  }

 private:
  void on_seat(const qps::Seat& seat) {
    if (!arguments_.all && !seat.name.empty() && wanted_.empty()) choose(seat.name);
    auto& place = seats_[seat.seat];
    place = nullptr;
    if (seat.name.empty()) return;
    if (!arguments_.all && seat.name != wanted_) {
      // Whoever was recorded is gone, and may come back.
      return party_.set_names({wanted_});
    }
    const auto about = parse_video_about(seat.about);
    if (!about || about->codec != "h264") {
      spdlog::warn("{}: cannot be recorded: {}", printable(seat.name),
                   about ? "it is coded as " + printable(about->codec) : about.error().message);
      return;
    }
    if (!recordings_.contains(seat.name) && recordings_.size() >= kMostMembers) {
      spdlog::warn("'{}' is not recorded: {} members have been", printable(seat.name),
                   kMostMembers);
      return;
    }
    auto& recording = recordings_[seat.name];
    if (!recording) {
      const std::filesystem::path path = arguments_.all
                                             ? member_file(arguments_.output, seat.name, taken_)
                                             : std::filesystem::path(arguments_.output);
      recording = std::make_unique<media::Recording>(
          media::RecordingOptions{.path = path, .replace = arguments_.force});
      spdlog::info("recording '{}' to {}", printable(seat.name), printable(path.string()));
    }
    recording->begin(about->rate, party_.report().voices.contains(seat.name));
    place = recording.get();
  }

  void choose(const std::string& name) {
    wanted_ = name;
    const auto publishers = party_.report().publishers;
    if (publishers.size() < 2) return;
    std::string others;
    for (const std::string& one : publishers) {
      if (one != name) others += (others.empty() ? "" : ", ") + printable(one);
    }
    spdlog::warn("recording '{}', who came first, and not {}: name whom you mean, or say --all",
                 printable(name), others);
  }

  void on_message(int seat, std::uint64_t position, const Payload& data) {
    const auto it = seats_.find(seat);
    if (it == seats_.end() || it->second == nullptr) return;
    if (!std::exchange(began_, true) && arguments_.duration > 0) {
      duration_.after(from_seconds(arguments_.duration), [this] { party_.stop(); });
    }
    it->second->on_message(position, data);
  }

  void on_sound(const std::string& name, const Payload& data) {
    const auto it = recordings_.find(name);
    auto packet = media::parse_sound_packet(data);
    if (it != recordings_.end() && packet) it->second->on_sound(*std::move(packet));
  }

  void every_second() {
    tick_.after(kProgressTurn, [this] {
      std::string line;
      for (const auto& [name, recording] : recordings_) {
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
      if (recordings_.empty() && !std::exchange(told_waiting_, true)) {
        spdlog::info("waiting for {} to publish",
                     wanted_.empty() ? "somebody" : "'" + printable(wanted_) + "'");
      }
      if (!failed_.empty() && failed_.size() == recordings_.size()) return party_.stop();
      every_second();
    });
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
    spdlog::error("'{}': {}", printable(name), printable(error.message));
  }

  void on_ended(ExitCode code, const std::string& why) {
    signals_.cancel();
    duration_.cancel();
    tick_.cancel();
    spdlog::log(code != kExitOk ? spdlog::level::err : spdlog::level::info, "ended: {}", why);
    code_ = code;
  }

  const RecordArguments& arguments_;
  std::string wanted_;  // whom to record; empty: nobody chosen yet, or everybody
  const bool progress_;
  bool progress_shown_ = false;
  bool began_ = false;
  bool told_waiting_ = false;
  ExitCode code_ = kExitOk;
  boost::asio::io_context io_{1};
  boost::asio::signal_set signals_;
  paceline::Timer duration_;
  paceline::Timer tick_;
  std::map<std::string, std::unique_ptr<media::Recording>> recordings_;  // by member
  std::map<int, media::Recording*> seats_;                               // null: not recorded
  std::set<std::filesystem::path> taken_;
  std::set<std::string> failed_;
  RoomParty party_;
};

// What can be told before anything is connected.
std::optional<Error> check(const RecordArguments& a) {
  const std::filesystem::path path = a.output;
  if (auto error = media::check_recording_name(path)) return error;
  if (a.all && !a.who.empty()) return Error{"either one member, or --all"};
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, error)) {
    return Error{"there is no folder " + folder.string()};
  }
  if (!a.all && !a.force && std::filesystem::exists(path, error)) {
    return Error{"there is a file " + path.string() + "; choose another name, or say --force"};
  }
  return std::nullopt;
}

ExitCode record(RecordArguments a, const CommonOptions& common) {
  const auto usage = [](const Error& error) {
    spdlog::error("{}", printable(error.message));
    return kExitUsage;
  };
  if (const auto error = check(a)) return usage(*error);
  if (a.name.empty()) a.name = default_name() + " (recording)";
  if (!a.who.empty()) a.names = {a.who};
  a.seats = a.all ? static_cast<int>(qps::kMaxSeats) : 1;
  const auto to = room_of(a);
  if (!to) return usage(to.error());
  auto options = party_options(a, {.publishes = false, .watches = true}, *to);
  if (!options) return usage(options.error());
  const bool progress = !common.quiet && !common.json && ::isatty(STDERR_FILENO) == 1;
  RecordRun run(a, *std::move(options), progress);
  return run.run(common);
}

}  // namespace

Run add_record(CLI::App& qvid, const CommonOptions& common) {
  auto a = std::make_shared<RecordArguments>();
  a->window = kWindow;
  CLI::App* c = qvid.add_subcommand("record", "Record members of a room to files");
  c->add_option("url", a->url, kRoomUrl)->required();
  c->add_option("who", a->who, "Whom to record; default: the first who publishes");
  c->add_option("-o,--output", a->output,
                "File to write, .mkv or .mp4; where another is needed: FILE-2, FILE-3 ...")
      ->required();
  c->add_flag("--all", a->all, "Everybody, each to a file FILE-NAME");
  c->add_flag("--force", a->force, "Overwrite the file if it is there");
  add_party_options(*c, *a);
  return [a, &common] { return record(*a, common); };
}

}  // namespace qvid::app
