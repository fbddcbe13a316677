#include "lab/simulator/sweep.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace qvid::lab::simulator {
namespace {

constexpr double kLeastMbps = 0.15;  // each
constexpr int kMostFlows = 32;
constexpr double kPromptMs = 60;
constexpr double kFairJain = 0.9;
constexpr double kOwnShare = 0.6;
constexpr double kOthersShare = 0.8;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  // 0..1; the distributions of the standard library differ from one to the next.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform()); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

Experiment random_setting(const Experiment& like, std::uint64_t seed) {
  Random random(seed);
  Experiment e = like;
  e.seed = seed;
  const double mbps = random.log_uniform(1, 100);
  const double rtt = random.log_uniform(0.005, 0.3);
  e.rate = DataRate::from_bps(static_cast<std::int64_t>(mbps * 1e6));
  e.rtt = from_seconds(rtt);
  const double queue_s = random.log_uniform(0.5 * rtt, 2);
  e.queue = std::max(e.rate.bytes_in(from_seconds(queue_s)), ByteCount(15'000));
  const double most = std::clamp(mbps / kLeastMbps, 2.0, static_cast<double>(kMostFlows));
  const auto count = static_cast<std::size_t>(std::lround(random.log_uniform(2, most)));
  const bool greedy = random.uniform() < 0.5;
  const bool alike = std::all_of(e.flows.begin(), e.flows.end(), [&](const FlowOptions& f) {
    return f.kind == e.flows.front().kind;
  });
  if (alike) e.flows.resize(count, e.flows.front());
  for (FlowOptions& f : e.flows) {
    if (greedy || !alike) f.demand = DataRate();
  }
  return e;
}

Verdict judge(const Experiment& e, const ExperimentResult& r) {
  const KindResult& own = r.kinds.front();
  Verdict v{.prompt = own.median_ms < to_ms(e.rtt) + kPromptMs,
            .fair = own.jain_500ms >= kFairJain};
  if (r.kinds.size() == 1) return v;
  v.fair = own.least_share >= kOwnShare;
  for (std::size_t i = 1; i < r.kinds.size(); ++i) v.fair &= r.kinds[i].share >= kOthersShare;
  return v;
}

}  // namespace qvid::lab::simulator
