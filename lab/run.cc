#include "lab/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "lab/emulator/child_process.h"
#include "lab/emulator/command_reader.h"
#include "lab/emulator/emulator.h"
#include "lab/emulator/link_report.h"
#include "lab/emulator/link_spec.h"
#include "lab/emulator/listening_port.h"

namespace qvid::lab {
namespace {

constexpr Duration kWaitForPort = 20s;
constexpr Duration kLookAgain = 20ms;  // for a port that is not open yet
// Between one way to end a process and the next: its own (a signal that it got), SIGTERM, SIGKILL.
constexpr Duration kGrace = 3s;

struct RunOptions {
  std::string link;
  std::string peer;
  std::uint16_t wait_port = 0;
  std::string commands;
  std::string report;
  std::vector<std::string> command;
};

UniqueFd block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&signals, number);
  // Before any thread starts: each inherits it, so that signals come to the descriptor alone.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  UniqueFd fd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) throw std::system_error(errno, std::generic_category(), "signalfd");
  return fd;
}

// The two programs and the link between them, from start to end.
class Session {
 public:
  Session(const RunOptions& options, const LinkSpec& link)
      : options_(options), signals_(block_signals()), emulator_(Emulator::open(link)) {
    if (options.commands.empty()) return;
    commands_.emplace(options.commands, [](const std::string& why) { spdlog::warn("{}", why); });
  }

  int run() {
    spdlog::info("near {} in {}, far {} in {}", kNearAddress, emulator_->near().name(), kFarAddress,
                 emulator_->far().name());
    if (!options_.peer.empty()) {
      if (const auto failed = start_peer()) return *failed;
    }
    emulator_->start();
    if (const auto failed = start_command()) return *failed;
    while (!command_.poll()) turn();
    const int code = *command_.poll();
    end_peer();
    emulator_->stop();
    return code;
  }
  // Nothing where COMMAND did not start.
  std::optional<LinkReport> report() const {
    if (command_.pid() < 0) return std::nullopt;
    return emulator_->report();
  }

 private:
  std::vector<std::string> environment() const {
    return {std::string("LAB_NEAR=") + kNearAddress, std::string("LAB_FAR=") + kFarAddress};
  }

  // The exit code where it could not be started.
  std::optional<int> start(ChildProcess& child, const ChildOptions& options,
                           const NetNamespace& where) {
    auto started = ChildProcess::start(options, where);
    if (const auto* failure = std::get_if<StartFailure>(&started)) {
      spdlog::error("{}", failure->message);
      return failure->code;
    }
    child = std::get<ChildProcess>(std::move(started));
    return std::nullopt;
  }

  std::optional<int> start_peer() {
    const UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    // Its output goes to stderr: stdout is COMMAND's alone.
    if (const auto failed = start(peer_,
                                  {.command = {"/bin/sh", "-c", options_.peer},
                                   .environment = environment(),
                                   .input = nothing.get(),
                                   .output = STDERR_FILENO},
                                  emulator_->far())) {
      return failed;
    }
    if (options_.wait_port == 0) return std::nullopt;
    const Timestamp give_up = steady_now() + kWaitForPort;
    while (!listens(peer_.pid(), options_.wait_port)) {
      wait_for_events(kLookAgain);
      if (const auto code = peer_.poll()) {
        spdlog::error("the peer ended with code {} before it listened on port {}", *code,
                      options_.wait_port);
        return kExitLabFailed;
      }
      if (interrupted_ != 0) return 128 + interrupted_;
      if (steady_now() > give_up) {
        spdlog::error("the peer does not listen on port {}", options_.wait_port);
        return kExitLabFailed;
      }
    }
    return std::nullopt;
  }

  std::optional<int> start_command() {
    const UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    const bool stdin_is_taken = options_.commands == "-";
    return start(command_,
                 {.command = options_.command,
                  .environment = environment(),
                  .input = stdin_is_taken ? nothing.get() : STDIN_FILENO},
                 emulator_->near());
  }

  void turn() {
    Duration patience = 1h;
    const Timestamp now = steady_now();
    if (commands_) {
      while (const auto command = commands_->next(now)) apply(*command, *emulator_);
      patience = std::min(patience, commands_->until_next(now));
    }
    if (interrupted_ != 0) {
      if (now >= escalate_at_) escalate(now);
      patience = std::min(patience, escalate_at_ - now);
    }
    wait_for_events(patience);
    if (peer_.running() && peer_.poll()) {
      spdlog::warn("the peer ended with code {}", *peer_.poll());
    }
  }

