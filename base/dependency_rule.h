// What a receiver can still use of a stream of items, each of several parts that need one another:
// the layers of a video's frames, the parts of a room's items. It knows no codec.
//
//   DependencyLog    what each part needs: of the source, kept once for all of its receivers
//   DependencyRule   what one receiver can use: two words an item
//
// Model: a part under way will arrive or be reported lost. A part is usable while all it needs is
// under way or has arrived; one that is lost takes with it all that needs it, directly or not. So
// nothing is sent that nobody could use, and what was broken goes on at the next part that needs
// nothing lost: a beginning, or one whose encoder refers to something older than the loss.
//
// Bound: the last DependencyLog::kItems items. What lies further back is not usable for what comes,
// and not held against what was admitted. Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace qvid {

struct PartId {
  std::int64_t item = 0;
  std::uint8_t part = 0;
  auto operator<=>(const PartId&) const = default;
};

// A part that another one needs: so many items before, or in the same item with a lower number.
struct PartDependency {
  std::uint8_t items_back = 0;
  std::uint8_t part = 0;
  bool operator==(const PartDependency&) const = default;
};

class DependencyLog {
 public:
  static constexpr std::int64_t kItems = 256;  // items_back reaches no further
  static constexpr std::uint8_t kParts = 16;   // of an item

  // Of a part twice, of one that there cannot be, or of an item that is too old: false, and nothing
  // changes. Numbers may have gaps, and parts come in any order.
  bool note(const PartId& id, std::span<const PartDependency> needs) {
    if (id.item < 0 || id.part >= kParts || (newest_ >= 0 && id.item < oldest())) return false;
    if (items_.empty()) items_.resize(kItems);
    Item& item = items_[slot_of(id.item)];
    if (item.number != id.item) {
      item.number = id.item;
      item.known = 0;
    }
    if ((item.known >> id.part & 1) != 0) return false;
    if (item.needs.size() <= id.part) item.needs.resize(id.part + std::size_t{1});
    item.needs[id.part].assign(needs.begin(), needs.end());  // in memory that was used before
    item.known = static_cast<std::uint16_t>(item.known | 1U << id.part);
    newest_ = std::max(newest_, id.item);
    return true;
  }
  // nullptr: not known, or not any more.
  const std::vector<PartDependency>* find(const PartId& id) const {
    if (items_.empty() || id.item < 0 || id.item < oldest() || id.part >= kParts) return nullptr;
    const Item& item = items_[slot_of(id.item)];
    const bool known = item.number == id.item && (item.known >> id.part & 1) != 0;
    return known ? &item.needs[id.part] : nullptr;
  }
  std::int64_t newest() const { return newest_; }  // -1: none
  std::int64_t oldest() const { return newest_ - kItems + 1; }
  void clear() {
    items_.clear();
    newest_ = -1;
  }
  static std::size_t slot_of(std::int64_t item) { return static_cast<std::size_t>(item % kItems); }

 private:
  struct Item {
    std::int64_t number = -1;
    std::uint16_t known = 0;  // a bit for each part
    std::vector<std::vector<PartDependency>> needs;
  };
  std::vector<Item> items_;  // by number modulo kItems
  std::int64_t newest_ = -1;
};

class DependencyRule {
 public:
  // `log` outlives this.
  explicit DependencyRule(const DependencyLog& log) : log_(&log) {}

  // A part of the log that could be sent now. True: it is usable, and counts as under way from now
  // on. False: it cannot be used, and counts as lost. `carries_on`: the same part of later items
  // needs it.
  bool admit(const PartId& id, bool carries_on = true) {
    const auto* needs = log_->find(id);
    if (needs == nullptr) return false;
    if (items_.empty()) items_.resize(DependencyLog::kItems);
    Item& item = items_[DependencyLog::slot_of(id.item)];
    if (item.number != id.item) item = {.number = id.item};
    const bool ok = std::ranges::all_of(
        *needs, [&](const PartDependency& d) { return usable(needed_by(id, d)); });
    if (ok) item.usable = static_cast<std::uint16_t>(item.usable | bit(id.part));
    // One that nothing needs may be missing for the sake of another such one.
    if (ok) {
      broken_ = static_cast<std::uint16_t>(broken_ & ~bit(id.part));
    } else if (carries_on) {
      broken_ = static_cast<std::uint16_t>(broken_ | bit(id.part));
    }
    return ok;
  }
  // It will not arrive, or is of no use any more. Gives what was usable and is not any more for it,
  // in order, the part itself not among it; nothing where that was known before.
  std::vector<PartId> on_lost(const PartId& id) {
    std::vector<PartId> also;
    if (!usable(id)) return also;
    lose(id);
    // What is needed comes before what needs it, so one pass in order finds the indirect ones too.
    for (std::int64_t n = id.item; n <= log_->newest(); ++n) {
      const Item& item = items_[DependencyLog::slot_of(n)];
      if (item.number != n || item.usable == 0) continue;
      for (std::uint8_t p = 0; p < DependencyLog::kParts; ++p) {
        const PartId next{.item = n, .part = p};
        if ((item.usable & bit(p)) == 0 || holds(next)) continue;
        lose(next);
        also.push_back(next);
      }
    }
    return also;
  }
  // It was admitted, and nothing that it needs was lost since.
  bool usable(const PartId& id) const {
    if (items_.empty() || id.item < 0 || id.item < log_->oldest()) return false;
    if (id.part >= DependencyLog::kParts) return false;
    const Item& item = items_[DependencyLog::slot_of(id.item)];
    return item.number == id.item && (item.usable & bit(id.part)) != 0;
  }
  // The part of that number waits for one that needs nothing lost: the latest that later items need
  // could not be sent.
  bool broken(std::uint8_t part) const {
    return part < DependencyLog::kParts && (broken_ & bit(part)) != 0;
  }
  // Forgets all: what comes next begins anew.
  void clear() {
    items_.clear();
    broken_ = 0;
  }

 private:
  struct Item {
    std::int64_t number = -1;
    std::uint16_t usable = 0;  // a bit for each part
  };
  static std::uint16_t bit(std::uint8_t part) { return static_cast<std::uint16_t>(1U << part); }
  static PartId needed_by(const PartId& id, const PartDependency& d) {
    return {.item = id.item - d.items_back, .part = d.part};
  }
  bool holds(const PartId& id) const {
    const auto* needs = log_->find(id);
    return needs == nullptr || std::ranges::all_of(*needs, [&](const PartDependency& d) {
             const PartId needed = needed_by(id, d);
             return needed.item < log_->oldest() || usable(needed);
           });
  }
  void lose(const PartId& id) {
    Item& item = items_[DependencyLog::slot_of(id.item)];
    item.usable = static_cast<std::uint16_t>(item.usable & ~bit(id.part));
  }

  const DependencyLog* log_;
  std::vector<Item> items_;   // by number modulo DependencyLog::kItems
  std::uint16_t broken_ = 0;  // a bit for each part
};

}  // namespace qvid
