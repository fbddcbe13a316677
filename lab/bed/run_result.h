// What came out of one run, on one clock: both ends are threads of one process.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "lab/bed/goddard_result.h"
#include "lab/bed/output_table.h"
#include "lab/bed/run_spec.h"
#include "lab/emulator/emulator.h"
#include "lab/glass/glass_log.h"

namespace qvid::lab {

struct StoredFile;  // lab/bed/stored_video.h

inline constexpr Duration kSlot = Duration(100'000'000);  // the thesis's, for oldest unacked
inline constexpr std::size_t kLayers = 8;

struct FlowSlot {
  // max(largest round trip acknowledged, age of the oldest byte not acknowledged); written to
  // acknowledged by the peer application (000 section 3.2). Negative: not known (srt, udp).
  double oldest_unacked_ms = -1;
  std::int64_t delivered = 0;  // bytes of content, at the receiver's application
  // Of sessions:
  double window = 0;  // bytes
  double base_rtt_ms = 0;
  bool competing = false;
};

// Of kVideo: of the frames whose whole window is in the measured time.
struct VideoResult {
  std::uint64_t frames = 0;    // captured
  std::uint64_t shown = 0;     // its base layer came in time
  std::uint64_t layers = 0;    // of the frames shown: those that came in time with all below them
  std::int64_t delivered = 0;  // bytes that came
  std::int64_t used = 0;       // of them, those of layers that were shown
  std::vector<double> shown_each_second;              // of the whole run
  std::array<std::vector<float>, kLayers> delays_ms;  // capture to delivery, by layer
};

// One flow.
struct FlowResult {
  std::string group;
  std::string sender;
  Workload workload = Workload::kGreedy;
  Timestamp start{};  // since the run's begin
  Timestamp stop = kNever;
  std::vector<FlowSlot> slots;      // of the whole run
  std::vector<float> delays_ms;     // production to delivery, measured time; at most kMostDelays
  VideoResult video;                // of the first stream
  std::vector<VideoResult> others;  // of the other streams of a session
  std::uint64_t transfers = 0;      // kMice, kWeb, kChunks: completed in the measured time
  std::vector<float> transfer_ms;
  std::uint64_t sent = 0;      // kCbr: datagrams due in the measured time, a unit each
  std::uint64_t received = 0;  // of these, by the run's end
  std::optional<GoddardResult> goddard;
  std::uint64_t failovers = 0;
  std::string error;  // why it ended early, if it did
};

// A frame that was due at a player: a row of `qvid play --frames`.
struct PlayedFrame {
  std::int64_t number = 0;
  double captured_ms = 0;               // on the player's timeline, whose begin is its own affair
  std::optional<double> shown_ms = {};  // since the player's start; nothing: it was lost
  int layer = -1;                       // the highest that was shown; -1: lost
  double delay_ms = 0;                  // capture to shown

  bool operator==(const PlayedFrame&) const = default;
};

// What a program said at its end with --json: its numbers by their path, "delay_ms.median"; of
// arrays by their index, "seek_ms.0". Truth values are 0 and 1; texts are left out.
using ReportNumbers = std::map<std::string, double, std::less<>>;

struct PlayerResult {
  std::string group;
  Timestamp start{};  // of the process, since the run's begin
  ReportNumbers report;
  std::vector<PlayedFrame> frames;  // of live video that is served
  OutputTable output;               // with output logs
  std::string error;                // why it ended early, where nobody asked it to: a sentence
};

struct ServerResult {
  ReportNumbers report;    // of the server or the broker
  double cpu_seconds = 0;  // of the process, measured time
  ReportNumbers member;    // of a room's member who sends
  OutputTable output;      // of the sender, with output logs
};

// Of a broker trial; of a herd the last ones.
struct BrokerTrialResult {
  double longest_gap_ms = 0;  // of base parts, at any viewer, in the measured time
  double delay_ms = 0;        // of base parts, median
  double delay_p99_ms = 0;
  double lost = 0;                 // base parts, 0..1
  double sessions_lost = 0;        // of publisher and viewers
  double broker_cpu = 0;           // of a core, measured time
  double load_cpu = 0;             // of this process: publisher, viewers and adversary
  double done = 0;                 // by the adversary
  double closed = 0;               // times that he was
  std::optional<double> over_s{};  // of a fault: how long until the broker was done with it
  // With churn.
  double churned = 0;  // who came and went
  double churn_lost = 0;
  double memory_growth = 0;                            // LoadReport::memory_growth
  std::vector<std::pair<double, double>> memory_mb{};  // of the broker, by second
  double joined = 0;                                   // of a herd, before
  double back = 0;
  double refused = 0;      // for good
  double half_back_s = 0;  // after the broker listened again
  double most_back_s = 0;  // 99 of 100
  double last_back_s = 0;
  double herd_broker_cpu = 0;  // of a core, until then
  double herd_cpu = 0;         // of this process
};

struct RunResult {
  RunSpec spec;
  std::vector<FlowResult> flows;      // in the order of the spec
  std::vector<PlayerResult> players;  // in the order of the spec
  ServerResult server;
  BrokerTrialResult trial;
  ReportNumbers cluster;                     // of a cluster's trial: gap_ms, delay_ms and others
  std::shared_ptr<const StoredFile> stored;  // that was served; null: none
  // Where programs run: bytes of packets that the link has delivered upwards, by slot of the whole
  // run.
  std::vector<std::int64_t> carried;
  GlassLog glass;   // between displays
  LinkReport link;  // of the measured time
  Duration measured{};
  Timestamp begin{};  // on the machine's steady clock, as output tables have it
  std::string error;  // the run as a whole failed: a sentence
  // A rival's packages that are not installed here: the run was not made, and did not fail.
  std::string not_installed;
};

}  // namespace qvid::lab
