// An experiment on the simulated dumbbell: what to run, and what came out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/simulator/flow.h"
#include "lab/stagger.h"

namespace qvid::lab::simulator {

// A change of the path at a time of the run.
struct PathChange {
  Timestamp at{};
  DataRate rate;   // zero: as before
  Duration rtt{};  // zero: as before
};

struct Experiment {
  DataRate rate = DataRate::from_kbps(16'000);
  Duration rtt = 30ms;
  ByteCount queue;  // zero: two bandwidth-delay products
  double loss = 0;
  std::vector<PathChange> schedule;
  std::vector<FlowOptions> flows;
  Duration duration = 60s;
  Duration warm_up = 15s;       // not measured
  Duration stagger = kStagger;  // each flow begins up to so much later than told
  // Clocks of hosts are off by a normal deviate with this standard deviation.
  Duration clock_error{};
  std::uint64_t seed = 1;

  ByteCount queue_or_default() const {
    // Ten packets at least: no router has less.
    return queue > ByteCount() ? queue : std::max(rate.bytes_in(rtt) * 2, ByteCount(15'000));
  }
};

// Over the measured time.
struct FlowResult {
  std::string kind;
  Timestamp start{};
  DataRate throughput;   // of content, while the flow ran
  double share = 0;      // throughput / (rate / flows running)
  double starved = 0;    // of its slots of 500 ms, those in which nothing was acknowledged
  double competing = 0;  // of its slots of 100 ms, those in which it held its share by force
  std::uint64_t timeouts = 0;
  std::vector<FlowSlot> slots;
};

// All flows of one kind.
struct KindResult {
  std::string kind;
  std::size_t flows = 0;
  double share = 0;  // mean
  double least_share = 0;
  double most_share = 0;
  double median_ms = 0, p999_ms = 0, worst_ms = 0;  // oldest unacked, over slots and flows
  double jain_500ms = 0, jain_5s = 0;               // mean over slots
  double starved = 0;                               // the worst flow's
  double competing = 0;                             // mean
};

struct ExperimentResult {
  double utilisation = 0;
  std::uint64_t dropped = 0;
  std::vector<FlowResult> flows;
  std::vector<KindResult> kinds;
};

ExperimentResult run(const Experiment& experiment);

// "pace:8,cubic:4": KIND[:COUNT][@START[-STOP]][/DEMAND], seconds and bits a second; a demand of 0
// always has more. KIND is a controller (pace, adapt, sock, none; pace-blind is not told of its
// socket) or the congestion control of a plain TCP sender (cubic, reno).
Result<std::vector<FlowOptions>> parse_flows(std::string_view text, DataRate demand);
// "10:rate=600k,20:rate=4M,30:rtt=80"; seconds, bits a second, milliseconds.
Result<std::vector<PathChange>> parse_schedule(std::string_view text);
// "16M", "600k", "0".
Result<DataRate> parse_plain_rate(std::string_view text);

}  // namespace qvid::lab::simulator
