// `qvid-lab call`: a call through a broker, each party behind a link of its own.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/bed/call_run.h"
#include "lab/emulator/emulator.h"
#include "lab/emulator/link_spec.h"
#include "lab/emulator/stop_on_signal.h"
#include "lab/run.h"

namespace qvid::lab {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitStopped = 130;

struct CallOptions {
  std::vector<std::string> links;
  std::vector<std::string> arguments;
  std::string source = "test";
  std::string size = "640x360";
  std::string bitrate = "1500k";
  double seconds = 20;
  std::string screenshots;
};

std::string party_name(std::size_t index) {
  static constexpr std::array<const char*, kMostParties> kNames = {"Ann", "Bob", "Cid", "Dora",
                                                                   "Ed",  "Fay", "Gus", "Hal"};
  return kNames.at(index);
}

nlohmann::json json_of(const std::vector<CallPartyResult>& results) {
  nlohmann::json parties = nlohmann::json::array();
  for (const CallPartyResult& r : results) {
    nlohmann::json seen = nlohmann::json::array();
    for (const SeenParty& s : r.seen) {
      seen.push_back({{"name", s.name},
                      {"frames_shown", s.shown},
                      {"frames_lost", s.lost},
                      {"full_share", s.full},
                      {"longest_gap_ms", s.longest_gap_ms}});
    }
    parties.push_back({{"name", r.name},
                       {"link", r.link},
                       {"frames_published", r.published},
                       {"seen", std::move(seen)}});
  }
  return {{"parties", std::move(parties)}};
}

std::string text_of(const std::vector<CallPartyResult>& results) {
  std::string text;
  for (const CallPartyResult& r : results) {
    text += fmt::format("{} behind {}: published {:.0f} frames\n", r.name, r.link, r.published);
    for (const SeenParty& s : r.seen) {
      text += fmt::format(
          "  saw {:<5} {:>5.0f} frames, {:>3.0f} lost, {:>3.0f}% with all layers, longest gap "
          "{:.0f} ms\n",
          s.name, s.shown, s.lost, 100 * s.full, s.longest_gap_ms);
    }
  }
  return text;
}

int call(const CallOptions& o, const CommonOptions& common) {
  if (const std::string missing = missing_for_emulator(); !missing.empty()) {
    spdlog::error("{}", missing);
    return kExitLabFailed;
  }
  CallSpec spec{.arguments = {"--source", o.source, "--size", o.size, "--bitrate", o.bitrate},
                .duration = from_seconds(o.seconds)};
  spec.arguments.insert(spec.arguments.end(), o.arguments.begin(), o.arguments.end());
  for (const std::string& link : o.links) {
    if (const auto parsed = parse_link(link); !parsed) {
      spdlog::error("--link {}: {}", link, parsed.error().message);
      return kExitUsage;
    }
    spec.parties.push_back({.name = party_name(spec.parties.size()), .link = link});
  }
  if (!o.screenshots.empty()) {
    std::error_code error;
    std::filesystem::create_directories(o.screenshots, error);
    spec.screenshots = std::filesystem::absolute(o.screenshots, error);
    if (error) {
      spdlog::error("--screenshots {}: {}", o.screenshots, error.message());
      return kExitUsage;
    }
  }
  const StopOnSignal stop([] {});
  spdlog::info("a call of {} parties for {:.0f} s", spec.parties.size(), o.seconds);
  const auto results = run_call(spec, stop.token());
  if (stop.token().stop_requested()) return kExitStopped;
  if (!results) {
    spdlog::error("{}", results.error().message);
    return kExitFailed;
  }
  if (common.json) {
    fmt::print("{}\n", json_of(*results).dump(2));
  } else if (!common.quiet) {
    fmt::print("{}", text_of(*results));
  }
  return 0;
}

}  // namespace

Run add_call(CLI::App& lab, const CommonOptions& common) {
  auto o = std::make_shared<CallOptions>();
  CLI::App* c = lab.add_subcommand(
      "call", "A call through a broker: a party for each --link, behind that link");
  c->add_option("--link", o->links, "A party's link, as of `run`; 2 to 8 of them")
      ->required()
      ->expected(2, static_cast<int>(kMostParties))
      ->type_name("LINK");
  c->add_option("-d,--duration", o->seconds, "Seconds that each party stays")
      ->check(CLI::Range(1.0, 3600.0))
      ->capture_default_str();
  c->add_option("--source", o->source, "What each shows, as of `qvid call`")->capture_default_str();
  c->add_option("--size", o->size, "Of the picture")->capture_default_str();
  c->add_option("--bitrate", o->bitrate, "Of all layers of a party")->capture_default_str();
  c->add_option("--screenshots", o->screenshots,
                "Open windows, and write each at the end to NAME.png in this folder")
      ->type_name("FOLDER");
  c->add_option("argument", o->arguments, "After --: more arguments of each `qvid call`");
  return [o, &common] { return call(*o, common); };
}

}  // namespace qvid::lab
