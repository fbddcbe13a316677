#include "app/command/still_taker.h"

#include <algorithm>
#include <utility>

#include "app/log/log.h"
#include "media/source/still_picture.h"

namespace qvid::app {
namespace {

Result<media::VideoFrame> still_of(const StillWish& wish, const std::stop_token& stop) {
  const auto spec = media::parse_source_spec(wish.source);
  if (!spec) return spec.error();
  return media::take_still(*spec, wish.most, stop);
}

}  // namespace

void StillTaker::take(std::vector<StillWish> wishes) {
  if (wishes.empty() && !thread_.joinable()) return;
  wishes.resize(std::min(wishes.size(), kMostWishes));
  std::ranges::reverse(wishes);
  {
    const std::lock_guard lock(mutex_);
    wishes_ = std::move(wishes);
    stills_.clear();
  }
  came_.notify_one();
  if (!thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
}

StillTaker::Stills StillTaker::fetch() {
  const std::lock_guard lock(mutex_);
  return std::exchange(stills_, {});
}

void StillTaker::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    StillWish wish;
    {
      std::unique_lock lock(mutex_);
      if (!came_.wait(lock, stop, [this] { return !wishes_.empty(); })) return;
      wish = std::move(wishes_.back());
      wishes_.pop_back();
    }
    auto still = still_of(wish, stop);
    if (!still) {
      log_debug("no picture of {}: {}", wish.source, still.error().message);
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      stills_.insert_or_assign(wish.source, *std::move(still));
    }
    wake_();
  }
}

}  // namespace qvid::app
