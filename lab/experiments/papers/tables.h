// What most experiments do alike: durations, and rows of measures.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/experiment.h"
#include "lab/experiments/statistics.h"

namespace qvid::lab {

// The thesis's dumbbell (000 section 3.4.1): 16 Mbit/s, 30 ms, drop-tail of two bandwidth-delay
// products.
inline constexpr std::string_view kThesisLink = "rate=16mbit delay=15ms queue=60ms";

// `brief` times the stretch, or the paper's whole length; `warm_up` is not measured.
struct Length {
  Duration brief;
  Duration warm_up;
  Duration full = Duration(380'000'000'000);  // 000 section 3.4.1: 380 s, the middle 300
  Duration full_warm_up = Duration(40'000'000'000);
};
void set_length(RunSpec& run, const Length& length, const ExperimentOptions& options);

// "quic" as well, where this build has it: the reference without transport queues of 002, which was
// SST there.
std::vector<const char*> with_quic(std::vector<const char*> senders);
std::string quic_note();  // what `quic` is, or why it is not there

// Runs without an error whose name begins so.
std::vector<const RunResult*> runs_named(std::span<const RunResult> results,
                                         std::string_view prefix);
// Null: it failed.
const RunResult* run_named(std::span<const RunResult> results, std::string_view name);

// Production to delivery of every unit of the group's flows.
std::vector<double> delays_ms(const RunResult& run, std::string_view group);

// How long each transfer of the run's web pages, mice and chunks took.
std::vector<double> transfers_ms(const RunResult& run);

// A number, or nothing where nothing was measured.
Cell cell(double value);
inline constexpr std::monostate kNothing{};

// One line of an empirical distribution.
Series distribution(std::string name, std::vector<double> values);
// A measure over time, one point a slot of 100 ms; `value` gives it for the slot.
template <class F>
Series over_time(std::string name, const FlowResult& flow, F value) {
  Series series{.name = std::move(name), .points = {}};
  for (std::size_t i = 0; i < flow.slots.size(); ++i) {
    series.points.emplace_back(0.1 * static_cast<double>(i), value(flow.slots[i]));
  }
  return series;
}
// Megabits a second of content that arrived, mean of a second around each slot.
Series rate_over_time(std::string name, const FlowResult& flow);

}  // namespace qvid::lab
