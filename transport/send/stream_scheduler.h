// Which stream sends next: the active one with the smallest virtual time.
// Source: 002 "Stream fairness". Virtual time grows by what is charged over the weight: bytes
// (resource fairness) or a measure of the application (quality fairness).
//
// Fair start: a stream that becomes active starts at the minimum of the active ones; with none
// active, at the maximum of the idle ones, or 0. Use it or lose it: a stream that was idle gets
// max(its own, minimum of the active), so that silence earns no credit.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "transport/wire/message.h"

namespace paceline {

class StreamScheduler {
 public:
  // Precondition: weight > 0.
  void add(StreamId stream, double weight) { streams_[stream].weight = weight; }

  void remove(StreamId stream) {
    deactivate(stream);
    streams_.erase(stream);
  }

  // The stream has something to send.
  void activate(StreamId stream) {
    Entry& e = streams_.at(stream);
    if (e.active) return;
    if (!active_.empty()) {
      e.time = std::max(e.time, active_.begin()->first);
    } else if (!e.ever_active) {
      e.time = idle_maximum_;
    }
    e.active = e.ever_active = true;
    if (e.idle_place.empty()) {
      active_.insert({e.time, stream});
    } else {
      e.idle_place.value().first = e.time;
      active_.insert(std::move(e.idle_place));
    }
  }

  void deactivate(StreamId stream) {
    const auto it = streams_.find(stream);
    if (it == streams_.end() || !it->second.active) return;
    it->second.idle_place = active_.extract({it->second.time, stream});
    it->second.active = false;
    idle_maximum_ = std::max(idle_maximum_, it->second.time);
  }

  // The stream whose turn it is.
  std::optional<StreamId> next() const {
    if (active_.empty()) return std::nullopt;
    return active_.begin()->second;
  }

  // The stream has sent. Preconditions: it is active; cost >= 0.
  void charge(StreamId stream, double cost) {
    Entry& e = streams_.at(stream);
    auto place = active_.extract({e.time, stream});
    e.time += cost / e.weight;
    place.value().first = e.time;
    active_.insert(std::move(place));
  }

 private:
  using Order = std::set<std::pair<double, StreamId>>;
  struct Entry {
    double weight = 1.0;
    double time = 0.0;  // cost over weight; 2^53 bytes before a byte is too small to count
    bool active = false;
    bool ever_active = false;
    Order::node_type idle_place;  // kept while idle, so that turning active allocates nothing
  };
  std::unordered_map<StreamId, Entry> streams_;
  Order active_;
  double idle_maximum_ = 0.0;
};

}  // namespace paceline
