#include "media/live/live_timeline.h"

#include <algorithm>

namespace qvid::media {
namespace {

// Timers fire a little late; an output is late when it misses by more than the eye of a timer.
constexpr Duration kLateTolerance = std::chrono::milliseconds(5);
// A source that gives fewer frames than the rate says: at the least every eighth.
constexpr std::int64_t kMostPlaces = 8;

}  // namespace

LiveTimeline::LiveTimeline(FrameRate rate, int window) : rate_(rate) { set_window(window); }

void LiveTimeline::set_window(int window) { window_ = std::clamp(window, kMinWindow, kMaxWindow); }

void LiveTimeline::on_frame(std::shared_ptr<const WireFrame> wire) {
  const CodedFrame& frame = wire->frame;
  Entry entry;
  entry.number = frame.number;
  entry.output = output_time(frame);
  entry.expire = entry.output + rate_.time_of(window_);
  // A source may leave places of the timeline out.
  const Duration since = last_due_ ? frame.due - *last_due_ : rate_.frame_time();
  const std::int64_t places = std::clamp<std::int64_t>(
      (since + rate_.frame_time() / 2) / rate_.frame_time(), 1, kMostPlaces);
  last_due_ = frame.due;
  for (const CodedUnit& unit : frame.units) {
    // A new group: the one before ended with the frame before, whatever had been planned.
    if (unit.is_sync_point()) {
      end_group(unit.layer, frame.number, entry.expire - rate_.frame_time());
    }
    const int later = informed_ ? std::min(unit.needed_for, kPatience) : unit.needed_for;
    entry.units.push_back(
        {.layer = unit.layer, .expiry = entry.expire + rate_.time_of(later * places)});
  }
  entry.frame = std::move(wire);
  entries_.push_back(std::move(entry));
}

void LiveTimeline::end_group(std::uint8_t layer, FrameNumber first_of_next, Timestamp last_expiry) {
  for (Entry& e : entries_) {
    if (e.number >= first_of_next) break;
    for (UnitState& u : e.units) {
      if (u.layer == layer) u.expiry = std::min(u.expiry, std::max(e.expire, last_expiry));
    }
  }
}

LiveTimeline::Decisions LiveTimeline::poll(Timestamp now) {
  Decisions decisions;
  for (Entry& e : entries_) {
    if (e.given || e.output > now) continue;
    e.given = true;
    if (now > e.output + kLateTolerance) ++late_outputs_;
    Output output{.frame = std::move(e.frame), .unit_expiry = {}, .header_expiry = e.expire};
    for (const UnitState& u : e.units) {
      output.unit_expiry.push_back(u.expiry);
      output.header_expiry = std::max(output.header_expiry, u.expiry);
    }
    decisions.outputs.push_back(std::move(output));
  }
  const std::size_t excess = entries_.size() > kMaxFrames ? entries_.size() - kMaxFrames : 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    for (UnitState& u : entries_[i].units) {
      if (u.expired || (u.expiry > now && i >= excess)) continue;
      u.expired = true;
      decisions.expired.push_back({entries_[i].number, u.layer});
    }
  }
  std::erase_if(entries_, [](const Entry& e) {
    return e.given && std::all_of(e.units.begin(), e.units.end(),
                                  [](const UnitState& u) { return u.expired; });
  });
  return decisions;
}

Timestamp LiveTimeline::next_event() const {
  Timestamp next = kNever;
  for (const Entry& e : entries_) {
    if (!e.given) next = std::min(next, e.output);
    for (const UnitState& u : e.units) {
      if (!u.expired) next = std::min(next, u.expiry);
    }
  }
  return next;
}

}  // namespace qvid::media
