#include "lab/bed/chromium_call.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "base/text.h"
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

// The first of these that can be run: a path, or a name to be found by PATH. Empty: none.
std::string installed(std::initializer_list<std::string_view> names) {
  const char* variable = std::getenv("PATH");
  const std::string path = variable == nullptr ? "/usr/bin:/bin" : variable;
  for (const std::string_view name : names) {
    if (name.starts_with('/')) {
      if (access(std::string(name).c_str(), X_OK) == 0) return std::string(name);
      continue;
    }
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t end = std::min(path.find(':', begin), path.size());
      std::string file = path.substr(begin, end - begin).append("/").append(name);
      if (access(file.c_str(), X_OK) == 0) return file;
      begin = end + 1;
    }
  }
  return {};
}

// Debian's `chromium` is a script that reads a person's settings: the program itself first.
std::string chromium() { return installed({"/usr/lib/chromium/chromium", "chromium"}); }

// A browser that does nothing but this: no first steps, no updates, no other host, no GPU; it
// shares the screen without being asked, and a window that another one covers goes on.
constexpr std::array kChromiumOptions = {
    "--no-sandbox",
    "--disable-gpu",
    "--ozone-platform=x11",
    "--no-first-run",
    "--no-default-browser-check",
    "--test-type",
    "--mute-audio",
    "--password-store=basic",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--disable-extensions",
    "--disable-breakpad",
    "--disable-default-apps",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    "--autoplay-policy=no-user-gesture-required",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 10.77.*",
    "--auto-select-desktop-capture-source=Entire screen",
    "--disable-features=WebRtcHideLocalIpsWithMdns,GetDisplayMediaRequiresUserActivation,"
    "Translate,MediaRouter,OptimizationHints",
    "--disable-blink-features=GetDisplayMediaRequiresUserActivation",
};

}  // namespace

void check_installed(BetweenDisplays between) {
  std::string missing;
  if (chromium().empty()) missing = "chromium";
  if (between == BetweenDisplays::kWebRtcTurn && installed({kTurn}).empty()) {
    missing += missing.empty() ? "coturn" : ", coturn";
  }
  if (!missing.empty()) throw NotInstalled(missing);
}

ChromiumCall::ChromiumCall(BetweenDisplays between, const Emulator& emulator,
                           const std::stop_token& stop, Displays displays)
    : emulator_(emulator),
      displays_(std::move(displays)),
      over_turn_(between == BetweenDisplays::kWebRtcTurn),
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
  std::vector<std::string> command{installed({kTurn}),
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

void ChromiumCall::start_browser(const std::string& role, const std::string& query,
                                 const std::string& size, const NetNamespace& where,
                                 const std::string& display) {
  std::vector<std::string> command{chromium()};
  command.insert(command.end(), kChromiumOptions.begin(), kChromiumOptions.end());
  command.insert(command.end(), {"--user-data-dir=" + folder_.file("profile-" + role).string(),
                                 "--window-position=0,0", "--window-size=" + size,
                                 "--app=http://127.0.0.1:" + std::to_string(MeetingServer::kPort) +
                                     "/call?role=" + role + query});
  Program browser{.name = "chromium-" + role, .process = {}};
  browser.process =
      folder_.launch(browser.name, std::move(command), where,
                     {"DISPLAY=" + display, "HOME=" + folder_.file("home-" + role).string(),
                      "DBUS_SESSION_BUS_ADDRESS=disabled:", "WAYLAND_DISPLAY="});
  programs_.push_back(std::move(browser));
}

void ChromiumCall::begin(Timestamp) {
  const std::string turn = over_turn_ ? "&turn=turn:" + emulator_.far_address() + ":" +
                                            std::to_string(kTurnPort) + "%3Ftransport=tcp"
                                      : std::string();
  start_browser("receive", "", std::to_string(kSinkWidth) + "," + std::to_string(kSinkHeight),
                emulator_.far(), displays_.viewers);
  start_browser("send", turn, std::to_string(kClockWidth) + "," + std::to_string(kClockHeight),
                emulator_.near(), displays_.senders);
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
