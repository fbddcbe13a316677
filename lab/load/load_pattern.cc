#include "lab/load/load_pattern.h"

#include <algorithm>
#include <utility>

namespace qvid::lab {
namespace {

constexpr std::array<std::uint8_t, LoadPattern::kLayers> kImportance{200, 120, 80, 40};

}  // namespace

std::int64_t LoadPattern::bytes_until(std::int64_t item) const {
  return static_cast<std::int64_t>(static_cast<double>(rate_.bps()) / 8 *
                                   to_seconds(items_.time_of(item)));
}

LoadPattern::Item LoadPattern::next(Timestamp now) {
  const bool begins = std::exchange(begin_, false) || now - begun_ >= kGroup;
  if (begins) begun_ = now;
  Item item{.number = number_++, .parts = {}};
  const auto bytes =
      static_cast<std::size_t>(bytes_until(item.number + 1) - bytes_until(item.number));
  std::size_t left = bytes;
  for (std::size_t layer = kLayers; layer-- > 0;) {
    Part& part = item.parts[layer];
    part.size =
        layer == 0 ? left : static_cast<std::size_t>(kShares[layer] * static_cast<double>(bytes));
    left -= part.size;
    qps::Envelope& e = part.envelope;
    e.begins = begins;
    e.vital = layer == 0;
    e.importance = kImportance[layer];
    e.due = now;
    if (layer > 0) {
      e.depends_on = {{.items_back = 0, .part = static_cast<std::uint8_t>(layer - 1)}};
      continue;
    }
    e.useful_for = std::max(kGroup - (now - begun_), Duration::zero());
    if (!begins) e.depends_on = {{.items_back = 1, .part = 0}};
  }
  return item;
}

}  // namespace qvid::lab
