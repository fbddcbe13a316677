#include "ui/call/link_sign.h"

#include "ui/window/paint.h"

namespace qvid::ui {
namespace {

ImU32 color_of(LinkQuality quality) {
  switch (quality) {
    case LinkQuality::kPoor: return kRed;
    case LinkQuality::kFair: return kAmber;
    default: return kGreen;
  }
}

}  // namespace

void draw_link_sign(LinkQuality quality, const ImVec2& at, float height) {
  constexpr int kBars = 3;
  constexpr float kBar = 4;
  constexpr float kBetween = 2;
  constexpr float kInset = 3;
  if (quality == LinkQuality::kUnknown) return;
  fill_rounded({at, {at.x + kLinkSignWidth, at.y + height}}, kDark);
  const int full = static_cast<int>(quality);
  const float foot = at.y + height - kInset;
  for (int i = 0; i < kBars; ++i) {
    const float left = at.x + kInset + static_cast<float>(i) * (kBar + kBetween);
    const float tall = (height - 2 * kInset) * static_cast<float>(i + 1) / kBars;
    fill_plain({{left, foot - tall}, {left + kBar, foot}},
               i < full ? color_of(quality) : kLinkMissing);
  }
}

void draw_link_words(const Link& link, float right, float bottom, float most, const Box& covered) {
  const std::string words = shortened(link.words, most - 2 * kSpace);
  if (words.empty()) return;
  const float height = line_height() + 6;
  const ImVec2 min{right - width_of(words) - 2 * kSpace, bottom - height};
  const bool hidden = covered.min.x < right && covered.max.x > min.x && covered.min.y < bottom &&
                      covered.max.y > min.y;
  if (hidden) return;
  fill_rounded({min, {right, bottom}}, kDark);
  write({min.x + kSpace, min.y + 3}, kBright, words);
}

}  // namespace qvid::ui
