#include "app/command/own_picture_turn.h"

#include <algorithm>

namespace qvid::app {

bool OwnPictureTurn::on_own(Timestamp now) {
  if (since_) return true;
  since_ = now;
  return !recently(now);
}

bool OwnPictureTurn::on_turn(bool others, Timestamp now) {
  if (others) others_ = now;
  if (!since_ || (!others && recently(now) && now - *since_ < kLongest)) return false;
  since_.reset();
  return true;
}

Duration OwnPictureTurn::wait(Duration idle, Timestamp now) const {
  if (!since_) return idle;
  return std::clamp(*since_ + kLongest - now, Duration::zero(), idle);
}

}  // namespace qvid::app
