#include "lab/load/cluster_simulation.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace qvid::lab {
namespace {

constexpr Duration kSimulatedTurn = 25ms;

class SimulatedCluster {
 public:
  explicit SimulatedCluster(const ClusterSimulation& s) : s_(s), random_(s.seed) {
    std::uniform_real_distribution<double> about(.5, 1.5);
    for (int i = 0; i < s.nodes; ++i) {
      nodes_.push_back(std::make_unique<NodeModel>(store_, "n" + std::to_string(i), 1));
      nodes_.back()->delay = from_seconds(to_seconds(s.way) * about(random_));
    }
  }

  ClusterOutcome run() {
    settle();
    ClusterOutcome out;
    const Duration worked = store_.worked();
    const std::size_t told = news();
    for (const auto end = now_ + s_.duration; now_ < end;) {
      step();
      look(out);
    }
    out.busy = to_seconds(store_.worked() - worked) / to_seconds(s_.duration);
    out.told = static_cast<double>(news() - told) / to_seconds(s_.duration);
    out.silent /= static_cast<double>(s_.nodes) * static_cast<double>(s_.duration / kSimulatedTurn);
    for (const auto& node : nodes_) {
      out.claims.add(node->waited);
      out.refused += node->refused;
      out.lost += node->lost;
    }
    for (const auto& [key, value] : store_.values()) {
      out.directory += ByteCount::of(key.size() + value.text.size());
    }
    out.back = return_time();
    return out;
  }

 private:
  // Before anything costs time.
  void settle() {
    for (const auto end = now_ + ClusterSimulation::kSettle; now_ < end;) turn();
    for (int i = 0; i < s_.members; ++i) join();
    for (const auto end = now_ + ClusterSimulation::kSettle; now_ < end;) turn();
    // Long enough for nodes that began in one moment to draw apart.
    for (const auto end = now_ + 3 * nodes_.front()->directory().put_every(); now_ < end;) turn();
    for (const auto& node : nodes_) node->waited.clear();
    store_.set_costs(s_.costs);
  }
  void turn() {
    now_ += kSimulatedTurn;
    ++turns_;
    for (const auto& node : nodes_) node->step(now_, random_, 0);
  }
  void step() {
    for (due_ += s_.joins * to_seconds(kSimulatedTurn); due_ >= 1; --due_) {
      join();
      leave();
    }
    turn();
  }
  void join() {
    const std::size_t at = random_() % nodes_.size();
    qps::NameKey key{.room = "room " + std::to_string(joined_ / ClusterSimulation::kRoom),
                     .name = "member " + std::to_string(joined_)};
    ++joined_;
    nodes_[at]->claim(key, "self", now_);
    there_.emplace_back(at, std::move(key));
  }
  void leave() {
    nodes_[there_.front().first]->leave(there_.front().second);
    there_.pop_front();
  }
  void look(ClusterOutcome& out) const {
    for (const auto& node : nodes_) {
      const qps::Directory& d = node->directory();
      if (!d.works(now_)) {
        ++out.silent;
        continue;
      }
      // Of many a look at one in each step is enough, and costs less than what is looked at.
      if (nodes_.size() > 64 && node != nodes_[turns_ % nodes_.size()]) continue;
      std::int64_t dead = 0;
      for (const auto& [name, other] : d.nodes()) dead += d.is_dead(other, now_) ? 1 : 0;
      out.most_dead = std::max(out.most_dead, dead);
    }
  }
  Duration return_time() {
    for (const auto& node : nodes_) node->reached = false;
    const Duration away = nodes_.front()->directory().entry().lease + 2s;
    for (const auto end = now_ + away; now_ < end;) turn();
    for (const auto& node : nodes_) node->reached = true;
    const Timestamp from = now_;
    const auto works = [&](const auto& node) { return node->directory().works(now_); };
    do {
      turn();
    } while (now_ - from < ClusterSimulation::kMostReturn && !std::ranges::all_of(nodes_, works));
    return now_ - from;
  }
  std::size_t news() const {
    std::size_t all = 0;
    for (const auto& node : nodes_) all += node->news();
    return all;
  }

  const ClusterSimulation s_;
  std::mt19937_64 random_;
  StoreModel store_;
  std::vector<std::unique_ptr<NodeModel>> nodes_;
  std::deque<std::pair<std::size_t, qps::NameKey>> there_;  // who joined, in that order
  std::int64_t joined_ = 0;
  double due_ = 0;  // joins
  std::size_t turns_ = 0;
  Timestamp now_ = kClusterBegin;
};

}  // namespace

ClusterOutcome simulate(const ClusterSimulation& simulation) {
  return SimulatedCluster(simulation).run();
}

}  // namespace qvid::lab
