#include "app/play/preview_frames.h"

#include <algorithm>
#include <utility>

namespace qvid::app {

std::optional<PreviewFrame> PreviewFrames::on_message(std::uint64_t position,
                                                      const Payload& payload) {
  auto message = media::parse_frame_message(position, payload);
  if (!message) return std::nullopt;
  const FrameNumber number = std::visit([](const auto& m) { return m.number; }, *message);
  if (number < number_) return std::nullopt;
  if (number > number_) {
    number_ = number;
    header_.reset();
    units_.clear();
    bytes_ = 0;
  }
  bytes_ += payload.size();
  if (bytes_ > kMostBytes || !take(*std::move(message))) return std::nullopt;
  if (!header_ || units_.empty() || units_.size() != header_->units) return std::nullopt;
  PreviewFrame whole{.place = header_->due.time_since_epoch(),
                     .frame = {.number = number_,
                               .header = std::move(header_->codec_header),
                               .units = std::exchange(units_, {})}};
  header_.reset();
  return whole;
}

bool PreviewFrames::take(media::FrameMessage message) {
  if (auto* header = std::get_if<media::FrameHeaderMessage>(&message)) {
    header_ = std::move(*header);
    return true;
  }
  media::CodedUnit& unit = std::get<media::UnitMessage>(message).unit;
  const auto place = std::ranges::lower_bound(units_, unit.layer, {}, &media::CodedUnit::layer);
  if (place != units_.end() && place->layer == unit.layer) return false;
  units_.insert(place, std::move(unit));
  return true;
}

}  // namespace qvid::app
