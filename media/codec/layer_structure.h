// Which layers a picture is coded in, where a codec has a choice.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace qvid::media {

enum class LayerStructure : std::uint8_t {
  kSmall,  // one, of half the size
  kWhole,  // one, of the full size
  kBoth,   // a base of half the size, and the full size
};

inline constexpr std::array<std::pair<std::string_view, LayerStructure>, 3> kLayerStructures = {
    {{"small", LayerStructure::kSmall},
     {"whole", LayerStructure::kWhole},
     {"both", LayerStructure::kBoth}}};

}  // namespace qvid::media
