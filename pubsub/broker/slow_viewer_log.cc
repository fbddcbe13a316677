#include "pubsub/broker/slow_viewer_log.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace qps {
namespace {

// Shares of a class that are as good as all and nothing.
constexpr double kAll = 0.995;
constexpr std::size_t kMostListed = 4;

double share(std::int64_t lost, std::int64_t offered) {
  if (offered <= 0) return lost > 0 ? 1 : 0;
  return std::min(1.0, static_cast<double>(lost) / static_cast<double>(offered));
}

std::string percent(double part) {
  // Not 0% of what was dropped, nor 100% of what was not all.
  return std::to_string(std::clamp(std::lround(100 * part), 1L, part < 1 ? 99L : 100L)) + "%";
}

std::string megabits(DataRate rate) {
  char text[32];
  std::snprintf(text, sizeof text, rate.mbps() < 0.1 ? "%.2f" : "%.1f", rate.mbps());
  return text;
}

// "all of importance up to 212, 43% of 216; all of 232 and more arrives".
std::string dropped(const std::vector<SeatTally::Class>& classes) {
  std::size_t i = 0;
  while (i < classes.size() && share(classes[i].lost, classes[i].offered) >= kAll) ++i;
  std::vector<std::string> parts;
  if (i > 0)
    parts.push_back("all of importance up to " + std::to_string(classes[i - 1].importance));
  std::size_t above = i;  // the first of which, and above which, nothing is lost
  for (; i < classes.size(); ++i) {
    if (classes[i].lost == 0) continue;
    above = i + 1;
    parts.push_back(percent(share(classes[i].lost, classes[i].offered)) + " of " +
                    (parts.empty() ? "importance " : "") + std::to_string(classes[i].importance));
  }
  std::string text;
  for (std::size_t n = 0; n < parts.size() && n < kMostListed; ++n) {
    text += (n > 0 ? ", " : "") + parts[n];
  }
  if (parts.size() > kMostListed) text += ", and of others";
  if (above < classes.size()) {
    return text + "; all of " + std::to_string(classes[above].importance) + " and more arrives";
  }
  return text + "; of what is most important too";
}

std::string begins(const SlowViewerLog::Second& s) {
  std::string text(s.name);
  text.append(" (").append(s.who).append(") is slow: takes ");
  text += megabits(DataRate::of(s.tally.delivered_bytes(), s.length)) + " of " +
          megabits(DataRate::of(s.tally.offered_bytes(), s.length)) + " Mbit/s";
  text.append(" of ").append(s.of);
  if (s.others > 0) text += " and " + std::to_string(s.others) + " more";
  return text + "; " + percent(share(s.tally.lost(), s.tally.offered())) +
         " of the fragments are dropped: " + dropped(s.tally.classes());
}

std::string ends(const SlowViewerLog::Viewer& v, const SlowViewerLog::Second& s, Timestamp now) {
  std::string text(s.name);
  text.append(" (").append(s.who).append(") keeps up again: was slow for ");
  return text +
         std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now - v.since).count()) +
         " s, in which " + percent(share(v.lost, v.offered)) + " of the fragments were dropped";
}

}  // namespace

bool SlowViewerLog::may_tell(const Viewer& viewer, Timestamp now) {
  if (viewer.told_at && now - *viewer.told_at < kQuiet) return false;
  if (now - minute_ >= std::chrono::minutes(1)) {
    minute_ = now;
    lines_ = 0;
  }
  return lines_ < kMostLines;
}

std::optional<std::string> SlowViewerLog::on_second(Viewer& v, const Second& second,
                                                    Timestamp now) {
  const SeatTally& tally = second.tally;
  if (tally.offered() == 0 && tally.lost() == 0) return std::nullopt;
  const double part = share(tally.lost(), tally.offered());
  const bool changes = v.slow ? part < kWell : part > kSlow;
  v.seconds = changes ? v.seconds + 1 : 0;
  if (v.slow) {
    v.offered += tally.offered();
    v.lost += tally.lost();
    if (v.seconds == kWellSeconds) {
      const bool told = v.told;
      const std::string text = told ? ends(v, second, now) : "";
      v = {.told_at = v.told_at};
      return told ? std::optional(text) : std::nullopt;
    }
  } else if (v.seconds == kSlowSeconds) {
    v = {.slow = true,
         .since = now - kInterval * kSlowSeconds,
         .told_at = v.told_at,
         .offered = tally.offered(),
         .lost = tally.lost()};
  }
  if (!v.slow || v.told || part <= kSlow || !may_tell(v, now)) return std::nullopt;
  ++lines_;
  v.told = true;
  v.told_at = now;
  return begins(second);
}

}  // namespace qps
