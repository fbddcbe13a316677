#include "lab/bed/program_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "base/text.h"
#include "lab/bed/program_report.h"
#include "lab/bed/run_clock.h"
#include "lab/emulator/unique_fd.h"

namespace qvid::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kServerName = "server";
constexpr const char* kMemberName = "member";
constexpr std::string_view kLive = "live";
constexpr const char* kVideos = "videos";  // the folder that is served
constexpr const char* kPort = ":7400";
constexpr std::string_view kRoom = "lab";
constexpr std::string_view kJoined = "joined the room";
constexpr const char* kSenderName = "sender";
constexpr const char* kSoundFile = "microphone.wav";
constexpr const char* kSenderLog = "sender.out.csv";
constexpr const char* kOutputEnd = ".out.csv";
constexpr Duration kSpareSound = Duration(30'000'000'000);  // programs start before the run

// What follows the room's name in its URL: the key that the broker says it has.
std::string broker_key(const std::string& log) {
  const std::string url = room_url(log);
  const std::size_t key = url.find('#');
  return key == std::string::npos ? std::string() : url.substr(key);
}

// User and system time of a process, seconds; 0: it is gone.
double cpu_seconds(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  return cpu_ticks(line) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

ProgramRun::ProgramRun(const RunSpec& run, const Emulator& emulator, const std::stop_token& stop,
                       std::optional<Displays> displays)
    : emulator_(emulator),
      from_far_(run.programs.from_far),
      room_(!run.programs.member.empty()),
      output_logs_(run.programs.output_logs),
      displays_(std::move(displays)),
      program_(product_program()) {
  for (const PlayerSpec& player : run.programs.players) {
    players_.push_back({.spec = player, .process = {}});
  }
  if (run.programs.sound != TestSound::kNone) {
    write_wav(test_sound(run.programs.sound, run.duration + kSpareSound, run.seed),
              folder_.file(kSoundFile).string());
  }
  start_server(run, stop);
  if (room_) start_member(run.programs, stop);
}

const NetNamespace& ProgramRun::of_server() const {
  return from_far_ ? emulator_.far() : emulator_.near();
}
const NetNamespace& ProgramRun::of_players() const {
  return from_far_ ? emulator_.near() : emulator_.far();
}

// The environment of who has that display, and no desktop of Wayland beside it. SDL is told, too:
// another of its drivers may be set.
std::vector<std::string> ProgramRun::sees(const std::string Displays::*display) const {
  if (!displays_) return {};
  return {"DISPLAY=" + *displays_.*display, "SDL_VIDEODRIVER=x11",
          "WAYLAND_DISPLAY=", "XDG_SESSION_TYPE="};
}

// What the sender is told of its microphone and its log.
void ProgramRun::add_sound(const ProgramSpec& spec, std::vector<std::string>& command) const {
  if (spec.sound != TestSound::kNone) {
    command.insert(command.end(), {"--microphone", folder_.file(kSoundFile).string()});
  }
  if (output_logs_) {
    command.insert(command.end(), {"--output-log", folder_.file(kSenderLog).string()});
  }
}

void ProgramRun::start_server(const RunSpec& run, const std::stop_token& stop) {
  const ProgramSpec& spec = run.programs;
  const std::string listen =
      (from_far_ ? emulator_.far_address() : emulator_.near_address()) + kPort;
  std::vector<std::string> command{program_, "--json", room_ ? "broker" : "serve", "--listen",
                                   listen};
  command.emplace_back("--open");
  if (!room_) command.insert(command.end(), {"--max-per-address", "10000"});
  command.insert(command.end(), spec.serve.begin(), spec.serve.end());
  if (spec.stored > Duration::zero()) {
    stored_ = stored_test_file(spec.stored);
    fs::create_directory(folder_.file(kVideos));
    write_stored_file(*stored_, folder_.file(kVideos) / kStoredName);
    command.insert(command.end(), {"--files", folder_.file(kVideos).string()});
  }
  if (!room_) add_sound(spec, command);
  server_ = folder_.launch(kServerName, std::move(command), of_server(), sees(&Displays::senders));
  if (!room_) {
    url_ = folder_.await(kServerName, server_, watch_url, stop);
    return;
  }
  const std::string key = folder_.await(kServerName, server_, broker_key, stop);
  url_ = "qvid://" + listen + "/" + std::string(kRoom) + key;
}

std::string ProgramRun::page_url() const {
  return "https" + url_.substr(url_.find(':'), url_.find('#') - url_.find(':'));
}

void ProgramRun::start_member(const ProgramSpec& spec, const std::stop_token& stop) {
  std::vector<std::string> command{program_, "--json"};
  command.insert(command.end(), spec.member.begin(), spec.member.end());
  command.insert(command.end(), {url_, "--name", kSenderName});
  add_sound(spec, command);
  member_ = folder_.launch(kMemberName, std::move(command), of_server(), sees(&Displays::senders));
  folder_.await_text(kMemberName, member_, kJoined, stop);
}

void ProgramRun::start(std::size_t index, Timestamp now) {
  Player& player = players_[index];
  const std::string name = "player" + std::to_string(index);
  std::vector<std::string> command{program_, "--json"};
  if (room_) {
    command.insert(command.end(), {"watch", url_, kSenderName, "--name", name});
  } else {
    command.insert(command.end(), {"play", url_of_video(url_, player.spec.video)});
  }
  if (!displays_) command.emplace_back("--headless");
  if (has_frames(player.spec)) {
    command.insert(command.end(), {"--frames", folder_.file(name + ".csv").string()});
  }
  command.insert(command.end(), {"--speaker", "none"});  // the same on every machine
  if (output_logs_) {
    command.insert(command.end(), {"--output-log", folder_.file(name + kOutputEnd).string()});
  }
  command.insert(command.end(), player.spec.arguments.begin(), player.spec.arguments.end());
  player.process = folder_.launch(name, std::move(command), of_players(), sees(&Displays::viewers));
  player.started = now;
}

// Stored video has no such table, and a room neither; between displays, the glass says it.
bool ProgramRun::has_frames(const PlayerSpec& player) const {
  return !room_ && !displays_ && player.video == kLive;
}

void ProgramRun::begin(Timestamp now) { begin_ = now; }

Timestamp ProgramRun::turn(Timestamp now) {
  Timestamp next = kNever;
  // Whether it is due and has not been done yet.
  const auto due = [&](Duration at, bool done) {
    if (done || at == Duration::max()) return false;
    if (begin_ + at <= now) return true;
    next = std::min(next, begin_ + at);
    return false;
  };
  for (std::size_t i = 0; i < players_.size(); ++i) {
    Player& player = players_[i];
    if (due(player.spec.start, player.started != kNever)) start(i, now);
    if (due(player.spec.halt, player.halted)) {
      player.process.signal(SIGSTOP);
      player.halted = true;
    }
    if (due(player.spec.go_on, player.went_on)) {
      player.process.signal(SIGCONT);
      player.went_on = true;
    }
    if (due(player.spec.kill, player.killed)) {
      player.process.signal(SIGKILL);
      player.killed = true;
    }
  }
  return next;
}

bool ProgramRun::over() {
  return std::all_of(players_.begin(), players_.end(), [](Player& player) {
    return player.started != kNever && player.process.poll().has_value();
  });
}

void ProgramRun::begin_measured() { cpu_before_ = cpu_seconds(server_.pid()); }

void ProgramRun::finish(RunResult& result) {
  result.stored = stored_;
  result.server.cpu_seconds = cpu_seconds(server_.pid()) - cpu_before_;
  const bool server_ended = server_.poll().has_value();
  for (Player& player : players_) {
    if (player.halted && !player.went_on) player.process.signal(SIGCONT);
    player.process.signal(SIGTERM);
  }
  for (std::size_t i = 0; i < players_.size(); ++i) result.players.push_back(result_of(i));
  if (room_) finish_member(result);
  finish_server(result, server_ended);
  if (!output_logs_) return;
  auto output = parse_output(folder_.text_of(kSenderLog));
  if (!output) throw std::runtime_error("the sender: " + output.error().message);
  result.server.output = *std::move(output);
}

void ProgramRun::finish_member(RunResult& result) {
  const bool before = member_.poll().has_value();
  member_.signal(SIGTERM);
  if (!ProgramFolder::ends(member_) || before || member_.poll() != 0) {
    throw std::runtime_error("the member failed: " + folder_.last_words(kMemberName));
  }
  auto report = parse_report(folder_.output_of(kMemberName));
  if (!report) throw std::runtime_error("the member: " + report.error().message);
  result.server.member = *std::move(report);
}

void ProgramRun::finish_server(RunResult& result, bool ended_before) {
  server_.signal(room_ ? SIGINT : SIGTERM);  // a broker takes its time after SIGTERM
  if (!ProgramFolder::ends(server_)) {
    throw std::runtime_error("the server did not end: " + folder_.last_words(kServerName));
  }
  if (ended_before || server_.poll() != 0) {
    throw std::runtime_error("the server failed: " + folder_.last_words(kServerName));
  }
  auto report = parse_report(folder_.output_of(kServerName));
  if (!report) throw std::runtime_error("the server's report: " + report.error().message);
  result.server.report = *std::move(report);
}

PlayerResult ProgramRun::result_of(std::size_t index) {
  Player& player = players_[index];
  PlayerResult result{.group = player.spec.group,
                      .start = Timestamp(player.started - begin_),
                      .report = {},
                      .frames = {},
                      .output = {},
                      .error = {}};
  if (player.started == kNever) {
    result.start = kNever;
    result.error = "it was never started";
    return result;
  }
  const std::string name = "player" + std::to_string(index);
  const bool ended = ProgramFolder::ends(player.process);
  if (has_frames(player.spec)) {
    if (auto table = parse_frames(folder_.text_of(name + ".csv"))) {
      result.frames = std::move(table->frames);
    } else if (!player.killed) {
      result.error = table.error().message;
    }
  }
  if (output_logs_) {
    if (auto output = parse_output(folder_.text_of(name + kOutputEnd))) {
      result.output = *std::move(output);
    } else if (!player.killed) {
      result.error = output.error().message;
    }
  }
  if (player.killed) return result;  // no report was to be had
  if (!ended || player.process.poll() != 0) {
    result.error =
        (ended ? "a player failed: " : "a player did not end: ") + folder_.last_words(name);
  } else if (auto report = parse_report(folder_.output_of(name))) {
    result.report = *std::move(report);
  } else {
    result.error = report.error().message;
  }
  return result;
}

}  // namespace qvid::lab
