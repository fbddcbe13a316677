// Whom the seats of a viewer with criteria shall show, as the room changes.
//
// The criterion is evaluated where the room's table has changed, at most every kInterval: what
// comes from strangers has a bounded rate (preference.h). One that fails later, by what another
// publisher says of itself, keeps the last ranking.
//
// Pure. Thread: the broker's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pubsub/preference.h"
#include "pubsub/seat_policy.h"

namespace qps {

class ViewerPreference {
 public:
  static constexpr qvid::Duration kInterval = std::chrono::milliseconds(100);

  // `self`: who watches, and is not shown to himself. `seats`: of the viewer.
  ViewerPreference(Criterion criterion, std::string self, std::size_t seats)
      : criterion_(std::move(criterion)), self_(std::move(self)), policy_(seats) {}

  // The first evaluation. Why the criterion is refused; nothing where it went well.
  std::optional<qvid::Error> begin(PublisherTable& table, std::uint64_t version,
                                   qvid::Timestamp now) {
    auto ranking = evaluate(table);
    if (!ranking) return ranking.error();
    take(*std::move(ranking), version, now);
    return std::nullopt;
  }
  // `version` changes with the table.
  const std::vector<SeatPolicy::Seat>& update(PublisherTable& table, std::uint64_t version,
                                              qvid::Timestamp now) {
    if (version != version_ && now >= next_) {
      auto ranking = evaluate(table);
      take(ranking ? *std::move(ranking) : std::move(ranking_), version, now);
    }
    return policy_.update(ranking_, now);
  }
  void remove(std::string_view publisher) {
    policy_.remove(publisher);
    std::erase(ranking_, publisher);
  }

 private:
  qvid::Result<std::vector<std::string>> evaluate(PublisherTable& table) const {
    auto ranking = table.best(criterion_, policy_.seats().size() + 1);
    if (!ranking) return ranking;
    std::erase(*ranking, self_);
    return ranking;
  }
  void take(std::vector<std::string> ranking, std::uint64_t version, qvid::Timestamp now) {
    ranking_ = std::move(ranking);
    version_ = version;
    next_ = now + kInterval;
  }

  Criterion criterion_;
  std::string self_;
  SeatPolicy policy_;
  std::vector<std::string> ranking_;
  std::uint64_t version_ = 0;
  qvid::Timestamp next_{};
};

}  // namespace qps
