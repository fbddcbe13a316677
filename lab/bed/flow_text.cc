#include "lab/bed/flow_text.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "lab/bed/flow_ends.h"
#include "lab/bed/goddard.h"
#include "lab/emulator/link_spec.h"
#include "lab/emulator/values.h"

namespace qvid::lab {
namespace {

constexpr std::size_t kMostFlows = 500;

// What comes before the separator; `text` keeps what comes after it.
std::string_view cut_at(std::string_view& text, char separator) {
  const auto at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return head;
}

struct NamedWorkload {
  std::string_view name;
  Workload workload;
  bool has_rate;
};
constexpr std::array<NamedWorkload, 10> kWorkloads = {{{"greedy", Workload::kGreedy, false},
                                                       {"mice", Workload::kMice, false},
                                                       {"web", Workload::kWeb, false},
                                                       {"goddard", Workload::kGoddard, false},
                                                       {"download", Workload::kDownload, false},
                                                       {"video", Workload::kVideo, true},
                                                       {"chunks", Workload::kChunks, true},
                                                       {"frames", Workload::kFrames, true},
                                                       {"cbr", Workload::kCbr, true},
                                                       {"pulses", Workload::kPulses, true}}};

std::optional<Error> read_workload(std::string_view text, FlowSpec& flow) {
  std::string_view rate = text;
  const std::string_view kind = cut_at(rate, '=');
  const auto named = std::ranges::find(kWorkloads, kind, &NamedWorkload::name);
  if (named == kWorkloads.end()) {
    return Error{"there is no workload " + in_quotes(text) +
                 ": choose greedy, mice, web, goddard, download, video=RATE, chunks=RATE, "
                 "frames=RATE, cbr=RATE or pulses=RATE"};
  }
  flow.workload = named->workload;
  if (flow.workload == Workload::kGoddard) flow.window = kGoddardWindow;
  if (!named->has_rate) {
    if (kind.size() == text.size()) return std::nullopt;
    return Error{in_quotes(text) + ": " + std::string(kind) + " has no rate"};
  }
  const Result<DataRate> parsed = parse_rate(rate);
  if (!parsed) return parsed.error();
  flow.rate = *parsed;
  return std::nullopt;
}

// "farther=90ms", "clock-error=20ms"
std::optional<Error> read_setting(std::string_view text, FlowSpec& flow) {
  std::string_view value = text;
  const std::string_view name = cut_at(value, '=');
  if (name != "farther" && name != "clock-error") {
    return Error{in_quotes(text) +
                 " is no setting of a flow: write farther=TIME or clock-error=TIME"};
  }
  const Result<Duration> time = parse_time(value);
  if (!time) return time.error();
  if (*time > kMaxDelay) return Error{in_quotes(text) + ": at most 10s"};
  (name == "farther" ? flow.farther : flow.clock_error) = *time;
  return std::nullopt;
}

std::optional<Error> read_times(std::string_view text, FlowSpec& flow) {
  std::string_view stop = text;
  const std::string_view start = cut_at(stop, '-');
  const Result<Duration> from = parse_time(start);
  if (!from) return from.error();
  flow.start = *from;
  if (start.size() == text.size()) return std::nullopt;
  const Result<Duration> to = parse_time(stop);
  if (!to) return to.error();
  if (*to <= *from) return Error{in_quotes(text) + ": the end is not after the start"};
  flow.stop = *to;
  return std::nullopt;
}

}  // namespace

Result<std::vector<FlowSpec>> parse_flow_specs(std::string_view text) {
  std::vector<FlowSpec> flows;
  std::size_t total = 0;
  do {
    std::string_view rest = cut_at(text, ',');
    FlowSpec flow;
    flow.group = rest.substr(0, 64);
    std::string_view workload = rest;
    std::string_view times = cut_at(workload, '/');
    std::string_view settings = workload;
    workload = cut_at(settings, '/');
    std::string_view count = cut_at(times, '@');
    flow.sender = cut_at(count, ':');
    if (!count.empty()) {
      const Result<std::uint64_t> parsed = parse_whole(count, kMostFlows);
      if (!parsed) return parsed.error();
      if (*parsed == 0) return Error{in_quotes(flow.group) + ": no flow at all"};
      flow.count = static_cast<std::size_t>(*parsed);
    }
    if (!times.empty()) {
      if (const auto error = read_times(times, flow)) return *error;
    }
    if (!workload.empty()) {
      if (const auto error = read_workload(workload, flow)) return *error;
    }
    while (!settings.empty()) {
      if (const auto error = read_setting(cut_at(settings, '/'), flow)) return *error;
    }
    if (const auto error = check_sender(flow)) return *error;
    total += flow.count;
    if (total > kMostFlows) {
      return Error{"more than " + std::to_string(kMostFlows) + " flows"};
    }
    flows.push_back(std::move(flow));
  } while (!text.empty());
  return flows;
}

}  // namespace qvid::lab
