#include "lab/bed/call_run.h"

#include <algorithm>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "lab/bed/program_folder.h"
#include "lab/bed/program_report.h"
#include "lab/bed/run_clock.h"
#include "lab/emulator/emulator.h"
#include "lab/emulator/link_spec.h"

namespace qvid::lab {
namespace {

constexpr const char* kBroker = "broker";
constexpr const char* kListen = "0.0.0.0:7400";
constexpr std::string_view kRoom = "lab";
constexpr Duration kLookAgain = Duration(50'000'000);
// For starting, joining and ending, beside the time in the room.
constexpr Duration kGrace = Duration(30'000'000'000);

struct Party {
  CallParty spec;
  std::unique_ptr<Emulator> emulator;
  std::string program;  // its name in the folder
  ChildProcess process;
};

std::vector<SeenParty> seen_of(const nlohmann::json& report, const std::string& self,
                               const std::vector<CallParty>& parties) {
  std::vector<SeenParty> all;
  for (const CallParty& party : parties) {
    if (party.name == self) continue;
    SeenParty seen{.name = party.name};
    for (const auto& shown : report.value("seen", nlohmann::json::array())) {
      if (shown.value("name", "") != party.name) continue;
      seen.shown = shown.value("frames_shown", 0.0);
      seen.lost = shown.value("frames_lost", 0.0);
      seen.full = seen.shown > 0 ? shown.value("frames_full", 0.0) / seen.shown : 0;
      seen.longest_gap_ms = shown.value("longest_gap_ms", 0.0);
    }
    all.push_back(std::move(seen));
  }
  return all;
}

// The key that the broker says it has: what follows '#' in the URL to join with.
std::string fingerprint(const std::string& log) {
  std::string url = room_url(log);
  const std::size_t key = url.find('#');
  return key == std::string::npos ? std::string() : url.substr(key);
}

class CallRun {
 public:
  CallRun(const CallSpec& spec, const std::stop_token& stop)
      : spec_(spec), program_(product_program()), far_(Emulator::make_far()) {
    unsigned subnet = 0;
    for (const CallParty& party : spec.parties) {
      const auto link = parse_link(party.link);
      if (!link) throw std::runtime_error(party.name + ": " + link.error().message);
      parties_.push_back({.spec = party,
                          .emulator = Emulator::open(*link, far_, subnet),
                          .program = "party" + std::to_string(subnet),
                          .process = {}});
      ++subnet;
    }
    broker_ = folder_.launch(kBroker, {program_, "--json", "broker", "--listen", kListen, "--open"},
                             *far_);
    key_ = folder_.await(kBroker, broker_, fingerprint, stop);
  }

  std::vector<CallPartyResult> run(const std::stop_token& stop) {
    for (Party& party : parties_) {
      party.emulator->start();
      party.process = folder_.launch(party.program, command_of(party), party.emulator->near());
    }
    const Timestamp give_up = RunClock::now() + spec_.duration + kGrace;
    const auto running = [](Party& party) { return !party.process.poll(); };
    while (std::any_of(parties_.begin(), parties_.end(), running)) {
      if (stop.stop_requested()) throw std::runtime_error("stopped");
      if (RunClock::now() > give_up) throw std::runtime_error("the call does not end");
      std::this_thread::sleep_for(kLookAgain);
    }
    std::vector<CallPartyResult> results;
    for (Party& party : parties_) results.push_back(result_of(party));
    broker_.signal(SIGINT);
    if (!ProgramFolder::ends(broker_) || broker_.poll() != 0) {
      throw std::runtime_error("the broker failed: " + folder_.last_words(kBroker));
    }
    return results;
  }

 private:
  std::vector<std::string> command_of(const Party& party) const {
    std::vector<std::string> command{
        program_,
        "--json",
        "call",
        "qvid://" + party.emulator->far_address() + ":7400/" + std::string(kRoom) + key_,
        "--name",
        party.spec.name,
        "--duration",
        std::to_string(to_seconds(spec_.duration))};
    if (spec_.screenshots.empty()) {
      command.emplace_back("--headless");
    } else {
      command.insert(command.end(),
                     {"--screenshot", (spec_.screenshots / (party.spec.name + ".png")).string()});
    }
    command.insert(command.end(), spec_.arguments.begin(), spec_.arguments.end());
    return command;
  }
  CallPartyResult result_of(Party& party) {
    const auto report = nlohmann::json::parse(folder_.output_of(party.program), nullptr, false);
    if (party.process.poll() != 0 || !report.is_object()) {
      throw std::runtime_error(party.spec.name + " failed: " + folder_.last_words(party.program));
    }
    return {.name = party.spec.name,
            .link = party.spec.link,
            .published = report.value("frames_published", 0.0),
            .seen = seen_of(report, party.spec.name, spec_.parties)};
  }

  const CallSpec& spec_;
  std::string program_;
  ProgramFolder folder_;  // after its programs
  std::string key_;
  std::shared_ptr<NetNamespace> far_;
  std::vector<Party> parties_;
  ChildProcess broker_;
};

}  // namespace

Result<std::vector<CallPartyResult>> run_call(const CallSpec& spec, const std::stop_token& stop) {
  if (spec.parties.size() < 2 || spec.parties.size() > kMostParties) {
    return Error{"a call has 2 to " + std::to_string(kMostParties) + " parties"};
  }
  try {
    return CallRun(spec, stop).run(stop);
  } catch (const std::exception& e) {
    return Error{e.what()};
  }
}

}  // namespace qvid::lab
