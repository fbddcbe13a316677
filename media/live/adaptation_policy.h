// Which data go first: the one place that turns what a unit is into its importance.
// Source: 000 section 5.1, "Adaptation": motion before detail by default, and configurable.
//
//   importance   what
//   255          control messages
//   254          (sound)
//   250          frame headers
//   240 - cost   units; cost from layer l (0..7) and rank r, and one less for a synchronisation
//                point, which its whole group of pictures needs
//
//   rank 0: more than one later frame may need the unit (T0); 1: one may (T1); 2: none (T2, and the
//   end of a group of pictures). So importance falls along a group, and among equals the older
//   frame goes first.
//
//   prefer     cost           on a narrow link
//   motion     24 l + 4 r     detail goes first, then the frames nobody refers to: all frames, soft
//   detail     8 l + 64 r     the frames nobody refers to go first, whole: few frames, all sharp
//   balanced   16 l + 24 r    detail and frames in turns: L0 H0 L1 H1 L2 H2 (layer, rank)
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "media/unit/coded_frame.h"

namespace qvid::media {

inline constexpr std::uint8_t kControlImportance = 255;
inline constexpr std::uint8_t kHeaderImportance = 250;

enum class Preference : std::uint8_t { kMotion, kDetail, kBalanced };

class AdaptationPolicy {
 public:
  constexpr explicit AdaptationPolicy(Preference prefer = Preference::kMotion) : prefer_(prefer) {}

  std::uint8_t importance(const CodedUnit& unit) const {
    const int layer = std::min<int>(unit.layer, static_cast<int>(kMaxUnits) - 1);
    const int rank = unit.needed_for > 1 ? 0 : unit.needed_for == 1 ? 1 : 2;
    const int sync = unit.is_sync_point() ? 1 : 0;
    return static_cast<std::uint8_t>(kHighest - cost(layer, rank) + sync);
  }

 private:
  static constexpr int kHighest = 240;

  constexpr int cost(int layer, int rank) const {
    switch (prefer_) {
      case Preference::kDetail: return 8 * layer + 64 * rank;
      case Preference::kBalanced: return 16 * layer + 24 * rank;
      case Preference::kMotion: break;
    }
    return 24 * layer + 4 * rank;
  }

  Preference prefer_;
};

// "motion", "detail" or "balanced"; empty: none of them.
constexpr std::optional<Preference> parse_preference(std::string_view text) {
  if (text == "motion") return Preference::kMotion;
  if (text == "detail") return Preference::kDetail;
  if (text == "balanced") return Preference::kBalanced;
  return std::nullopt;
}
constexpr std::string_view name_of(Preference p) {
  switch (p) {
    case Preference::kDetail: return "detail";
    case Preference::kBalanced: return "balanced";
    case Preference::kMotion: break;
  }
  return "motion";
}

}  // namespace qvid::media
