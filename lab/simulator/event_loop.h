// Virtual time: events in order of time, of equal time in the order they were set. A minute of
// network takes a second; the same seed gives the same run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/units.h"

namespace qvid::lab::simulator {

class EventLoop {
 public:
  using Action = std::function<void()>;

  Timestamp now() const { return now_; }
  void at(Timestamp when, Action action) {
    events_.push({std::max(when, now_), count_++, std::move(action)});
  }
  void after(Duration delay, Action action) { at(now_ + delay, std::move(action)); }

  void run_until(Timestamp end) {
    while (!events_.empty() && events_.top().at <= end) {
      now_ = events_.top().at;
      // The queue gives its top as const only; it is popped before the action can touch the queue.
      const Action action = std::move(const_cast<Event&>(events_.top()).action);
      events_.pop();
      action();
    }
    now_ = end;
  }

 private:
  struct Event {
    Timestamp at;
    std::uint64_t order;
    Action action;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  Timestamp now_{};
  std::uint64_t count_ = 0;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
};

}  // namespace qvid::lab::simulator
