#include "media/live/live_sender.h"

#include <algorithm>
#include <utility>

namespace qvid::media {

LiveSender::LiveSender(FrameRate rate, int window, AdaptationPolicy policy)
    : policy_(policy), timeline_(rate, window) {}

void LiveSender::on_frame(std::shared_ptr<const WireFrame> wire) {
  const CodedFrame& frame = wire->frame;
  if (!first_) {
    const bool sync = std::all_of(frame.units.begin(), frame.units.end(),
                                  [](const CodedUnit& unit) { return unit.is_sync_point(); });
    if (!sync) return;
    first_ = FrameNumber(frame.number.value() - next_.value());
  }
  timeline_.on_frame(std::move(wire));
}

LiveSender::Decisions LiveSender::poll(Timestamp now) {
  Decisions decisions;
  LiveTimeline::Decisions due = timeline_.poll(now);
  for (const LiveTimeline::Output& o : due.outputs) output(o, decisions.sends);
  for (const LiveTimeline::Expire& e : due.expired) {
    const UnitKey unit{e.number, e.layer};
    if (under_way_.contains(unit)) decisions.cancels.push_back(unit);
  }
  return decisions;
}

void LiveSender::output(const LiveTimeline::Output& output, std::vector<Send>& sends) {
  const WireFrame& wire = *output.frame;
  const CodedFrame& frame = wire.frame;
  const FrameNumber number(frame.number.value() - first_->value());
  next_ = number.next();
  const std::size_t header = sends.size();
  for (std::size_t i = 0; i < frame.units.size(); ++i) {
    const CodedUnit& unit = frame.units[i];
    const UnitKey key{frame.number, unit.layer};
    if (!tracker_.admit(frame.number, unit)) {
      ++not_sent_;
      note_lost(key);
      continue;
    }
    if (sends.size() == header) {
      sends.push_back({.importance = kHeaderImportance,
                       .position = header_position(number),
                       .deadline = output.header_expiry,
                       .payload = wire.header,
                       .unit = std::nullopt,
                       .frame = frame.number});
    }
    sends.push_back({.importance = policy_.importance(unit),
                     .position = unit_position(number, unit.layer),
                     .deadline = output.unit_expiry[i],
                     .payload = wire.units[i],
                     .unit = key,
                     .frame = frame.number});
    under_way_.insert(key);
  }
  if (sends.size() > header) ++frames_;
}

Timestamp LiveSender::next_event() const { return timeline_.next_event(); }

std::vector<UnitKey> LiveSender::on_ended(UnitKey unit, bool arrived) {
  under_way_.erase(unit);
  return arrived ? std::vector<UnitKey>() : lose(unit);
}

std::vector<UnitKey> LiveSender::on_header_refused(FrameNumber frame) {
  std::vector<UnitKey> cancels;
  for (std::uint8_t layer = 0; layer < kMaxUnits; ++layer) {
    if (!under_way_.contains({frame, layer})) continue;
    cancels.push_back({frame, layer});
    for (const UnitKey& also : lose({frame, layer})) cancels.push_back(also);
  }
  return cancels;
}

// Gives those of the others that are still under way.
std::vector<UnitKey> LiveSender::lose(UnitKey unit) {
  const bool news = tracker_.usable(unit);
  std::vector<UnitKey> also = tracker_.on_lost(unit);
  if (news) note_lost(unit);
  for (const UnitKey& key : also) note_lost(key);
  std::erase_if(also, [&](const UnitKey& key) { return !under_way_.contains(key); });
  return also;
}

void LiveSender::note_lost(UnitKey unit) {
  if (lost_.size() == kMostLost) lost_.erase(lost_.begin());
  lost_.push_back(unit);
}

std::vector<UnitKey> LiveSender::take_lost() { return std::exchange(lost_, {}); }

std::vector<UnitKey> LiveSender::restart() {
  std::vector<UnitKey> cancels(under_way_.begin(), under_way_.end());
  timeline_.clear();
  tracker_.restart();
  first_.reset();
  lost_.clear();
  return cancels;
}

}  // namespace qvid::media
