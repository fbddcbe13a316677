#include "media/live/dependency_tracker.h"

#include <algorithm>
#include <utility>

namespace qvid::media {

bool DependencyTracker::usable(const UnitKey& key) const {
  const auto it = units_.find(key);
  return it != units_.end() && !it->second.lost;
}

bool DependencyTracker::admit(FrameNumber frame, const CodedUnit& unit) {
  if (unit.layer >= kMaxUnits) return false;
  Unit entry;
  for (const UnitDependency& d : unit.depends_on) {
    entry.needs.push_back({FrameNumber(frame.value() - d.frames_back), d.unit});
  }
  entry.lost = !std::all_of(entry.needs.begin(), entry.needs.end(),
                            [&](const UnitKey& key) { return usable(key); });
  // One frame that nothing needs may be missing for the sake of another such one.
  if (!entry.lost || unit.needed_for > 1) broken_[unit.layer] = entry.lost;
  const bool admitted = !entry.lost;
  units_.insert_or_assign({frame, unit.layer}, std::move(entry));
  forget_old(frame);
  return admitted;
}

std::vector<UnitKey> DependencyTracker::on_lost(UnitKey unit) {
  std::vector<UnitKey> also;
  const auto it = units_.find(unit);
  if (it == units_.end() || it->second.lost) return also;
  it->second.lost = true;
  // Dependencies point back only, so one pass in order finds the indirect ones too.
  const UnitKey oldest = units_.begin()->first;
  for (auto next = std::next(it); next != units_.end(); ++next) {
    auto& [key, entry] = *next;
    const bool decodable =
        std::all_of(entry.needs.begin(), entry.needs.end(),
                    [&](const UnitKey& needed) { return needed < oldest || usable(needed); });
    if (entry.lost || decodable) continue;
    entry.lost = true;
    also.push_back(key);
  }
  return also;
}

void DependencyTracker::forget_old(FrameNumber newest) {
  const UnitKey oldest{FrameNumber(newest.value() - kMaxReferenceDistance), 0};
  units_.erase(units_.begin(), units_.lower_bound(oldest));
}

void DependencyTracker::restart() {
  units_.clear();
  broken_.fill(false);
}

}  // namespace qvid::media
