#include "media/live/live_sender.h"

#include <algorithm>
#include <utility>

namespace qvid::media {
namespace {

static_assert(kMaxUnits <= DependencyLog::kParts);
static_assert(kMaxReferenceDistance < DependencyLog::kItems);

PartId part_of(const UnitKey& unit) { return {.item = unit.frame.value(), .part = unit.layer}; }

}  // namespace

LiveSender::LiveSender(FrameRate rate, int window, AdaptationPolicy policy)
    : policy_(policy), timeline_(rate, window) {}

void LiveSender::on_frame(std::shared_ptr<const WireFrame> wire) {
  const CodedFrame& frame = wire->frame;
  if (!first_) {
    const bool sync = std::all_of(frame.units.begin(), frame.units.end(),
                                  [](const CodedUnit& unit) { return unit.is_sync_point(); });
    if (!sync) return;
    first_ = FrameNumber(frame.number.value() - next_.value());
    began_ = next_;
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
    if (!admit(frame.number, unit)) {
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
                       .number = number,
                       .wire = output.frame});
    }
    sends.push_back({.importance = policy_.importance(unit),
                     .position = unit_position(number, unit.layer),
                     .deadline = output.unit_expiry[i],
                     .payload = wire.units[i],
                     .unit = key,
                     .number = number,
                     .wire = output.frame,
                     .index = i});
    under_way_.add(key);
  }
  if (sends.size() > header) ++frames_;
}

bool LiveSender::admit(FrameNumber frame, const CodedUnit& unit) {
  if (unit.layer >= kMaxUnits) return false;
  const PartId id = part_of({frame, unit.layer});
  std::vector<PartDependency> needs;
  for (const UnitDependency& d : unit.depends_on) needs.push_back({d.frames_back, d.unit});
  log_.note(id, needs);
  return unit.layer < layers_ && rule_.admit(id, unit.needed_for > 1);
}

Timestamp LiveSender::next_event() const { return timeline_.next_event(); }

std::vector<UnitKey> LiveSender::on_ended(UnitKey unit, bool arrived) {
  under_way_.end(unit);
  return arrived ? std::vector<UnitKey>() : lose(unit);
}

// Nobody can decode units without their header: what refers to them would stand still until the next
// synchronisation point, which an informed encoder makes once a minute.
std::vector<UnitKey> LiveSender::on_header_ended(std::uint64_t message, bool arrived) {
  const auto header = headers_.extract(message);
  return header.empty() || arrived ? std::vector<UnitKey>()
                                   : on_lost(header.mapped(), std::nullopt);
}

std::vector<UnitKey> LiveSender::on_lost(FrameNumber number, std::optional<std::uint8_t> layer) {
  std::vector<UnitKey> cancels;
  if (!first_ || number < began_) return cancels;  // of before
  const FrameNumber frame(number.value() + first_->value());
  for (std::uint8_t each = 0; each < kMaxUnits; ++each) {
    if (layer && *layer != each) continue;
    const UnitKey unit{frame, each};
    if (under_way_.contains(unit) && rule_.usable(part_of(unit))) cancels.push_back(unit);
    for (const UnitKey& also : lose(unit)) cancels.push_back(also);
  }
  return cancels;
}

// Gives those of the others that are still under way.
std::vector<UnitKey> LiveSender::lose(UnitKey unit) {
  std::vector<UnitKey> cancels;
  if (!rule_.usable(part_of(unit))) return cancels;
  const std::vector<PartId> also = rule_.on_lost(part_of(unit));
  note_lost(unit);
  for (const PartId& part : also) {
    const UnitKey key{FrameNumber(part.item), part.part};
    note_lost(key);
    if (under_way_.contains(key)) cancels.push_back(key);
  }
  return cancels;
}

void LiveSender::note_lost(UnitKey unit) {
  if (lost_.size() == kMostLost) lost_.erase(lost_.begin());
  lost_.push_back(unit);
}

std::vector<UnitKey> LiveSender::take_lost() { return std::exchange(lost_, {}); }

std::vector<UnitKey> LiveSender::restart() {
  std::vector<UnitKey> cancels = under_way_.all();
  timeline_.clear();
  log_.clear();
  rule_.clear();
  first_.reset();
  lost_.clear();
  headers_.clear();
  return cancels;
}

}  // namespace qvid::media
