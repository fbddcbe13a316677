// Fragments of a publication in an order in which each can be judged: behind the first of its part,
// and behind the first of each part that it depends on. By datagrams they come as the network has
// them, and one that came too early would count as lost, with all behind it.
//
// Nothing waits for what lies before the first item that came (a publisher that was elsewhere
// before). Bound: kMost fragments, kMostBytes and kPatience; beyond, the oldest are given out as they
// are, and count as lost where they still cannot be judged, or are left out where later ones went on. Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>

#include "pubsub/broker/item_log.h"

namespace qps {

class ItemOrder {
 public:
  static constexpr std::size_t kMost = 128;
  static constexpr ByteCount kMostBytes = ByteCount(1024 * 1024);
  // A repair takes a round trip and a quarter; what comes later is of little use to anybody.
  static constexpr Duration kPatience = std::chrono::milliseconds(250);

  struct Fragment {
    FragmentId id;
    Payload payload;
    ByteCount size;                      // of its data
    std::optional<Envelope> envelope{};  // of a first one
    Timestamp came;
  };

  void add(Fragment fragment) {
    bytes_ += fragment.payload.byte_count();
    waiting_.push_back(std::move(fragment));
  }
  // The next one that `log` can judge now, or that has waited for long; call until empty, and note
  // each in the log before the next call. One that has waited for long behind what later ones did
  // without is of no use: it is left out.
  std::optional<Fragment> next(const ItemLog& log, Timestamp now) {
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      const bool judged = can_be_judged(*it, log);
      const bool late =
          now >= it->came + kPatience || waiting_.size() > kMost || bytes_ > kMostBytes;
      if (!judged && !late) {
        ++it;
        continue;
      }
      bytes_ -= it->payload.byte_count();
      const std::int64_t item = it->id.part.item;
      if (!judged && item < newest_) {
        it = waiting_.erase(it);
        continue;
      }
      std::optional<Fragment> fragment(std::move(*it));
      waiting_.erase(it);
      if (!first_ || item < *first_) first_ = item;
      newest_ = std::max(newest_, item);
      return fragment;
    }
    return std::nullopt;
  }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  bool can_be_judged(const Fragment& f, const ItemLog& log) const {
    if (!f.envelope) return log.find(f.id.part) != nullptr;
    return std::ranges::all_of(f.envelope->depends_on, [&](const Dependency& d) {
      const PartId needed{.item = f.id.part.item - d.items_back, .part = d.part};
      const bool before_all = d.items_back > 0 && (!first_ || needed.item < *first_);
      return before_all || log.find(needed) != nullptr;
    });
  }

  std::deque<Fragment> waiting_;
  ByteCount bytes_;
  std::optional<std::int64_t> first_;  // item that was given out
  std::int64_t newest_ = -1;           // of these
};

}  // namespace qps
