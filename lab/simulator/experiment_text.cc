// What people type for an experiment.
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "lab/simulator/experiment.h"

namespace qvid::lab::simulator {
namespace {

// No number of a run is larger: a day of it, a Tbit/s.
constexpr double kMost = 1e12;
constexpr int kMostFlows = 1000;

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() ||
      !(value >= 0 && value <= kMost)) {
    return std::nullopt;
  }
  return value;
}

// What comes before the separator; `text` keeps what comes after it.
std::string_view cut(std::string_view& text, char separator) {
  const auto at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return head;
}

Error bad(std::string_view text, const std::string& what) {
  return Error{in_quotes(text) + " is no " + what};
}

std::optional<Timestamp> time_of(std::string_view text) {
  const auto seconds = number(text);
  if (!seconds || *seconds > 86'400) return std::nullopt;
  return Timestamp(from_seconds(*seconds));
}

}  // namespace

Result<DataRate> parse_plain_rate(std::string_view text) {
  double unit = 1;
  std::string_view digits = text;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k': unit = 1e3; break;
      case 'M': unit = 1e6; break;
      case 'G': unit = 1e9; break;
      default: break;
    }
    if (unit > 1) digits.remove_suffix(1);
  }
  const auto value = number(digits);
  if (!value || *value * unit > kMost)
    return bad(text, "rate: write bits a second, as 600k or 16M");
  return DataRate::from_bps(std::llround(*value * unit));
}

Result<std::vector<FlowOptions>> parse_flows(std::string_view text, DataRate demand) {
  std::vector<FlowOptions> flows;
  while (!text.empty()) {
    const std::string_view item = cut(text, ',');
    const Error wrong =
        bad(item, "group of flows: write KIND[:COUNT][@START[-STOP]][/DEMAND], as pace:8@2/5M");
    FlowOptions flow;
    flow.demand = demand;
    std::string_view rest = item;
    std::string_view head = cut(rest, '/');
    if (item.find('/') != std::string_view::npos) {
      const auto own = parse_plain_rate(rest);
      if (!own) return own.error();
      flow.demand = *own;
    }
    std::string_view times = head;
    head = cut(times, '@');
    if (!times.empty()) {
      const auto start = time_of(cut(times, '-'));
      const auto stop = times.empty() ? kNever : time_of(times);
      if (!start || !stop) return wrong;
      flow.start = *start;
      flow.stop = *stop;
    }
    std::string_view count_text = head;
    flow.kind = std::string(cut(count_text, ':'));
    const auto count = count_text.empty() ? 1 : number(count_text);
    if (!count || *count < 1 || *count > kMostFlows) return wrong;
    flow.controller = flow.kind;
    if (flow.kind == "cubic" || flow.kind == "reno") {
      flow.controller = "none";
      if (flow.kind == "reno") flow.congestion_control = CongestionControl::kReno;
    } else if (flow.kind == "pace-blind") {
      flow.controller = "pace";
      flow.sample_socket = false;
    }
    if (const auto known = paceline::make_controller({.name = flow.controller}); !known) {
      return known.error();
    }
    flows.insert(flows.end(), static_cast<std::size_t>(*count), flow);
  }
  if (flows.empty()) return Error{"no flows: write, say, pace:8,cubic:4"};
  return flows;
}

Result<std::vector<PathChange>> parse_schedule(std::string_view text) {
  std::vector<PathChange> changes;
  while (!text.empty()) {
    const std::string_view item = cut(text, ',');
    const Error wrong = bad(item, "change of the path: write SECONDS:rate=BITS or SECONDS:rtt=MS");
    std::string_view value = item;
    const auto at = time_of(cut(value, ':'));
    const std::string_view key = cut(value, '=');
    if (!at) return wrong;
    PathChange change{.at = *at, .rate = {}};
    if (key == "rate") {
      const auto rate = parse_plain_rate(value);
      if (!rate || *rate == DataRate()) return wrong;
      change.rate = *rate;
    } else if (key == "rtt") {
      const auto ms = number(value);
      if (!ms || *ms <= 0 || *ms > 60'000) return wrong;
      change.rtt = from_seconds(*ms / 1e3);
    } else {
      return wrong;
    }
    if (!changes.empty() && change.at < changes.back().at) {
      return bad(item, "later change than the one before it");
    }
    changes.push_back(change);
  }
  return changes;
}

}  // namespace qvid::lab::simulator
