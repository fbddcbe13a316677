#include "lab/glass/eye.h"

#include <algorithm>

#include "lab/glass/clock_time.h"
#include "lab/glass/strip.h"

namespace qvid::lab {
namespace {

std::optional<std::int64_t> number_on(const ScreenView::Shot& shot, const StripPlace& place) {
  const auto low = read_strip(shot.pixels, place);
  // A picture is drawn a little after its time, so none is of the future; + 1: two clocks' reading.
  return low ? whole_number(*low, number_at(shot.at) + 1) : std::nullopt;
}

}  // namespace

void Eye::turn(Timestamp now) {
  const bool lost = !place_ || now - read_at_ > kLost;
  if (lost && now - searched_at_ > kSearchEvery) search(now);
  if (!place_) return;
  const int left = std::max(0, place_->x);
  const int top = std::max(0, place_->y);
  const ScreenView::Shot shot =
      screen_.take(left, top, std::min(place_->width, screen_.width() - left),
                   std::min(place_->height, screen_.height() - top));
  ++log_.looks;
  const auto number = number_on(shot, place_->within(left, top));
  if (!number) {
    ++log_.unreadable;
    return;
  }
  read_at_ = shot.at;
  if (number == shown_) return;
  shown_ = number;
  log_.sightings.push_back({shot.at, *number});
  if (shot.at - judged_at_ >= kQualityEvery) judge(*number);
}

void Eye::search(Timestamp now) {
  searched_at_ = now;
  const ScreenView::Shot shot = screen_.take(0, 0, screen_.width(), screen_.height());
  const auto found = find_strip(shot.pixels);
  // What only looks like a strip has no number.
  if (!found || found == place_ || !number_on(shot, *found)) return;
  place_ = found;
  likeness_.forget_place();
}

void Eye::judge(std::int64_t number) {
  const ScreenView::Shot shot = screen_.take(0, 0, screen_.width(), screen_.height());
  if (number_on(shot, *place_) != number) return;  // it has changed meanwhile
  judged_at_ = shot.at;
  if (const auto how = likeness_.of(shot.pixels, *place_, clock_.draw(number))) {
    log_.quality.push_back({.at = shot.at, .psnr = how->psnr, .ssim = how->ssim});
  }
}

}  // namespace qvid::lab
