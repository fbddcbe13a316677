#include "media/codec/layers/layered_decoder.h"

#include <optional>
#include <string>
#include <utility>

namespace qvid::media {

Result<std::optional<DecodedFrame>> LayeredDecoder::decode(const ReceivedFrame& frame) {
  const auto wrong = [&](const std::string& what) {
    return Error{std::string(name_of(kind_)) + ": " + what};
  };
  const auto header = parse_frame_header(frame.header.bytes(), kind_);
  if (!header) return header.error();

  const std::size_t layers = header->layers();
  // What comes back begins with a synchronisation point, and what does not holds pictures.
  for (std::size_t layer = layers; layer < kMostLayers; ++layer) layers_[layer].reset();
  std::array<const CodedUnit*, kMostLayers> units{};
  for (const CodedUnit& unit : frame.units) {
    if (unit.layer >= layers) return wrong("there is no such layer");
    if (std::exchange(units[unit.layer], &unit) != nullptr) {
      return wrong("a layer comes twice in one frame");
    }
  }
  std::optional<DecodedFrame> best;
  std::optional<Error> failure;
  std::bitset<kMaxUnits> failed;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    if (units[layer] == nullptr) continue;
    if (!layers_[layer]) layers_[layer] = make_();
    auto picture =
        layers_[layer]->decode(*units[layer], header->size_of(layer), header->sync[layer]);
    if (!picture) {
      failure = wrong("layer " + std::to_string(layer) + ": " + picture.error().message);
      failed.set(layer);
      continue;
    }
    picture->range = header->range;
    picture->matrix = header->matrix;
    best = DecodedFrame{.number = frame.number,
                        .picture = *std::move(picture),
                        .nominal = header->nominal,
                        .layer = static_cast<std::uint8_t>(layer),
                        .layers = static_cast<std::uint8_t>(layers)};
  }
  if (!best && failure) return *std::move(failure);
  if (best) best->failed = failed;
  return best;
}

}  // namespace qvid::media
