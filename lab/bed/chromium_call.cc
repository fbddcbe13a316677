#include "lab/bed/chromium_call.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/text.h"
#include "lab/bed/chromium.h"
#include "lab/bed/run_clock.h"
#include "lab/emulator/listening_port.h"
#include "lab/glass/call_page.h"
#include "lab/glass/glass.h"
#include "lab/glass/strip.h"

namespace qvid::lab {
namespace {

constexpr const char* kTurn = "turnserver";
constexpr std::uint16_t kTurnPort = 3478;
constexpr Duration kLookAgain = 50ms;

}  // namespace

void check_installed(BetweenDisplays between) {
  std::string missing;
  if (chromium_program().empty()) missing = "chromium";
  if (between == BetweenDisplays::kWebRtcTurn && installed(kTurn).empty()) {
    missing += missing.empty() ? "coturn" : ", coturn";
  }
  if (!missing.empty()) throw NotInstalled(missing);
}

ChromiumCall::ChromiumCall(BetweenDisplays between, std::string codec, const Emulator& emulator,
                           const std::stop_token& stop, Displays displays)
    : emulator_(emulator),
      displays_(std::move(displays)),
      over_turn_(between == BetweenDisplays::kWebRtcTurn),
      codec_(std::move(codec)),
      meeting_(std::array{&emulator.near(), &emulator.far()}) {
  if (over_turn_) start_turn(stop);
}

// The browsers' own children are found by where they are; they would write into the folder.
ChromiumCall::~ChromiumCall() {
  for (const NetNamespace* where : {&emulator_.near(), &emulator_.far()}) {
    where->signal_processes(SIGKILL);
  }
}

void ChromiumCall::start_turn(const std::stop_token& stop) {
  const std::string& address = emulator_.far_address();
  const std::string user = kTurnName;
  std::vector<std::string> command{installed(kTurn),
                                   "-n",
                                   "--no-cli",
                                   "--no-tls",
                                   "--no-dtls",
                                   "--no-udp",
                                   "--lt-cred-mech",
                                   "--realm=" + user,
                                   "--user=" + user + ":" + user,
                                   "--listening-ip=" + address,
                                   "--relay-ip=" + address,
                                   "--listening-port=" + std::to_string(kTurnPort),
                                   "--allow-loopback-peers",
                                   "--log-file=stdout",
                                   "--simple-log",
                                   "--pidfile=" + folder_.file("turn.pid").string(),
                                   "--userdb=" + folder_.file("turn.db").string()};
  Program turn{.name = kTurn, .process = {}};
  turn.process = folder_.launch(turn.name, std::move(command), emulator_.far());
  const Timestamp give_up = RunClock::now() + ProgramFolder::kStartTime;
  while (!listens(turn.process.pid(), kTurnPort)) {
    if (stop.stop_requested()) throw std::runtime_error("stopped before its begin");
    if (turn.process.poll() || RunClock::now() > give_up) {
      throw std::runtime_error("coturn does not listen: " + folder_.output_of(turn.name));
    }
    std::this_thread::sleep_for(kLookAgain);
  }
  programs_.push_back(std::move(turn));
}

void ChromiumCall::start_browser(const std::string& role, const std::string& query, int width,
                                 int height, const NetNamespace& where,
                                 const std::string& display) {
  const ChromiumWindow window{.name = "chromium-" + role,
                              .url = "http://127.0.0.1:" + std::to_string(MeetingServer::kPort) +
                                     "/call?role=" + role + query,
                              .width = width,
                              .height = height,
                              .display = display,
                              .options = {"--disable-extensions"}};
  programs_.push_back({.name = window.name, .process = start_chromium(folder_, window, where)});
}

void ChromiumCall::begin(Timestamp) {
  const std::string turn = over_turn_ ? "&turn=turn:" + emulator_.far_address() + ":" +
                                            std::to_string(kTurnPort) + "%3Ftransport=tcp"
                                      : std::string();
  start_browser("receive", "", kSinkWidth, kSinkHeight, emulator_.far(), displays_.viewers);
  const std::string codec = codec_.empty() ? std::string() : "&codec=" + codec_;
  start_browser("send", codec + turn, kClockWidth, kClockHeight, emulator_.near(),
                displays_.senders);
}

bool ChromiumCall::over() {
  return std::any_of(programs_.begin(), programs_.end(),
                     [](Program& program) { return program.process.poll().has_value(); });
}

void ChromiumCall::finish(RunResult&) {
  for (const char* name : {kSendError, kReceiveError}) {
    if (const std::string why = meeting_.kept(name); !why.empty()) {
      throw std::runtime_error("Chromium's page failed: " + printable(why));
    }
  }
  for (Program& program : programs_) {
    if (program.process.poll()) {
      throw std::runtime_error(program.name + " ended early: " + folder_.last_words(program.name));
    }
  }
  for (Program& program : programs_) program.process.signal(SIGTERM);
  for (Program& program : programs_) ProgramFolder::ends(program.process);
}

}  // namespace qvid::lab
