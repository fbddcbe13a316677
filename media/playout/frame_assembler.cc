#include "media/playout/frame_assembler.h"

#include <algorithm>
#include <utility>

namespace qvid::media {

FrameAssembler::Slot* FrameAssembler::slot_for(FrameNumber number, ByteCount bytes) {
  // The first frame to come sets the place: numbers need not start at 0.
  if (!any_) {
    any_ = true;
    taken_ = FrameNumber(number.value() - 1);
  }
  // After a long outage: nothing that waits can be shown, so the place moves on to what comes.
  if (number.value() - taken_.value() > ahead_ && !any_showable()) {
    taken_ = FrameNumber(number.value() - 1);
    forget_old();
  }
  const std::int64_t distance = number.value() - taken_.value();
  if (distance < -kBehind || distance > ahead_ || bytes_ + bytes > max_bytes_) {
    ++dropped_;
    return nullptr;
  }
  bytes_ += bytes;
  return &slots_[number];
}

bool FrameAssembler::any_showable() const {
  for (const auto* header = next_header(); header != nullptr;
       header = header_after(header->number)) {
    if (showable(header->number)) return true;
  }
  return false;
}

void FrameAssembler::on_header(FrameHeaderMessage header) {
  Slot* slot = slot_for(header.number, header.codec_header.byte_count());
  if (slot == nullptr) return;
  if (slot->header) {
    bytes_ -= header.codec_header.byte_count();
    ++dropped_;
    return;
  }
  slot->header = std::move(header);
}

void FrameAssembler::on_unit(UnitMessage message, Timestamp arrival) {
  const std::uint8_t layer = message.unit.layer;
  Slot* slot = slot_for(message.number, message.unit.data.byte_count());
  if (slot == nullptr) return;
  if (slot->came[layer]) {
    bytes_ -= message.unit.data.byte_count();
    ++dropped_;
    return;
  }
  slot->came[layer] = true;
  if (layer == 0) slot->base_arrival = arrival;
  slot->units[layer] = std::move(message.unit);
}

bool FrameAssembler::decodable(FrameNumber number, const CodedUnit& unit,
                               std::bitset<kMaxUnits> in_frame) const {
  if (any_decoded_[unit.layer] && last_decoded_[unit.layer] >= number) return false;
  for (const UnitDependency& d : unit.depends_on) {
    if (d.frames_back == 0) {
      if (!in_frame[d.unit]) return false;
      continue;
    }
    const auto it = slots_.find(FrameNumber(number.value() - d.frames_back));
    if (it == slots_.end() || !it->second.decoded[d.unit]) return false;
  }
  return true;
}

std::vector<ReceivedFrame> FrameAssembler::take(FrameNumber number) {
  std::vector<ReceivedFrame> frames;
  taken_ = std::max(taken_, number);
  for (auto& [n, slot] : slots_) {
    if (n > number) break;
    if (!slot.header) continue;
    ReceivedFrame frame{.number = n, .header = slot.header->codec_header, .units = {}};
    for (std::uint8_t layer = 0; layer < kMaxUnits; ++layer) {
      auto& unit = slot.units[layer];
      if (!unit) continue;
      const bool still_of_use = n == number || n.value() + unit->needed_for >= number.value();
      if (!still_of_use || !decodable(n, *unit, slot.decoded)) continue;
      slot.decoded[layer] = true;
      any_decoded_[layer] = true;
      last_decoded_[layer] = n;
      frame.units.push_back(*unit);
      release(unit);
    }
    if (!frame.units.empty()) frames.push_back(std::move(frame));
  }
  forget_old();
  return frames;
}

void FrameAssembler::release(std::optional<CodedUnit>& unit) {
  bytes_ -= unit->data.byte_count();
  unit.reset();
}

// What can be of no use any more goes, so that the bytes kept are few.
void FrameAssembler::forget_old() {
  for (auto it = slots_.begin(); it != slots_.end() && it->first <= taken_;) {
    Slot& slot = it->second;
    for (std::uint8_t layer = 0; layer < kMaxUnits; ++layer) {
      auto& unit = slot.units[layer];
      if (!unit) continue;
      const bool passed = any_decoded_[layer] && last_decoded_[layer] >= it->first;
      if (passed || it->first.value() + unit->needed_for <= taken_.value()) release(unit);
    }
    if (it->first.value() < taken_.value() - kBehind) {
      for (auto& unit : slot.units) {
        if (unit) release(unit);
      }
      if (slot.header) bytes_ -= slot.header->codec_header.byte_count();
      it = slots_.erase(it);
    } else {
      ++it;
    }
  }
}

void FrameAssembler::on_decode_error(FrameNumber number, std::bitset<kMaxUnits> layers) {
  if (const auto it = slots_.find(number); it != slots_.end()) it->second.decoded &= ~layers;
}

const FrameHeaderMessage* FrameAssembler::header_after(FrameNumber number) const {
  for (auto it = slots_.upper_bound(number); it != slots_.end(); ++it) {
    if (it->second.header) return &*it->second.header;
  }
  return nullptr;
}

const FrameHeaderMessage* FrameAssembler::header(FrameNumber number) const {
  const auto it = slots_.find(number);
  return it != slots_.end() && it->second.header ? &*it->second.header : nullptr;
}

std::size_t FrameAssembler::units_received(FrameNumber number) const {
  const auto it = slots_.find(number);
  return it == slots_.end() ? 0 : it->second.came.count();
}

std::optional<Timestamp> FrameAssembler::base_arrival(FrameNumber number) const {
  const auto it = slots_.find(number);
  if (it == slots_.end() || !it->second.came[0]) return std::nullopt;
  return it->second.base_arrival;
}

bool FrameAssembler::came(FrameNumber number, std::uint8_t layer) const {
  const auto it = slots_.find(number);
  return it != slots_.end() && it->second.came[layer];
}

bool FrameAssembler::complete(FrameNumber number) const {
  const auto it = slots_.find(number);
  if (it == slots_.end() || !it->second.header) return false;
  const Slot& slot = it->second;
  return slot.came.count() >= slot.header->units &&
         std::all_of(slot.units.begin(), slot.units.end(), [&](const auto& unit) {
           return !unit || decodable(number, *unit, slot.came);
         });
}

bool FrameAssembler::showable(FrameNumber number) const {
  const auto it = slots_.find(number);
  if (it == slots_.end() || !it->second.header) return false;
  const auto& base = it->second.units[0];
  return base && decodable(number, *base, {});
}

}  // namespace qvid::media
