// One run on the emulated link: what sends, for how long, over which link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "lab/bed/test_sound.h"

namespace qvid::lab {

// What a flow has to send.
enum class Workload : std::uint8_t {
  kGreedy,  // always more
  kVideo,   // layered frames of which each has a deadline; see layered_video.h
  kMice,    // 20 kB on a connection of their own, again and again (001)
  kWeb,     // pages of two objects, Pareto 1.2 with a mean of 5 kB, then a think time (004 ch. 4)
  kChunks,  // stored video: 4 s of the rate each 4 s, or once the last is there, each on a connection
  kFrames,  // frames of equal size, 30 a second at the rate, in datagrams of 1000 B
  kCbr,     // datagrams of 1000 B at the rate, whatever happens to them
  kPulses,  // the same in the 250 ms after each 5 s of the wall's clock: against PACE's dips
  kDownload,  // always more, from far to near: its acknowledgements take the way of the others' content
  kGoddard,  // 004's adaptive stream, and its client at the far end: goddard.h
};

// Flows that are alike.
struct FlowSpec {
  std::string group{};  // what is reported together; empty: the sender's name
  // A controller: pace, adapt, sock, mtp, none; with "+fo" a standby and failover, with "+udp"
  // behind it datagrams where they pass (mtp: nothing else).
  // Plain TCP: cubic, reno, bbr; "lowat": cubic with TCP_NOTSENT_LOWAT of 16 kB; "m10", "m13",
  // "m20": reno behind MIN_BUF(A,B).
  // quic, quic-bbr: a stream each unit (lab/bed/quic_flow.h); not in every build.
  // srt: live mode, 120 ms. udp: nothing but datagrams (kCbr, kPulses, kFrames, kVideo).
  std::string sender = "pace";
  Workload workload = Workload::kVideo;
  DataRate rate = DataRate::from_kbps(5000);  // of kVideo, kChunks, kFrames, kCbr and kPulses
  // Of kVideo, and of kGoddard over a session: a frame's deadline after its capture.
  Duration window = Duration(166'666'667);
  // Of sessions with kVideo: this many videos in one session, each on a stream of its own, the
  // first at `rate` and each of the others at half the rate of the one before.
  std::size_t streams = 1;
  bool quality_fairness = false;  // streams share by frames, not by bytes
  std::size_t count = 1;
  Duration start{};  // since the run's begin
  Duration stop = Duration::max();
  std::uint32_t segment = 0;  // TCP_MAXSEG; 0: as the path
  Duration farther{};         // propagation from near to far beyond the link's, at most kMaxDelay
  // Of sessions: their hosts' clocks are off by a normal deviate with this standard deviation.
  Duration clock_error{};
};

// One `qvid play`, or in a room `qvid watch`, without a window. Times are since the run's
// begin; max: never.
struct PlayerSpec {
  std::string group{};                   // what is reported together
  std::string video = "live";            // of the server: live, or the name of a file; not a room's
  std::vector<std::string> arguments{};  // of it, beside those that every run gives
  Duration start{};
  // SIGSTOP and SIGCONT: a viewer whose machine stands still, and who reads nothing meanwhile.
  Duration halt = Duration::max();
  Duration go_on = Duration::max();
  Duration kill = Duration::max();  // SIGKILL: a viewer that goes without a word
};

// The file of lab/bed/stored_video.h, as players ask for it.
inline constexpr const char* kStoredName = "scene.qvid";

// What is between two displays (lab/glass/glass.h), where a run is judged by what they show: the
// near one has a clock, and the far one is watched.
enum class BetweenDisplays : std::uint8_t {
  kNothing,     // there are no displays: programs run without windows
  kProduct,     // the spec's programs, with windows
  kGuest,       // the spec's room, without players; in their place Chromium with the broker's page
  kWebRtcUdp,   // in their place Chromium at both ends
  kWebRtcTurn,  // the same, the sender through coturn at the far end, over TCP
};

// The product itself (lab/bed/program_run.h): `qvid serve` at the near end and players at the far
// one. They may run beside flows, whose content goes the same way.
struct ProgramSpec {
  std::vector<std::string> serve{};  // arguments of `qvid serve`, beside the address
  // Not empty: a room. The server is `qvid broker` with the arguments above, beside it runs this
  // member who sends (`publish` or `call` with its arguments, without the URL), and players
  // `qvid watch` it by its name.
  std::vector<std::string> member{};
  // The server is at the far end, and players at the near one: what they play comes down the link. A
  // guest at the near one sends its display.
  bool from_far = false;
  bool guest_speaks = false;  // who sends
  // What the sender, `serve` or the member, has as its microphone: for the whole run.
  TestSound sound = TestSound::kNone;
  bool output_logs = false;  // of the players and the sender
  Duration stored{};         // zero, or the length of a video that is served too, as kStoredName
  std::vector<PlayerSpec> players{};
  BetweenDisplays between = BetweenDisplays::kNothing;
  std::string webrtc_codec{};  // of Chromium, by WebRTC's name; empty: VP8
};

// What is done to a broker while its room goes on: adversaries (lab/load/adversary.h), and faults of
// machines (lab/load/machine_fault.h).
enum class BrokerTrouble : std::uint8_t {
  kNone,
  kHandshakes,
  kSlowHandshakes,
  kRequests,
  kPublishing,
  kCriteria,
  kFragments,
  kDescending,
  kHaltedViewers,
  kHalt,
  kNoFiles,
  kNoMemory,
  kGone,
  kClock,
  kCertificates,
  kFullDisk,
};

// A broker and its room on one machine (lab/load/broker_trial.h).
struct BrokerTrial {
  BrokerTrouble trouble = BrokerTrouble::kNone;
  std::size_t viewers = 50;
  std::size_t rooms = 1;  // with a publisher each
  DataRate rate = DataRate::from_bps(500'000);
  int items = 30;    // a second
  double churn = 0;  // members a second who come and go beside (lab/load/load_churn.h)
  // Above zero, in place of all that: so many clients of a broker that is killed and comes back
  // (lab/load/herd_run.h).
  std::size_t herd = 0;
  std::size_t of_room = 50;  // of a herd
};

// What happens to a cluster of brokers (lab/load/cluster_trial.h).
enum class ClusterFault : std::uint8_t {
  kNone,         // nothing: what a hop costs
  kKilled,       // a node, SIGKILL
  kDrained,      // a node, SIGTERM
  kNatsInPart,   // one of three servers of its directory, SIGKILL
  kWithoutNats,  // its directory is killed and comes back
  kCut,          // the site of a node, for five seconds
  kViewers,      // nothing: what crosses each link where 300 watch
  kRolling,      // each node, one after the other, SIGTERM, and started again
};
struct ClusterTrial {
  ClusterFault fault = ClusterFault::kNone;
};

struct RunSpec {
  std::string name{};  // for progress and errors: "16 flows, pace"
  std::string link{};  // as `qvid-lab run --link` takes it
  std::vector<FlowSpec> flows{};
  ProgramSpec programs{};  // without players and rivals of theirs: none
  // In place of link, flows and programs.
  std::optional<BrokerTrial> trial{};
  std::optional<ClusterTrial> cluster{};
  Duration duration = Duration(30'000'000'000);
  Duration warm_up = Duration(5'000'000'000);  // not measured
  bool ecn = false;                            // both ends' TCP
  std::uint64_t seed = 1;

  // Encoders and decoders need a machine for themselves: beside others' they are late, and what is
  // measured is the machine.
  bool alone() const {
    return !programs.players.empty() || programs.between != BetweenDisplays::kNothing || trial ||
           cluster;
  }
};

}  // namespace qvid::lab
