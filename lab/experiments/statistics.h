// What the papers' tables are made of, computed from runs.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/bed/run_result.h"

namespace qvid::lab {

// What a measure is where there was nothing to measure: no number, so that it is not taken for a
// good one. Tables leave such cells empty, and a target that gets one is missed.
inline constexpr double kNothingMeasured = std::numeric_limits<double>::quiet_NaN();

// The value below which `part` (0..1) of `values` lie (nearest rank); kNothingMeasured: none.
double percentile(std::vector<double> values, double part);
double mean(std::span<const double> values);

// Flows that a figure is about; by group. Empty group: all.
using FlowFilter = std::function<bool(const FlowResult&)>;
FlowFilter of_group(std::string_view group);

// Of the measured time, over all slots of 100 ms of all flows that pass (000 section 3.4.2).
std::vector<double> oldest_unacked_ms(const RunResult& run, const FlowFilter& flows);
// Throughput over fair share (the link's rate down the flow's way over the flows that run), one
// value for each flow and window of time (003 section 4.2.3). Windows are whole slots.
std::vector<double> shares(const RunResult& run, const FlowFilter& flows, Duration window);
// Jain's index of the flows' throughput, mean over windows (000 equation 3.8).
double jain(const RunResult& run, const FlowFilter& flows, Duration window);
// Bits a second that the link's way from near to far could carry, in the measured time.
double capacity_bps(const RunResult& run);
// Delivered by the link over what it could carry, in the measured time.
double utilisation(const RunResult& run);
// Of windows and flows, those in which nothing was delivered.
double starved(const RunResult& run, const FlowFilter& flows, Duration window);
// Bits a second of content, of all flows that pass together, in the measured time.
double throughput_bps(const RunResult& run, const FlowFilter& flows);
// The distribution as a line to draw: at most `points` of (value, part of the values up to it).
std::vector<std::pair<double, double>> cdf(std::vector<double> values, std::size_t points = 200);

}  // namespace qvid::lab
