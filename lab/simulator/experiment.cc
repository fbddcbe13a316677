#include "lab/simulator/experiment.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <random>

#include "lab/simulator/bottleneck.h"

namespace qvid::lab::simulator {
namespace {

constexpr int kSlotsOf500ms = 5;
constexpr int kSlotsOf5s = 50;

double jain(const std::vector<double>& x) {
  double sum = 0, squares = 0;
  for (const double v : x) sum += v, squares += v * v;
  return squares > 0 ? sum * sum / (static_cast<double>(x.size()) * squares) : 1;
}

// The slots of one kind's flows, cut into pieces of `size`; the index of each, averaged. Flows
// that did not run throughout are left out of the pieces they miss.
double mean_jain(const std::vector<const FlowResult*>& flows, int size) {
  double sum = 0;
  int pieces = 0;
  const std::size_t step = static_cast<std::size_t>(size);
  std::size_t longest = 0;
  for (const auto* f : flows) longest = std::max(longest, f->slots.size());
  for (std::size_t from = 0; from + step <= longest; from += step) {
    std::vector<double> acked;
    for (const auto* f : flows) {
      // Slots are aligned at the end of the run.
      const std::size_t missing = longest - f->slots.size();
      if (from < missing) continue;
      double bytes = 0;
      for (std::size_t i = from; i < from + step; ++i) {
        bytes += static_cast<double>(f->slots[i - missing].acked);
      }
      acked.push_back(bytes);
    }
    if (acked.size() < 2) continue;
    sum += jain(acked);
    ++pieces;
  }
  return pieces > 0 ? sum / pieces : 1;
}

double quantile(std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double place = q * static_cast<double>(sorted.size() - 1) + 0.5;
  return sorted[static_cast<std::size_t>(place)];
}

FlowResult result_of(const Flow& flow, const Experiment& e, double fair_bps) {
  FlowResult r;
  r.kind = flow.options().kind;
  r.start = flow.options().start;
  const Duration before = std::max(Duration{}, Timestamp(e.warm_up) - r.start);
  const auto skip = static_cast<std::size_t>(before / kSlot);
  const auto& all = flow.slots();
  r.slots.assign(all.begin() + static_cast<std::ptrdiff_t>(std::min(skip, all.size())), all.end());
  r.timeouts = flow.tcp().timeouts();
  if (r.slots.empty()) return r;
  std::int64_t acked = 0;
  int empty_pieces = 0, pieces = 0;
  std::size_t competing = 0;
  for (std::size_t i = 0; i < r.slots.size(); ++i) {
    acked += r.slots[i].acked;
    if (r.slots[i].signals.competing) ++competing;
    if (i % kSlotsOf500ms != 0 || i + kSlotsOf500ms > r.slots.size()) continue;
    std::int64_t piece = 0;
    for (std::size_t k = i; k < i + kSlotsOf500ms; ++k) piece += r.slots[k].acked;
    ++pieces;
    if (piece == 0) ++empty_pieces;
  }
  const auto slots = static_cast<double>(r.slots.size());
  r.throughput = DataRate::of(ByteCount(acked), kSlot * static_cast<std::int64_t>(r.slots.size()));
  r.share = static_cast<double>(r.throughput.bps()) / fair_bps;
  r.starved = pieces > 0 ? static_cast<double>(empty_pieces) / pieces : 0;
  r.competing = static_cast<double>(competing) / slots;
  return r;
}

KindResult summary(const std::string& kind, const std::vector<const FlowResult*>& flows) {
  KindResult k;
  k.kind = kind;
  k.flows = flows.size();
  std::vector<double> delays;
  k.least_share = 1e9;
  for (const auto* f : flows) {
    k.share += f->share / static_cast<double>(flows.size());
    k.competing += f->competing / static_cast<double>(flows.size());
    k.least_share = std::min(k.least_share, f->share);
    k.most_share = std::max(k.most_share, f->share);
    k.starved = std::max(k.starved, f->starved);
    for (const auto& s : f->slots) delays.push_back(to_ms(s.oldest_unacked));
  }
  std::sort(delays.begin(), delays.end());
  k.median_ms = quantile(delays, 0.5);
  k.p999_ms = quantile(delays, 0.999);
  k.worst_ms = quantile(delays, 1);
  k.jain_500ms = mean_jain(flows, kSlotsOf500ms);
  k.jain_5s = mean_jain(flows, kSlotsOf5s);
  return k;
}

}  // namespace

ExperimentResult run(const Experiment& e) {
  EventLoop loop;
  Duration rtt = e.rtt;
  std::mt19937_64 random(e.seed);
  std::vector<std::unique_ptr<Flow>> flows;
  Bottleneck bottleneck(
      loop, e.rate, e.queue_or_default(), e.loss, random(), [&](const Packet& packet) {
        loop.after(rtt / 2, [&, packet] { flows[packet.flow]->on_segment(packet, rtt - rtt / 2); });
      });
  const Duration wall = from_seconds(std::uniform_real_distribution(0.0, 1000.0)(random));
  for (FlowOptions options : e.flows) {
    options.seed = random();
    options.wall_clock =
        wall + from_seconds(std::normal_distribution(0.0, 1.0)(random) * to_seconds(e.clock_error));
    options.start += staggered(e.stagger, random);
    const std::size_t index = flows.size();
    flows.push_back(std::make_unique<Flow>(
        loop, options, [&bottleneck, index](std::int64_t sequence, std::int64_t bytes) {
          bottleneck.offer({.flow = index, .sequence = sequence, .bytes = bytes});
        }));
  }
  // Bits that the line can carry, from the warm-up on.
  double capacity = 0;
  Timestamp from(e.warm_up);
  DataRate rate = e.rate;
  const Timestamp end(e.duration);
  for (const PathChange& change : e.schedule) {
    if (change.at >= end) continue;
    if (change.rate > DataRate()) {
      if (change.at > from) {
        capacity += static_cast<double>(rate.bps()) * to_seconds(change.at - from);
        from = change.at;
      }
      rate = change.rate;
    }
    loop.at(change.at, [&bottleneck, &rtt, change] {
      if (change.rate > DataRate()) bottleneck.set_rate(change.rate);
      if (change.rtt > Duration{}) rtt = change.rtt;
    });
  }
  capacity += static_cast<double>(rate.bps()) * to_seconds(end - from);

  loop.run_until(Timestamp(e.warm_up));
  const ByteCount served_before = bottleneck.served();
  const std::uint64_t dropped_before = bottleneck.dropped();
  loop.run_until(end);

  ExperimentResult result;
  result.dropped = bottleneck.dropped() - dropped_before;
  result.utilisation =
      static_cast<double>((bottleneck.served() - served_before).value()) * 8 / capacity;
  const double fair =
      capacity / to_seconds(end - Timestamp(e.warm_up)) / static_cast<double>(e.flows.size());
  for (const auto& f : flows) result.flows.push_back(result_of(*f, e, fair));
  std::vector<std::string> kinds;
  std::map<std::string, std::vector<const FlowResult*>> by_kind;
  for (const auto& f : result.flows) {
    if (!by_kind.contains(f.kind)) kinds.push_back(f.kind);
    by_kind[f.kind].push_back(&f);
  }
  for (const auto& kind : kinds) result.kinds.push_back(summary(kind, by_kind[kind]));
  return result;
}

}  // namespace qvid::lab::simulator
