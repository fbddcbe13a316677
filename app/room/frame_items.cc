#include "app/room/frame_items.h"

#include <algorithm>

namespace qvid::app {
namespace {

bool all_sync_points(const media::CodedFrame& frame) {
  return std::ranges::all_of(frame.units,
                             [](const media::CodedUnit& unit) { return unit.is_sync_point(); });
}

}  // namespace

qps::PartId part_of(const media::LiveSender::Send& send) {
  return {.item = send.number.value(),
          .part = send.unit ? static_cast<std::uint8_t>(send.unit->layer + 1) : std::uint8_t{0}};
}

qps::Envelope envelope_of(const media::LiveSender::Send& send,
                          const std::function<Duration(int frames)>& useful_for) {
  const media::CodedFrame& frame = send.wire->frame;
  qps::Envelope envelope;
  envelope.importance = send.importance;
  envelope.due = frame.due;
  if (!send.unit) {
    // The units are of no use without it: it lives as long as the longest of them.
    int longest = 0;
    for (const media::CodedUnit& unit : frame.units) longest = std::max(longest, unit.needed_for);
    envelope.begins = all_sync_points(frame);
    envelope.vital = true;
    envelope.useful_for = useful_for(longest);
    return envelope;
  }
  const media::CodedUnit& unit = frame.units[send.index];
  envelope.vital = unit.layer == 0;
  envelope.useful_for = useful_for(unit.needed_for);
  envelope.depends_on.push_back({.items_back = 0, .part = 0});
  for (const media::UnitDependency& d : unit.depends_on) {
    if (envelope.depends_on.size() == qps::kMaxDependencies) break;
    envelope.depends_on.push_back(
        {.items_back = d.frames_back, .part = static_cast<std::uint8_t>(d.unit + 1)});
  }
  return envelope;
}

std::uint64_t number_of(const qps::PartId& id) {
  return static_cast<std::uint64_t>(id.item) * qps::kMaxParts + id.part;
}

qps::PartId part_of(std::uint64_t number) {
  return {.item = static_cast<std::int64_t>(number / qps::kMaxParts),
          .part = static_cast<std::uint8_t>(number % qps::kMaxParts)};
}

}  // namespace qvid::app
