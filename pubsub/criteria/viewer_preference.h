// Whom the seats of a viewer with criteria shall show, as the room changes.
//
// The criterion is evaluated where the table of the track's publishers has changed, at most every
// kInterval: what comes from strangers has a bounded rate (preference.h). One that fails later, by
// what another publisher says of itself, keeps the last ranking.
//
// Pure. Thread: the broker's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pubsub/criteria/preference.h"
#include "pubsub/criteria/seat_policy.h"

namespace qps {

// Who of a room publishes a track. It is there as long as somebody watches the best of them.
struct TrackPublishers {
  PublisherTable table;
  std::uint64_t version = 1;  // of the table
};

class ViewerPreference {
 public:
  static constexpr qvid::Duration kInterval = std::chrono::milliseconds(100);

  // `self`: who watches, and is not shown to himself. `seats`: of the viewer.
  ViewerPreference(std::shared_ptr<TrackPublishers> publishers, Criterion criterion,
                   std::string self, std::size_t seats)
      : publishers_(std::move(publishers)),
        criterion_(std::move(criterion)),
        self_(std::move(self)),
        policy_(seats) {}

  // The first evaluation. Why the criterion is refused; nothing where it went well.
  std::optional<qvid::Error> begin(qvid::Timestamp now) {
    auto ranking = evaluate();
    if (!ranking) return ranking.error();
    take(*std::move(ranking), now);
    return std::nullopt;
  }
  // `may_evaluate`: else the last ranking stays a while longer.
  const std::vector<SeatPolicy::Seat>& update(qvid::Timestamp now, bool may_evaluate = true) {
    if (may_evaluate && publishers_->version != version_ && now >= next_) {
      auto ranking = evaluate();
      take(ranking ? *std::move(ranking) : std::move(ranking_), now);
    }
    return policy_.update(ranking_, now);
  }
  // What evaluations have cost since this was asked: steps of SQLite's machine.
  std::int64_t take_steps() { return std::exchange(steps_, 0); }
  void remove(std::string_view publisher) {
    policy_.remove(publisher);
    std::erase(ranking_, publisher);
  }

 private:
  qvid::Result<std::vector<std::string>> evaluate() {
    auto ranking = publishers_->table.best(criterion_, policy_.seats().size() + 1);
    steps_ += publishers_->table.steps();
    if (!ranking) return ranking;
    std::erase(*ranking, self_);
    return ranking;
  }
  void take(std::vector<std::string> ranking, qvid::Timestamp now) {
    ranking_ = std::move(ranking);
    version_ = publishers_->version;
    next_ = now + kInterval;
  }

  std::shared_ptr<TrackPublishers> publishers_;
  Criterion criterion_;
  std::string self_;
  SeatPolicy policy_;
  std::vector<std::string> ranking_;
  std::uint64_t version_ = 0;
  std::int64_t steps_ = 0;
  qvid::Timestamp next_{};
};

}  // namespace qps
