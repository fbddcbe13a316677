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
constexpr std::string_view kLive = "live";
constexpr const char* kVideos = "videos";          // the folder that is served
constexpr const char* kListen = "10.77.0.1:7400";  // kNearAddress

// User and system time of a process, seconds; 0: it is gone.
double cpu_seconds(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  return cpu_ticks(line) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

ProgramRun::ProgramRun(const ProgramSpec& spec, const Emulator& emulator,
                       const std::stop_token& stop)
    : emulator_(emulator), program_(product_program()) {
  for (const PlayerSpec& player : spec.players) players_.push_back({.spec = player, .process = {}});
  std::vector<std::string> command{program_, "--json", "serve", "--listen", kListen};
  command.insert(command.end(), spec.serve.begin(), spec.serve.end());
  if (spec.stored > Duration::zero()) {
    stored_ = stored_test_file(spec.stored);
    fs::create_directory(folder_.file(kVideos));
    write_stored_file(*stored_, folder_.file(kVideos) / kStoredName);
    command.insert(command.end(), {"--files", folder_.file(kVideos).string()});
  }
  server_ = folder_.launch(kServerName, std::move(command), emulator_.near());
  url_ = folder_.await(kServerName, server_, watch_url, stop);
}

void ProgramRun::start(std::size_t index, Timestamp now) {
  Player& player = players_[index];
  const std::string name = "player" + std::to_string(index);
  std::vector<std::string> command{program_, "--json", "play",
                                   url_of_video(url_, player.spec.video), "--headless"};
  if (player.spec.video == kLive) {  // stored video has no such table
    command.insert(command.end(), {"--frames", folder_.file(name + ".csv").string()});
  }
  command.insert(command.end(), player.spec.arguments.begin(), player.spec.arguments.end());
  player.process = folder_.launch(name, std::move(command), emulator_.far());
  player.started = now;
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
  server_.signal(SIGTERM);
  if (!ProgramFolder::ends(server_)) {
    throw std::runtime_error("the server did not end: " + folder_.last_words(kServerName));
  }
  if (server_ended || server_.poll() != 0) {
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
                      .error = {}};
  if (player.started == kNever) {
    result.start = kNever;
    result.error = "it was never started";
    return result;
  }
  const std::string name = "player" + std::to_string(index);
  const bool ended = ProgramFolder::ends(player.process);
  if (player.spec.video == kLive) {
    if (auto table = parse_frames(folder_.text_of(name + ".csv"))) {
      result.frames = std::move(table->frames);
    } else if (!player.killed) {
      result.error = table.error().message;
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
