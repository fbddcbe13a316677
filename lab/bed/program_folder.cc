#include "lab/bed/program_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "base/text.h"
#include "lab/bed/run_clock.h"
#include "lab/emulator/unique_fd.h"

namespace qvid::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderName = "qvid-lab-programs-";
constexpr Duration kLookAgain = Duration(10'000'000);
constexpr std::size_t kMostSaid = 400;  // characters of a log in an error

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

ProgramFolder::ProgramFolder() : path_(new_folder()) {}

ProgramFolder::~ProgramFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

template <class Start>
ChildProcess ProgramFolder::launch_by(const std::string& name, std::vector<std::string> command,
                                      std::vector<std::string> environment, Start start) const {
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const UniqueFd input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const UniqueFd output(open(file(name + ".json").c_str(), kNew, 0600));
  const UniqueFd errors(open(file(name + ".log").c_str(), kNew, 0600));
  if (!input || !output || !errors) throw std::runtime_error("no files for the programs' output");
  environment.push_back("XDG_CONFIG_HOME=" + path_.string());
  environment.push_back("TMPDIR=" + path_.string());  // Chromium and PulseAudio leave folders there
  environment.emplace_back("NO_PROXY=*");             // both are here
  environment.emplace_back("no_proxy=");
  std::variant<ChildProcess, StartFailure> started =
      start(ChildOptions{.command = std::move(command),
                         .environment = std::move(environment),
                         .input = input.get(),
                         .output = output.get(),
                         .errors = errors.get()});
  if (const auto* failure = std::get_if<StartFailure>(&started)) {
    throw std::runtime_error(failure->message);
  }
  return std::get<ChildProcess>(std::move(started));
}

ChildProcess ProgramFolder::launch(const std::string& name, std::vector<std::string> command,
                                   const NetNamespace& where,
                                   std::vector<std::string> environment) const {
  return launch_by(
      name, std::move(command), std::move(environment),
      [&](const ChildOptions& options) { return ChildProcess::start(options, where); });
}

ChildProcess ProgramFolder::launch(const std::string& name, std::vector<std::string> command,
                                   std::vector<std::string> environment) const {
  return launch_by(name, std::move(command), std::move(environment),
                   [](const ChildOptions& options) { return ChildProcess::start(options); });
}

std::string ProgramFolder::await(const std::string& name, ChildProcess& process,
                                 const std::function<std::string(const std::string& log)>& ready,
                                 const std::stop_token& stop) const {
  const Timestamp give_up = RunClock::now() + kStartTime;
  for (;;) {
    if (std::string found = ready(text_of(name + ".log")); !found.empty()) return found;
    if (stop.stop_requested()) throw std::runtime_error("stopped before its begin");
    if (process.poll()) {
      throw std::runtime_error("the " + name + " did not start: " + last_words(name));
    }
    if (RunClock::now() > give_up) {
      throw std::runtime_error("the " + name + " does not listen: " + last_words(name));
    }
    std::this_thread::sleep_for(kLookAgain);
  }
}

void ProgramFolder::await_text(const std::string& name, ChildProcess& process,
                               std::string_view text, const std::stop_token& stop) const {
  const auto found = [&](const std::string& log) {
    return log.find(text) == std::string::npos ? std::string() : std::string(text);
  };
  await(name, process, found, stop);
}

bool ProgramFolder::ends(ChildProcess& process) {
  if (process.ends_within(kEndTime)) return true;
  process = ChildProcess();  // takes the old one with it
  return false;
}

std::string ProgramFolder::output_of(const std::string& name) const {
  return text_of(name + ".json");
}

std::string ProgramFolder::text_of(const std::string& name) const {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file(name), error);
  if (error) return {};
  std::ifstream in(file(name), std::ios::binary);
  std::string text(static_cast<std::size_t>(std::min<std::uintmax_t>(size, kMostRead)), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string ProgramFolder::last_words(const std::string& name) const {
  std::string text = text_of(name + ".log");
  while (text.ends_with('\n')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() > kMostSaid) text = "..." + text.substr(text.size() - kMostSaid);
  return text.empty() ? "it said nothing" : printable(std::move(text));
}

}  // namespace qvid::lab
