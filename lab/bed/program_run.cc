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
constexpr std::string_view kFolderName = "qvid-lab-programs-";
constexpr Duration kLookAgain = Duration(10'000'000);
constexpr std::size_t kMostSaid = 400;  // characters of a log in an error

std::string text_of(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return {};
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(std::min<std::uintmax_t>(size, ProgramRun::kMostRead)),
                   '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// The end of a log, as one line.
std::string last_words(const fs::path& log) {
  std::string text = text_of(log);
  while (text.ends_with('\n')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() > kMostSaid) text = "..." + text.substr(text.size() - kMostSaid);
  return text.empty() ? "it said nothing" : printable(std::move(text));
}

// Removes the folders of runs whose process is no more.
void remove_stale_folders() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kFolderName)) continue;
    pid_t pid = 0;
    std::from_chars(name.data() + kFolderName.size(), name.data() + name.size(), pid);
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
  }
}

fs::path new_folder() {
  remove_stale_folders();
  std::string pattern = (fs::temp_directory_path() /
                         (std::string(kFolderName) + std::to_string(getpid()) + "-XXXXXX"))
                            .string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("no folder for the programs' files can be made in " +
                             fs::temp_directory_path().string());
  }
  return pattern;
}

// User and system time of a process, seconds; 0: it is gone.
double cpu_seconds(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  return cpu_ticks(line) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// Waits for its end; false where it had to be killed.
bool ends(ChildProcess& process) {
  const Timestamp give_up = RunClock::now() + ProgramRun::kEndTime;
  while (!process.poll()) {
    if (RunClock::now() > give_up) {
      process = ChildProcess();  // takes the old one with it
      return false;
    }
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

}  // namespace

std::string product_program() {
  if (const char* path = std::getenv("QVID_PROGRAM"); path != nullptr && *path != '\0') return path;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  // In a build, and where both are installed.
  for (const fs::path& path :
       {self.parent_path().parent_path() / "app" / "qvid", self.parent_path() / "qvid"}) {
    if (access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, error)) return path.string();
  }
  throw std::runtime_error(
      "the program qvid is not beside this one: build it, or say in QVID_PROGRAM where it is");
}

ProgramRun::ProgramRun(const ProgramSpec& spec, const Emulator& emulator,
                       const std::stop_token& stop)
    : emulator_(emulator), program_(product_program()), folder_(new_folder()) {
  for (const PlayerSpec& player : spec.players) players_.push_back({.spec = player, .process = {}});
  try {
    std::vector<std::string> command{program_, "--json", "serve", "--listen", kListen};
    command.insert(command.end(), spec.serve.begin(), spec.serve.end());
    if (spec.stored > Duration::zero()) {
      stored_ = stored_test_file(spec.stored);
      fs::create_directory(file(kVideos));
      write_stored_file(*stored_, file(kVideos) / kStoredName);
      command.insert(command.end(), {"--files", file(kVideos).string()});
    }
    server_ = launch(kServerName, std::move(command), emulator_.near());
    await_server(stop);
  } catch (...) {
    server_ = ChildProcess();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    throw;
  }
}

ProgramRun::~ProgramRun() {
  players_.clear();
  server_ = ChildProcess();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

ChildProcess ProgramRun::launch(const std::string& name, std::vector<std::string> command,
                                const NetNamespace& where) const {
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const UniqueFd input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const UniqueFd output(open(file(name + ".json").c_str(), kNew, 0600));
  const UniqueFd errors(open(file(name + ".log").c_str(), kNew, 0600));
  if (!input || !output || !errors) throw std::runtime_error("no files for the programs' output");
  auto started = ChildProcess::start({.command = std::move(command),
                                      .environment = {"XDG_CONFIG_HOME=" + folder_.string()},
                                      .input = input.get(),
                                      .output = output.get(),
                                      .errors = errors.get()},
                                     where);
  if (const auto* failure = std::get_if<StartFailure>(&started)) {
    throw std::runtime_error(failure->message);
  }
  return std::get<ChildProcess>(std::move(started));
}

void ProgramRun::await_server(const std::stop_token& stop) {
  const fs::path log = file(std::string(kServerName) + ".log");
  const Timestamp give_up = RunClock::now() + kStartTime;
  for (;;) {
    url_ = watch_url(text_of(log));
    if (!url_.empty()) return;
    if (stop.stop_requested()) throw std::runtime_error("stopped before its begin");
    if (server_.poll()) throw std::runtime_error("the server did not start: " + last_words(log));
    if (RunClock::now() > give_up) {
      throw std::runtime_error("the server does not listen: " + last_words(log));
    }
    std::this_thread::sleep_for(kLookAgain);
  }
}

void ProgramRun::start(std::size_t index, Timestamp now) {
  Player& player = players_[index];
  const std::string name = "player" + std::to_string(index);
  std::vector<std::string> command{program_, "--json", "play",
                                   url_of_video(url_, player.spec.video), "--headless"};
  if (player.spec.video == kLive) {  // stored video has no such table
    command.insert(command.end(), {"--frames", file(name + ".csv").string()});
  }
  command.insert(command.end(), player.spec.arguments.begin(), player.spec.arguments.end());
  player.process = launch(name, std::move(command), emulator_.far());
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
  const fs::path log = file(std::string(kServerName) + ".log");
  if (!ends(server_)) throw std::runtime_error("the server did not end: " + last_words(log));
  if (server_ended || server_.poll() != 0) {
    throw std::runtime_error("the server failed: " + last_words(log));
  }
  auto report = parse_report(text_of(file(std::string(kServerName) + ".json")));
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
  const bool ended = ends(player.process);
  if (player.spec.video == kLive) {
    if (auto table = parse_frames(text_of(file(name + ".csv")))) {
      result.frames = std::move(table->frames);
    } else if (!player.killed) {
      result.error = table.error().message;
    }
  }
  if (player.killed) return result;  // no report was to be had
  if (!ended || player.process.poll() != 0) {
    result.error =
        (ended ? "a player failed: " : "a player did not end: ") + last_words(file(name + ".log"));
  } else if (auto report = parse_report(text_of(file(name + ".json")))) {
    result.report = *std::move(report);
  } else {
    result.error = report.error().message;
  }
  return result;
}

}  // namespace qvid::lab
