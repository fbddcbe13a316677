// Which layers a picture is coded in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace qvid::media {

enum class LayerStructure : std::uint8_t {
  kSmall,  // one, of half the size
  kWhole,  // one, of the full size
  kBoth,   // a base of half the size, and the full size
  kThree,  // a base of a quarter of the width and height, half the size, and the full size
};

inline constexpr std::array<std::pair<std::string_view, LayerStructure>, 4> kLayerStructures = {
    {{"small", LayerStructure::kSmall},
     {"whole", LayerStructure::kWhole},
     {"both", LayerStructure::kBoth},
     {"three", LayerStructure::kThree}}};

constexpr std::size_t layers_of(LayerStructure structure) {
  switch (structure) {
    case LayerStructure::kThree: return 3;
    case LayerStructure::kBoth: return 2;
    case LayerStructure::kWhole:
    case LayerStructure::kSmall: break;
  }
  return 1;
}

// How often the picture is halved for that layer. layer < layers_of(structure).
constexpr int halvings_of(LayerStructure structure, std::size_t layer) {
  const std::size_t below_whole = layers_of(structure) - 1 - layer;
  return static_cast<int>(below_whole) + (structure == LayerStructure::kSmall ? 1 : 0);
}

}  // namespace qvid::media