  void wait_for_events(Duration at_most) {
    std::array<pollfd, 2> polled{
        {{signals_.get(), POLLIN, 0}, {commands_ ? commands_->fd() : -1, POLLIN, 0}}};
    // Rounded up, so that a deadline has passed when we look.
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(at_most).count();
    poll(polled.data(), polled.size(),
         static_cast<int>(std::clamp<std::int64_t>(ms, 0, 3'600'000)));
    signalfd_siginfo info{};
    while (read(signals_.get(), &info, sizeof info) == sizeof info) {
      if (static_cast<int>(info.ssi_signo) != SIGCHLD) interrupt(info);
    }
    if (polled[1].revents != 0) commands_->read_some();
  }

  void interrupt(const signalfd_siginfo& info) {
    const int number = static_cast<int>(info.ssi_signo);
    // What a terminal sends it sends to the whole group, COMMAND included; we do likewise.
    const bool from_terminal = info.ssi_code == SI_KERNEL;
    if (!from_terminal) emulator_->near().signal_processes(number);
    if (interrupted_ == 0) escalate_at_ = steady_now() + kGrace;
    interrupted_ = number;
  }

  void escalate(Timestamp now) {
    spdlog::warn("{} does not end: {}", options_.command[0],
                 terminated_ ? "killing" : "terminating");
    command_.signal(terminated_ ? SIGKILL : SIGTERM);
    terminated_ = true;
    escalate_at_ = now + kGrace;
  }

  void end_peer() {
    if (!peer_.running()) return;
    // All of them: the shell may have started others.
    emulator_->far().signal_processes(SIGTERM);
    const Timestamp give_up = steady_now() + kGrace;
    while (!peer_.poll() && steady_now() < give_up) wait_for_events(give_up - steady_now());
    if (peer_.running()) spdlog::warn("the peer does not end: killing");
  }

  const RunOptions& options_;
  UniqueFd signals_;
  std::unique_ptr<Emulator> emulator_;  // outlives the processes, then kills what is left
  std::optional<CommandReader> commands_;
  ChildProcess peer_;
  ChildProcess command_;
  int interrupted_ = 0;  // the signal
  bool terminated_ = false;
  Timestamp escalate_at_;
};

void print_report(const LinkReport& report, const RunOptions& options,
                  const CommonOptions& common) {
  const std::string json = json_of(report).dump(2) + "\n";
  if (!common.quiet) fmt::print(stderr, "{}", common.json ? json : text_of(report));
  if (options.report.empty()) return;
  std::ofstream file(options.report);
  file << json;
  if (!file.flush()) spdlog::error("the report cannot be written to {}", options.report);
}

int run_behind_link(const RunOptions& options, const CommonOptions& common) {
  const auto link = parse_link(options.link);
  if (!link) {
    spdlog::error("{}", link.error().message);
    return kExitUsage;
  }
  if (const std::string missing = missing_for_emulator(); !missing.empty()) {
    spdlog::error("{}. Without it the simulated experiments still run, and qvid itself", missing);
    return kExitLabFailed;
  }
  Session session(options, *link);
  const int code = session.run();
  if (const auto report = session.report()) print_report(*report, options, common);
  return code;
}

}  // namespace

Run add_run(CLI::App& lab, const CommonOptions& common) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* run = lab.add_subcommand("run", "Run a program behind an emulated link");
  run->add_option("--link", options->link,
                  "The link: words as 'rate=2mbit delay=20ms queue=1s loss=0.5%', or a name")
      ->required()
      ->type_name("LINK");
  run->add_option("--peer", options->peer,
                  "A shell command for the far end; it is ended when COMMAND ends")
      ->type_name("COMMAND");
  run->add_option("--wait-port", options->wait_port,
                  "Start COMMAND when the peer listens on this TCP port")
      ->type_name("PORT");
  run->add_option(
         "--commands", options->commands,
         "Read lines that change the link, as 'outage 2s', from a file, a FIFO or - (stdin)")
      ->type_name("FILE");
  run->add_option("--report", options->report, "Write the link's report as JSON")
      ->type_name("FILE");
  run->add_option(
         "command", options->command,
         "After --: the program and its arguments. It has the address 10.77.0.1 (LAB_NEAR) "
         "and finds the peer at 10.77.0.2 (LAB_FAR)")
      ->required()
      ->type_name("COMMAND");
  return [options, &common] { return run_behind_link(*options, common); };
}

Run add_links(CLI::App& lab, const CommonOptions& common) {
  lab.add_subcommand("links", "List the links that have a name");
  return [&common] {
    if (common.json) {
      nlohmann::json list = nlohmann::json::array();
      for (const NamedLink& l : named_links()) {
        list.push_back({{"name", l.name}, {"words", l.words}, {"description", l.description}});
      }
      fmt::print("{}\n", list.dump(2));
      return 0;
    }
    for (const NamedLink& l : named_links()) {
      fmt::print("{:<16} {}\n{:<16} {}\n", l.name, l.description, "", l.words);
    }
    return 0;
  };
}

}  // namespace qvid::lab
