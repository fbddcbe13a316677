#include "transport/control/dip.h"

#include "transport/control/pace_math.h"

namespace paceline {
namespace {

using qvid::Duration;
using qvid::Timestamp;
using qvid::operator""ms;

constexpr double kDepth = 0.5;          // of the flow's part of the path without a queue
constexpr double kCompeteDepth = 0.25;  // deeper; where it goes on, of the whole window
constexpr double kLeastChunks = 0.25;   // under one chunk, pacing alone is the limit
constexpr double kCompeteChunks = 2;    // a round trip go on, of a video the base
constexpr Duration kHold = 80ms;        // at least; flows of one grid are a round apart
constexpr Duration kStopped = 200ms;    // BBR's; they did not begin in the same round
constexpr double kStoppedRounds = 1.5;
constexpr double kCompanyHold = 2.5;  // round trips
constexpr double kChunkFrom = 0.25;   // of the shortest hold
constexpr double kChunkTo = 0.75;     // of the rest of this one
constexpr double kMostRounds = 2;     // that a hold waits for the level's worth of a competing flow

// 0..1: what no two flows have in common is the nanosecond of their last event (splitmix64).
double dice(Timestamp now) {
  auto x = static_cast<std::uint64_t>(now.time_since_epoch().count()) + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

}  // namespace

void Dip::begin(const Flow& flow, Duration rtt, Kind kind, Timestamp now) {
  phase_ = Phase::kDrain;
  stops_ = kind == Kind::kStop;
  goes_on_ = kind == Kind::kAlone && flow.competing;
  begin_ = least_end_ = now;
  if (kind != Kind::kAlone) least_end_ += std::max(Duration(kStopped), scaled(rtt, kStoppedRounds));
  rtt_ = rtt;
  low_ = Duration::max();
  end_ = flow.acked + flow.outstanding;
  set_level(flow);
}

void Dip::cancel() {
  phase_ = Phase::kNone;
  stops_ = false;
  pause_ = {};
}

// Of the flow's part of the path without a queue, as far as that is known by now.
void Dip::set_level(const Flow& flow) {
  const double depth = stops_ ? 0 : flow.competing ? kCompeteDepth : kDepth;
  const double part = qvid::to_seconds(flow.base) / qvid::to_seconds(std::max(rtt_, flow.base));
  const double least = flow.competing && !stops_ ? kCompeteChunks : kLeastChunks;
  level_ = std::max({depth * flow.window * (goes_on_ ? 1 : part), least * flow.chunk, flow.least});
}

bool Dip::step(const Flow& flow, Timestamp now) {
  if (phase_ == Phase::kNone) return false;
  set_level(flow);
  if (phase_ == Phase::kDrain) {
    // Urgent messages do not wait for the window, so there may always be more under way.
    if (static_cast<double>(flow.outstanding) > level_ && flow.acked < end_) return false;
    phase_ = Phase::kHold;
    least_end_ = std::max(least_end_, now + kHold);
    // Less than a chunk in flight is one chunk: not when all others send theirs, and on the line
    // before the first of them goes on, whose chunks would be the queue that it tells of.
    if (level_ < flow.chunk) {
      const Duration least = std::max(flow.base, Duration(kHold));
      const Duration from = scaled(least, kChunkFrom);
      const Duration rest = std::max<Duration>(least_end_ - now, least) - from;
      pause_ = now + from + scaled(rest, kChunkTo * dice(now));
    }
    // The first that is written now tells, however small it is: a chunk's worth of small messages,
    // one a round, would hold up a video for seconds.
    end_ = flow.acked + flow.outstanding + 1;
    latest_end_ = least_end_ + scaled(rtt_, kMostRounds);
    return false;
  }
  // More than this flow's own part has gone: others dip, too. Wait for the last of them.
  if (flow.competing && low_ < flow.base + flow.usual_queue / 2) {
    least_end_ = std::max(least_end_, begin_ + scaled(rtt_, kCompanyHold));
  }
  const double trickle = std::min(level_, kCompeteChunks * flow.chunk);
  const auto level = static_cast<std::int64_t>(flow.competing ? trickle : 0);
  if (now < least_end_ || flow.acked < end_) return false;
  if (flow.acked < end_ + level && now < latest_end_) return false;
  phase_ = Phase::kNone;
  stops_ = false;
  return true;
}

}  // namespace paceline
