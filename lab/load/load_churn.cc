#include "lab/load/load_churn.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.h"

namespace qvid::lab {

LoadChurn::LoadChurn(boost::asio::io_context& io, const LoadOptions& options, double a_second,
                     std::vector<Place> places)
    : io_(io),
      options_(options),
      period_(from_seconds(1 / a_second)),
      places_(std::move(places)),
      timer_(io) {}

void LoadChurn::start() {
  next_ = steady_now();
  tick();
}

void LoadChurn::stop() {
  if (std::exchange(stopped_, true)) return;
  timer_.cancel();
  for (auto it = members_.begin(); it != members_.end();) {
    const auto member = it++;  // it may be gone behind that
    member->leaving = true;
    member->client->close();
  }
}

void LoadChurn::tick() {
  if (members_.size() < kMostAtOnce) {
    come();
  } else {
    ++counts_.late;
  }
  next_ = std::max(next_ + period_, steady_now() - period_);
  timer_.at(next_, [this] { tick(); });
}

void LoadChurn::come() {
  const std::size_t number = number_++;
  const Place& place = places_[number % places_.size()];
  members_.emplace_back();
  const auto member = std::prev(members_.end());
  member->leaves = std::make_unique<paceline::Timer>(io_);
  LoadEvents events{
      .joined =
          [this, member] {
            ++counts_.joined;
            member->leaves->after(kStay, [member] {
              member->leaving = true;
              member->client->close();
            });
          },
      .ended = [this, member](const std::string& reason, bool) { ended(member, reason); }};
  member->client = std::make_unique<LoadSubscriber>(
      io_, options_, place.room, fmt::format("load-{}-c{}", ::getpid(), number),
      std::vector<std::string>{place.watches}, std::move(events),
      [](std::size_t, Timestamp, ByteCount) {});
}

void LoadChurn::ended(Members::iterator member, const std::string& reason) {
  if (!member->leaving && counts_.lost++ == 0) counts_.first_loss = reason;
  members_.erase(member);
}

}  // namespace qvid::lab
